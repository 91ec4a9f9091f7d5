import { ArchiveError, nameClass } from "./archiveError.js";
import type { ErrorCode } from "./errorCode.js";

/** What a {@link SnapshotError} is built from. */
export interface SnapshotErrorDetails {
  /** Default `"SNAPSHOT_DAMAGED"`. */
  code?: ErrorCode | undefined;
  /** What to type or do next. Default: nothing. */
  hint?: string | undefined;
  /** The snapshot, or the file in it that it is about. Default: none, an empty text. */
  path?: string | undefined;
  cause?: unknown;
}

/**
 * A snapshot cannot answer: it does not hold the request, is not there, is of another service, or was changed.
 *
 * @example
 * if (error instanceof SnapshotError) console.log(error.code, error.path);
 * //=> NOT_IN_SNAPSHOT study/
 */
export class SnapshotError extends ArchiveError {
  /** The snapshot, or the file in it that it is about. */
  readonly path: string;

  static {
    nameClass(SnapshotError, "SnapshotError");
  }

  constructor(what = "", details: SnapshotErrorDetails = {}) {
    super(what, { code: "SNAPSHOT_DAMAGED", ...details });
    this.path = details.path ?? "";
  }
}
