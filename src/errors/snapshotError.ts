import { ArchiveError, type ArchiveErrorDetails, nameClass } from "./archiveError.js";
import type { SnapshotErrorCode } from "./errorCode.js";

/** The members of a new {@link SnapshotError}. */
export interface SnapshotErrorDetails extends ArchiveErrorDetails {
  /** Default `"SNAPSHOT_DAMAGED"`. */
  code?: SnapshotErrorCode | undefined;
  /** The snapshot, or the file in it, concerned. Default `""`. */
  path?: string | undefined;
}

/**
 * A snapshot cannot be replayed: it does not contain the request, is missing or damaged, or is of another service.
 *
 * @example
 * if (error instanceof SnapshotError) console.log(error.code, error.path);
 * //=> NOT_IN_SNAPSHOT study/
 */
export class SnapshotError extends ArchiveError {
  declare readonly code: SnapshotErrorCode;
  /** The snapshot, or the file in it, concerned. */
  readonly path: string;

  static {
    nameClass(SnapshotError, "SnapshotError");
  }

  /**
   * @param what what went wrong, ending with a full stop
   * @param details the other members
   */
  constructor(what = "", details: SnapshotErrorDetails = {}) {
    super(what, { code: "SNAPSHOT_DAMAGED", ...details });
    this.path = details.path ?? "";
  }
}
