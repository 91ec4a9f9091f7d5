// The archive service itself, in this process: for trying things out, for tests, and for notebooks without a key.
export type { EmbeddedArchive } from "./EmbeddedArchive.js";
export type { EmbeddedArchiveOptions, QuotaOptions } from "./options.js";
export { startEmbeddedArchive } from "./startEmbeddedArchive.js";
