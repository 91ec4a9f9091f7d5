// What a notebook shows: import { show, chart } from "archive-frames/notebook".

export type { ProgressEvent } from "../call/progress.js";
export { chart } from "./charts/chart.js";
export type { ChartFrame } from "./charts/chartData.js";
export { Chart } from "./charts/chartObject.js";
export type { ChartSpec } from "./charts/chartSpec.js";
export { mentionsOverTime, type OverTimeOptions } from "./charts/mentionsOverTime.js";
export type { Period } from "./charts/period.js";
export { type BySenatorOptions, speechesBySenator } from "./charts/speechesBySenator.js";
export { displayBundle } from "./display/displayBundle.js";
export { type DisplayOptions, type DisplaySettings, displayDefaults } from "./display/displayOptions.js";
export type { DisplayTimers } from "./display/displayTimers.js";
export type { MimeBundle } from "./display/mimeBundle.js";
export type { DisplayHost, OpenDisplay, OpenedDisplay } from "./display/openDisplay.js";
export { progressDisplay } from "./display/progressDisplay.js";
export { display, show } from "./display/show.js";
export type { MultilineText, Notebook, NotebookCell, NotebookOutput } from "./notebookFormat.js";
export { type NotebookHtmlOptions, notebookHtml } from "./report/notebookHtml.js";
