/**
 * The code of every error in this package. Codes are stable: match on codes, not on messages.
 *
 * | code | class | meaning |
 * |---|---|---|
 * | `INVALID_INPUT` | `ValidationError` | an option or parameter is invalid; no request was sent |
 * | `ABORTED` | `ArchiveError` | the caller's signal stopped the call |
 * | `AUTHENTICATION` | `AuthenticationError` | 401 or 403, or no API key was given |
 * | `NOT_FOUND` | `NotFoundError` | 404 |
 * | `RATE_LIMITED` | `RateLimitError` | 429: too many requests, or the quota is used up |
 * | `HTTP_ERROR` | `APIError` | any other status outside 2xx and 5xx |
 * | `SERVER_ERROR` | `APIError` | 5xx |
 * | `TIMEOUT` | `APIError` | an attempt took longer than `timeout` |
 * | `CONNECTION_FAILED` | `APIError` | no HTTP response: unknown host, connection refused or reset, TLS failure |
 * | `BODY_TRUNCATED` | `APIError` | the connection closed before the response was complete |
 * | `BODY_TOO_LARGE` | `APIError`, `ArchiveError` | the response is larger than `maxBodyBytes` |
 * | `BODY_NOT_JSON` | `APIError` | the response is complete, but not valid JSON |
 * | `UNEXPECTED_BODY` | `APIError` | the response cannot be decoded, or is JSON of another shape |
 * | `CURSOR_CIRCLES` | `APIError` | the cursor keeps changing, but the pages contain no new rows |
 * | `UNKNOWN_CURSOR` | `APIError` | the response has a cursor in an unknown form, or the service has forgotten the cursor of an earlier run |
 * | `REDIRECT_REFUSED` | `APIError` | the service responded with a redirect, which is not followed |
 * | `OUT_OF_REQUESTS` | `ArchiveError` | `maxRequests` was used up before the first page arrived |
 * | `CANNOT_SAMPLE` | `ArchiveError` | the service does not give random access to every page of the search |
 * | `TOO_MANY_COLUMNS` | `ArchiveError` | the rows have more than 2,000 undeclared members, too many for the columns of a frame |
 * | `CLIENT_CLOSED` | `ArchiveError` | the client was closed before or during the call |
 * | `ENGINE_MISSING` | `ArchiveError` | the dataframe library cannot be loaded |
 * | `CHARTS_MISSING` | `ArchiveError` | the library for charts as PNG cannot be loaded, or the machine has no font |
 * | `QUEUE_MISSING` | `ArchiveError` | the queue library cannot be loaded |
 * | `QUEUE_FAILED` | `ArchiveError` | the Redis server of a queue cannot be reached, refuses the password, or is full |
 * | `NO_INPUT` | `ArchiveError` | nobody can answer a prompt: there is no front end, or it does not support prompts |
 * | `PORT_UNAVAILABLE` | `ArchiveError` | the embedded archive cannot listen on the port |
 * | `NOT_WRITABLE` | `ArchiveError` | the file or directory cannot be created: read-only, missing parent, or no permission |
 * | `DISK_FULL` | `ArchiveError` | no space left on the device, or over the disk quota |
 * | `TARGET_IS_DIRECTORY` | `ArchiveError` | the target is a directory where a file is expected, or the reverse |
 * | `NAME_TOO_LONG` | `ArchiveError` | the name is too long for the file system |
 * | `TARGET_BUSY` | `ArchiveError` | another process or call is writing to the same target |
 * | `OTHER_SEARCH` | `ArchiveError` | the unfinished download at the target belongs to another search |
 * | `TOO_LARGE_FOR_XLSX` | `ArchiveError` | more rows or columns than an Excel sheet can hold |
 * | `UNSAFE_PATH` | `ArchiveError` | a special file, a link in a received directory, or a file that we did not write is in the way; nothing was changed |
 * | `LEGISLATORS_INVALID` | `ArchiveError` | the file is not a list of members of Congress; the message names the line |
 * | `FILE_ERROR` | `ArchiveError` | any other failure to read or write a file |
 * | `NO_SNAPSHOT` | `ArchiveError` | the directory contains no snapshot |
 * | `NOT_IN_SNAPSHOT` | `ArchiveError` | the snapshot does not contain this request |
 * | `SNAPSHOT_DAMAGED` | `ArchiveError` | a file of the snapshot is missing or was changed |
 * | `OTHER_SERVICE` | `ArchiveError` | the snapshot was recorded from another service |
 * | `CELL_FAILED` | `ArchiveError` | a cell threw an error during `runNotebook` |
 * | `CELL_TIMEOUT` | `ArchiveError` | a cell took longer than its timeout during `runNotebook` |
 * | `KERNEL_DIED` | `ArchiveError` | the kernel of `runNotebook` exited, or did not start |
 * | `UNKNOWN` | `ArchiveError` | an `ArchiveError` created with a message alone |
 */
export type ErrorCode =
  | "INVALID_INPUT"
  | "ABORTED"
  | APIErrorCode
  | "OUT_OF_REQUESTS"
  | "CANNOT_SAMPLE"
  | "TOO_MANY_COLUMNS"
  | "CLIENT_CLOSED"
  | "ENGINE_MISSING"
  | "CHARTS_MISSING"
  | "QUEUE_MISSING"
  | "QUEUE_FAILED"
  | "NO_INPUT"
  | "PORT_UNAVAILABLE"
  | "NOT_WRITABLE"
  | "DISK_FULL"
  | "TARGET_IS_DIRECTORY"
  | "NAME_TOO_LONG"
  | "TARGET_BUSY"
  | "OTHER_SEARCH"
  | "TOO_LARGE_FOR_XLSX"
  | "UNSAFE_PATH"
  | "LEGISLATORS_INVALID"
  | "FILE_ERROR"
  | "NO_SNAPSHOT"
  | "NOT_IN_SNAPSHOT"
  | "SNAPSHOT_DAMAGED"
  | "OTHER_SERVICE"
  | "CELL_FAILED"
  | "CELL_TIMEOUT"
  | "KERNEL_DIED"
  | "UNKNOWN";

/** The codes of an `APIError` and its subclasses. */
export type APIErrorCode =
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
  | "CURSOR_CIRCLES"
  | "UNKNOWN_CURSOR"
  | "REDIRECT_REFUSED";
