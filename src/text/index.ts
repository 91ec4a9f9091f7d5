// import { kwic, terms, rates, … } from "archive-frames/text"

// What the functions read.

export type { Pattern } from "./patterns/pattern.js";
export type { By } from "./source/grouping.js";
export type { BatchSource, FrameOf, TextSource } from "./source/textSource.js";

// Find and count.

export { type KwicOptions, kwic } from "./kwic.js";
export { type RatesOptions, rates } from "./rates.js";
export { stopwords } from "./stopwords.js";
export { type TermsOptions, terms } from "./terms.js";

// Compare.

export { type KeynessOptions, keyness } from "./keyness.js";
