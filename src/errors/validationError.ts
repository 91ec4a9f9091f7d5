import { ArchiveError, nameClass } from "./archiveError.js";
import type { ErrorCode } from "./errorCode.js";

/** What a {@link ValidationError} is built from. */
export interface ValidationErrorDetails {
  /** What would be valid. Default: nothing. */
  hint?: string | undefined;
  /** The option or parameter that is not valid. */
  parameter?: string | undefined;
  /** Default `"INVALID_INPUT"`. */
  code?: ErrorCode | undefined;
  cause?: unknown;
}

/**
 * An option or a parameter is not valid. It is thrown before any request is sent, so it never costs quota.
 *
 * @example
 * new ArchiveClient({ apiKey: "…", timeout: -1 });
 * //=> ValidationError: invalid timeout: -1. Give a number of seconds above 0, for example timeout: 30.
 */
export class ValidationError extends ArchiveError {
  /** The option or parameter that is not valid; absent when no single one is to blame. */
  declare readonly parameter?: string;

  static {
    nameClass(ValidationError, "ValidationError");
  }

  constructor(what = "", details: ValidationErrorDetails = {}) {
    super(what, { code: details.code ?? "INVALID_INPUT", hint: details.hint, cause: details.cause });
    if (details.parameter !== undefined) this.parameter = details.parameter;
  }
}
