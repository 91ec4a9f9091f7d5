import { ArchiveError, nameClass } from "./archiveError.js";

/**
 * The caller's signal stopped the call. Its `name` is `"AbortError"`, as with every abortable API of Node, and its
 * `cause` says what reason was given to the signal; where that was an object, it is a copy (name, message, stack, code).
 *
 * It is not thrown when an attempt takes longer than `timeout` (that is an `APIError` with code `TIMEOUT`), nor when
 * the client is closed (`CLIENT_CLOSED`).
 */
export class AbortedError extends ArchiveError {
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
