// The archive service itself, in this process: for trying things out, for tests, and for notebooks without a key.

export type { EmbeddedArchiveOptions, QuotaOptions } from "./options.js";
export type { EmbeddedArchive } from "./startEmbeddedArchive.js";
export { startEmbeddedArchive } from "./startEmbeddedArchive.js";
