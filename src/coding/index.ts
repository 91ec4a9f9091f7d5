// import { codebook, codingPage, readCodes, … } from "archive-frames/coding"

// What to code, and which passages.

export {
  type Codebook,
  type CodebookOptions,
  codebook,
  type Scale,
  type Variable,
  type VariableDefinition,
} from "./codebook.js";
export { type SampleRowsOptions, sampleRows } from "./passages.js";

// Code.

export { type CodingPageOptions, codingPage } from "./codingPage.js";
export { readCodes } from "./readCodes.js";

// Agree.

export { type AgreementOptions, agreement } from "./agreement.js";
