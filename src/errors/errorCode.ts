/**
 * Every `code` an error of this package can carry. Codes are stable: match on them, not on messages.
 *
 * | code | meaning |
 * |---|---|
 * | `INVALID_INPUT` | an option or a parameter is not valid; nothing was sent |
 * | `ABORTED` | the caller's signal stopped the call |
 * | `AUTHENTICATION` | 401 or 403: the key is missing or was refused |
 * | `NOT_FOUND` | 404 |
 * | `RATE_LIMITED` | 429: asked too fast, or the quota is used up |
 * | `HTTP_ERROR` | any other answer outside 2xx and 5xx |
 * | `SERVER_ERROR` | 5xx |
 * | `TIMEOUT` | an attempt was not complete in time |
 * | `CONNECTION_FAILED` | refused, reset, no such host, no HTTP |
 * | `BODY_TRUNCATED` | the connection ended before the body did |
 * | `BODY_TOO_LARGE` | the body, or that of a stored answer, is larger than `maxBodyBytes` |
 * | `BODY_NOT_JSON` | the body is complete, but no JSON |
 * | `UNEXPECTED_BODY` | the body cannot be decoded, or is JSON of another shape |
 * | `TOO_MANY_CELLS` | the rows have so many different members that their frame would be nearly empty, and very large |
 * | `CURSOR_CIRCLES` | page after page, each with a new cursor, brought no row that was not there already |
 * | `REDIRECT_REFUSED` | a redirect to another origin, without a target, or one too many |
 * | `OUT_OF_REQUESTS` | `maxRequests` was used up before the first page came |
 * | `COLUMN_WIDENED` | a later page changed the type of a column by which rows were chosen that `batches()` had handed over |
 * | `CLIENT_CLOSED` | the client was closed before or during the call |
 * | `ENGINE_MISSING` | the chosen dataframe library cannot be loaded |
 * | `CHARTS_MISSING` | the chart library cannot be loaded |
 * | `NOT_WRITABLE` | a file or folder cannot be made there: read-only, missing, or no right to |
 * | `DISK_FULL` | no space is left |
 * | `TARGET_IS_FOLDER` | a file is to be written where a folder is, or the other way round |
 * | `NAME_TOO_LONG` | the file system does not take so long a name |
 * | `TARGET_BUSY` | another process, or another call of this one, is writing the same target |
 * | `OTHER_HARVEST` | the unfinished harvest at the target is of another search |
 * | `TOO_LARGE_FOR_XLSX` | more rows or columns than a sheet holds |
 * | `TOO_MANY_PARTITIONS` | a dataset would have more folders than is sensible |
 * | `UNSAFE_PATH` | a link, a special file, or a file or folder of somebody else is where one of ours should be; nothing was changed |
 * | `FILE_ERROR` | reading or writing a file failed in another way |
 * | `NO_SNAPSHOT` | there is no snapshot in the folder |
 * | `NOT_IN_SNAPSHOT` | the snapshot that is replayed does not hold the request |
 * | `SNAPSHOT_DAMAGED` | a file of the snapshot is missing, or not what was written |
 * | `UNKNOWN` | an `ArchiveError` that was made with a message alone |
 * | `OTHER_SERVICE` | the snapshot is of another service than the one that is asked |
 */
export type ErrorCode =
  | "INVALID_INPUT"
  | "ABORTED"
  | "AUTHENTICATION"
  | "NOT_FOUND"
  | "RATE_LIMITED"
  | "HTTP_ERROR"
  | "SERVER_ERROR"
  | "TIMEOUT"
  | "CONNECTION_FAILED"
  | "BODY_TRUNCATED"
  | "BODY_TOO_LARGE"
  | "BODY_NOT_JSON"
  | "UNEXPECTED_BODY"
  | "TOO_MANY_CELLS"
  | "CURSOR_CIRCLES"
  | "REDIRECT_REFUSED"
  | "OUT_OF_REQUESTS"
  | "COLUMN_WIDENED"
  | "CLIENT_CLOSED"
  | "ENGINE_MISSING"
  | "CHARTS_MISSING"
  | "NOT_WRITABLE"
  | "DISK_FULL"
  | "TARGET_IS_FOLDER"
  | "NAME_TOO_LONG"
  | "TARGET_BUSY"
  | "OTHER_HARVEST"
  | "TOO_LARGE_FOR_XLSX"
  | "TOO_MANY_PARTITIONS"
  | "UNSAFE_PATH"
  | "FILE_ERROR"
  | "NO_SNAPSHOT"
  | "NOT_IN_SNAPSHOT"
  | "SNAPSHOT_DAMAGED"
  | "UNKNOWN"
  | "OTHER_SERVICE";
