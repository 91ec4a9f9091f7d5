import { ArchiveError, type ArchiveErrorDetails, nameClass } from "./archiveError.js";
import type { FileErrorCode } from "./errorCode.js";
import type { Wording } from "./wording.js";

/** The members of a new {@link FileError}. */
export interface FileErrorDetails extends ArchiveErrorDetails {
  /** Default `"FILE_ERROR"`. */
  code?: FileErrorCode | undefined;
  /** The file or directory concerned. Default `""`. */
  path?: string | undefined;
}

/**
 * A file could not be read or written, or something else is in its place. The target is unchanged.
 *
 * @example
 * if (error instanceof FileError) console.log(error.code, error.path);
 * //=> NOT_WRITABLE /data/climate.csv
 */
export class FileError extends ArchiveError {
  declare readonly code: FileErrorCode;
  /** The file or directory concerned. */
  readonly path: string;

  static {
    nameClass(FileError, "FileError");
  }

  /**
   * @param what what went wrong, ending with a full stop
   * @param details the other members
   */
  constructor(what: Wording = "", details: FileErrorDetails = {}) {
    super(what, { code: "FILE_ERROR", ...details });
    this.path = details.path ?? "";
  }
}
