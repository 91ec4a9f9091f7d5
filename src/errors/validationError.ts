import { ArchiveError, nameClass } from "./archiveError.js";
import type { Wording } from "./wording.js";

/** The members of a new {@link ValidationError}. */
export interface ValidationErrorDetails {
  /** What would be valid. Default: nothing. */
  hint?: Wording | undefined;
  /** The invalid option or parameter. */
  parameter?: string | undefined;
  /** The underlying error, if any. */
  cause?: unknown;
}

/**
 * An option or parameter is invalid. Thrown before any request is sent, so it never costs quota.
 *
 * @example
 * new ArchiveClient({ apiKey: "…", timeout: -1 });
 * //=> ValidationError: invalid timeout: -1. Give a number of seconds above 0, for example timeout: 30.
 */
export class ValidationError extends ArchiveError {
  declare readonly code: "INVALID_INPUT";
  /** The invalid option or parameter; absent if no single one is to blame. */
  declare readonly parameter?: string;

  static {
    nameClass(ValidationError, "ValidationError");
  }

  /**
   * @param what what is invalid, ending with a full stop
   * @param details the other members
   */
  constructor(what: Wording = "", details: ValidationErrorDetails = {}) {
    super(what, { code: "INVALID_INPUT", hint: details.hint, cause: details.cause });
    if (details.parameter !== undefined) this.parameter = details.parameter;
  }
}
