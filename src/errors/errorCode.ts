/**
 * The code of every error in this package. Codes are stable: match on codes, not on messages.
 *
 * `INVALID_INPUT` belongs to a `ValidationError`, the codes from `AUTHENTICATION` to `REDIRECT_REFUSED` to an `APIError` or a subclass, and
 * all others to an `ArchiveError`.
 *
 * - `INVALID_INPUT`: an option or parameter is invalid
 * - `ABORTED`: the caller's signal stopped the call
 * - `AUTHENTICATION`: 401, or a 403 of the service; or no API key was given
 * - `NOT_FOUND`: 404, or a 403 of the gateway for an unknown path
 * - `RATE_LIMITED`: 429: too many requests, or the quota is used up
 * - `HTTP_ERROR`: any other status outside 2xx and 5xx
 * - `SERVER_ERROR`: 5xx
 * - `TIMEOUT`: an attempt took longer than `timeout`
 * - `CONNECTION_FAILED`: unknown host, connection refused or reset, TLS failure
 * - `BODY_TRUNCATED`: the connection closed early
 * - `BODY_TOO_LARGE`: the response is larger than `maxBodyBytes`
 * - `BODY_NOT_JSON`: the response is not valid JSON
 * - `UNEXPECTED_BODY`: the response cannot be decoded, or is JSON of another shape
 * - `CURSOR_CIRCLES`: the cursor keeps changing, but the pages contain no new rows
 * - `UNKNOWN_CURSOR`: the cursor has an unknown form, or the service has forgotten it
 * - `REDIRECT_REFUSED`: redirects are not followed
 * - `OUT_OF_REQUESTS`: `maxRequests` was used up before the first page arrived
 * - `CANNOT_SAMPLE`: the search cannot be counted exactly, or its rows moved meanwhile
 * - `TOO_MANY_COLUMNS`: the rows have more than 2,000 undeclared members
 * - `CLIENT_CLOSED`: the client was closed before or during the call
 * - `ENGINE_MISSING`: the dataframe library cannot be loaded
 * - `CHARTS_MISSING`: the PNG library cannot be loaded, or there is no font
 * - `QUEUE_MISSING`: the queue library cannot be loaded
 * - `QUEUE_FAILED`: Redis cannot be reached, refuses the password, or is full
 * - `NO_INPUT`: nobody can answer a prompt
 * - `PORT_UNAVAILABLE`: the embedded archive cannot listen on the port
 * - `NOT_WRITABLE`: read-only, missing parent, or no permission
 * - `DISK_FULL`: no space left, or over the disk quota
 * - `TARGET_IS_DIRECTORY`: the target is a directory, or something else that is not replaced
 * - `NAME_TOO_LONG`: too long for the file system
 * - `TARGET_BUSY`: another process or call is writing to the same target
 * - `OTHER_SEARCH`: the unfinished download at the target belongs to another search
 * - `TOO_LARGE_FOR_XLSX`: more rows or columns than an Excel sheet holds
 * - `UNSAFE_PATH`: a link, a special file or a file that we did not write is in the way; nothing was changed
 * - `LEGISLATORS_INVALID`: the file is not a list of members of Congress
 * - `FILE_ERROR`: any other failure to read or write a file
 * - `NO_SNAPSHOT`: the directory contains no snapshot
 * - `NOT_IN_SNAPSHOT`: the snapshot does not contain this request
 * - `SNAPSHOT_DAMAGED`: a file of the snapshot is missing or was changed
 * - `OTHER_SERVICE`: the snapshot was recorded from another service
 * - `CELL_FAILED`: a cell threw an error during `runNotebook`
 * - `CELL_TIMEOUT`: a cell took longer than its timeout during `runNotebook`
 * - `KERNEL_DIED`: the kernel of `runNotebook` exited, or did not start
 * - `UNKNOWN`: created with a message alone
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
