// The archive service inside this process: for examples, tests and notebooks without a key.
export type { EmbeddedArchiveOptions, QuotaOptions } from "./options.js";
export type { EmbeddedArchive } from "./server/startServer.js";
export { startEmbeddedArchive } from "./server/startServer.js";
