// import { kwic, terms, rates, … } from "archive-frames/text"

// What the functions read.

export type { FrameBatches } from "../frames/frameBatches.js";
export type { Pattern } from "./pattern.js";
export type { By } from "./source/grouping.js";
export type { TextSource } from "./source/textSource.js";

// Find and count.

export { type KwicOptions, kwic } from "./kwic.js";
export { type RatesOptions, rates } from "./rates.js";
export { stopwords } from "./stopwords.js";
export { type TermsOptions, terms } from "./terms.js";

// Speech that was broadcast several times.

export { type ReairingsOptions, reairings } from "./reairings.js";

// Compare.

export { type CollocationsOptions, collocations } from "./collocations.js";
export { type CompareOptions, compare } from "./compare.js";
export type { Adjustment } from "./counting/difference.js";
export { type KeynessOptions, keyness } from "./keyness.js";
