// The client
export type { CallOptions, SearchOptions } from "./callOptions.js";
export { ArchiveClient, type IterOptions, type SearchArguments } from "./client.js";
export type { ArchiveClientOptions } from "./clientSettings.js";
// Text
export { type ToCsvOptions, toCsv } from "./files/toCsv.js";
export { toJsonl } from "./files/toJsonl.js";
export type { Body, Format, Result } from "./formats.js";
// Frames
export type { DanfoFrame } from "./frames/danfoFrame.js";
export type { Engine, FrameTypes } from "./frames/engine.js";
export { type PolarsFrame, pl } from "./frames/polars.js";
export { type ToDataFrameOptions, toDataFrame } from "./frames/toDataFrame.js";
export { toRecords } from "./frames/toRecords.js";
export type { Harvest } from "./harvest.js";
export { type OpenArchiveOptions, openArchive } from "./openArchive.js";
// Errors
export * from "./service/errors/index.js";
export type { ClientOptions } from "./service/http/clientOptions.js";
export type {
  BillRow,
  Columns,
  MentionRow,
  Operation,
  OperationName,
  Operations,
  ParametersOf,
  PersonRow,
  ProgramRow,
  Row,
  RowOf,
  SearchName,
} from "./service/operations/operations.js";
export { operations } from "./service/operations/operations.js";
export type { Parameter, ProgramSort } from "./service/operations/parameters.js";
// Provenance
export type { Provenance, Verdict } from "./service/pages/account.js";
// The service
export type { MemberKind } from "./service/pages/rowShape.js";
export { provenanceOf } from "./snapshots/provenanceOf.js";
