export type { APIErrorCode, CellErrorCode, ErrorCode, FileErrorCode, SnapshotErrorCode } from "./errorCode.js";
export {
  AbortedError,
  type AnyFetchedResult,
  APIError,
  ArchiveError,
  AuthenticationError,
  type ErrorResponse,
  type FetchedResult,
  FileError,
  NotFoundError,
  RateLimitError,
  SnapshotError,
  ValidationError,
} from "./errors.js";
