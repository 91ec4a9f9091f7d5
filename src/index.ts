// import { openArchive, ArchiveClient, pl, … } from "archive-frames"

// The client and its options.

export type {
  Body,
  CallOptions,
  Count,
  CountOptions,
  Format,
  LookupOptions,
  LookupReport,
  Result,
  SampleArguments,
  SampleOptions,
  SampleReport,
  SearchCallOptions,
  SearchOptions,
} from "./call/callOptions.js";
export type { ArchiveClientOptions, OutputOptions } from "./call/clientContext.js";
export type { ProgressEvent, ProgressOption } from "./call/progress.js";
export { ArchiveClient, type SearchArguments } from "./client.js";
export { type AnnounceOptions, type OpenArchiveOptions, openArchive } from "./openArchive.js";
export type { ClientOptions } from "./service/http/options.js";
export { VERSION } from "./util/version.js";

// The operations of the service: parameters and rows.

export type {
  Arguments,
  BillRow,
  MentionRow,
  OperationName,
  ParametersOf,
  PersonRow,
  ProgramDetailsRow,
  ProgramRow,
  ProgramSort,
  Row,
  RowOf,
  SearchName,
} from "./service/operations/operations.js";

// Frames and their provenance.

export { concat } from "./frames/concat.js";
export type { Engine } from "./frames/engine.js";
export type { Step } from "./frames/lineage/derived.js";
export { perPeriod } from "./frames/perPeriod.js";
export { type LazyFrame, type PolarsExpr, type PolarsFrame, pl } from "./frames/polars.js";
export { provenanceOf } from "./frames/provenanceOf.js";
export { toDataFrame } from "./frames/toDataFrame.js";
export { type FrameRow, toRecords } from "./frames/toRecords.js";
export { valueCounts } from "./frames/valueCounts.js";
export { type ColumnValue, valuesOf } from "./frames/valuesOf.js";
export { type Condition, type Conditions, type Limits, where } from "./frames/where.js";
export { countSpeakers } from "./members/countSpeakers.js";
export type { Provenance, Verdict } from "./service/paging/provenanceRecorder.js";
export type { DanfoFrame } from "./util/frameTypes.js";

// Lazy queries.

export type { ArchiveScan, ScanOptions } from "./scan/archiveScan.js";
export type { ScanOf, ScanParameters, Scans } from "./scan/scans.js";
export type { SortOptions } from "./scan/verbs.js";

// Files and SQL.

export type { FormatOptions } from "./files/frameWriter.js";
export type { WriteOptions } from "./files/outputPath.js";
export type { FileProvenance } from "./files/package/fileProvenance.js";
export { methodsOf } from "./files/package/methodsOf.js";
export { type ReadFrameOptions, readFrame } from "./files/readFrame.js";
export type { SaveFormat } from "./files/saveFormat.js";
export { saveFrame, toCsv, toJsonl } from "./files/saveFrame.js";
export type { SaveOptions } from "./scan/saveOperation.js";
export type { SinkOptions } from "./scan/sinkScan.js";
export { type SqlTable, sql } from "./tables/sql.js";

// Speeches on a bill.

export type { BillQuery, SpeechesOptions } from "./speeches/speechesOptions.js";
export type { SpeechesReport } from "./speeches/speechesReport.js";
export type { SpeechesOnBill, SpeechRow } from "./speeches/speechRows.js";

// Snapshots and caches.

export type { CacheOptions, SnapshotMode, SnapshotOptions } from "./responses/options.js";
export { verifySnapshot } from "./responses/snapshots.js";

// Errors, and the rows that a failed call had fetched.

export {
  type AnyFetchedResult,
  APIError,
  type APIErrorCode,
  ArchiveError,
  AuthenticationError,
  type ErrorCode,
  type ErrorResponse,
  type FetchedResult,
  NotFoundError,
  RateLimitError,
  ValidationError,
} from "./errors/index.js";
