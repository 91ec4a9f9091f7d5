// The archive service inside this process: for examples, tests and notebooks without a key.
export { embeddedLegislators } from "./embeddedLegislators.js";
export type { EmbeddedArchiveOptions, QuotaOptions } from "./options.js";
export { type EmbeddedArchive, startEmbeddedArchive } from "./startEmbeddedArchive.js";
