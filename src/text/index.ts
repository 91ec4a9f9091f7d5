// import { kwic, terms, rates, … } from "archive-frames/text"

// What the functions read.

export type { FrameBatches } from "../frames/frameBatches.js";
export type { By } from "./read/grouping.js";
export type { Pattern } from "./read/pattern.js";
export type { TextSource } from "./read/textSource.js";

// Who says it more, and is the difference real?

export { type CompareOptions, compare } from "./count/compare.js";
export type { RatesOptions } from "./count/patternCounts.js";
export { rates } from "./count/rates.js";

// Find, and count words.

export { collocations } from "./count/collocations.js";
export { keyness } from "./count/keyness.js";
export type { TermsOptions } from "./count/terms.js";
export { terms } from "./count/terms.js";
export { kwic } from "./read/kwic.js";
export { stopwords } from "./read/tokens.js";

// Speech that was broadcast several times.

export { reairings } from "./count/reairings.js";
