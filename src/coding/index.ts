// import { codebook, codingPage, readCodes, … } from "archive-frames/coding"

// What to code, and which passages.

export type { Allocation } from "../frames/allocate.js";
export {
  type Codebook,
  type CodebookOptions,
  type CodeOf,
  type CodesOf,
  codebook,
  type Scale,
  type Variable,
  type VariableDefinition,
} from "./codebook.js";
export { type SampleRowsOptions, sampleRows } from "./sampleRows.js";
export { type SampleSize, type SampleSizeOptions, sampleSize } from "./sampleSize.js";

// Code, by hand and by machine.

export { type Coder, type CodeWithOptions, codeWith } from "./codeWith.js";
export { type CodingPageOptions, codingPage } from "./codingPage.js";
export type { Passage } from "./passages.js";
export { readCodes } from "./readCodes.js";

// Agree and conclude.

export { type AgreementOptions, agreement } from "./agreement.js";
export { type ClipsOptions, clips } from "./clips.js";
export { type CodesOptions, type Decision, disagreements, resolve } from "./disagreements.js";
export { type EstimateOptions, estimate } from "./estimate.js";
