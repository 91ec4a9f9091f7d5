import { ArchiveError, nameClass } from "./archiveError.js";

/**
 * The caller's `AbortSignal` stopped the call. `name` is `"AbortError"`, as in Node's own APIs. `cause` is the reason
 * given to the signal; a reason that is an object is copied (name, message, stack and code).
 *
 * It is not thrown for an attempt that exceeds `timeout` (an `APIError` with code `TIMEOUT`), nor for a closed client
 * (`CLIENT_CLOSED`).
 */
export class AbortedError extends ArchiveError {
  declare readonly code: "ABORTED";

  static {
    nameClass(AbortedError, "AbortError");
  }

  /**
   * @param what what was stopped, ending with a full stop
   * @param cause the reason of the signal
   */
  constructor(what = "The call was stopped by its signal.", cause?: unknown) {
    super(what, { code: "ABORTED", hint: "Run it again with a signal that is not aborted.", cause });
  }
}
