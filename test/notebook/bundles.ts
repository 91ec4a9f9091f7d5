export { caption } from "../../src/notebook/display/caption.js";
export { displayBundle } from "../../src/notebook/display/displayBundle.js";
export { progressBundle, progressText, summaryBundle } from "../../src/notebook/display/progressDisplay.js";
