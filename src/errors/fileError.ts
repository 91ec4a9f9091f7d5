import { ArchiveError, nameClass } from "./archiveError.js";
import type { ErrorCode } from "./errorCode.js";

/** What a {@link FileError} is built from. */
export interface FileErrorDetails {
  /** Default `"FILE_ERROR"`. */
  code?: ErrorCode | undefined;
  /** What to type or do next. Default: nothing. */
  hint?: string | undefined;
  /** The file or folder that it is about. Default: none, an empty text. */
  path?: string | undefined;
  cause?: unknown;
}

/**
 * A file could not be written, or what is already there stands in the way. The target is as it was before.
 *
 * @example
 * if (error instanceof FileError) console.log(error.code, error.path);
 * //=> NOT_WRITABLE /data/climate.csv
 */
export class FileError extends ArchiveError {
  /** The file or folder that it is about. */
  readonly path: string;

  static {
    nameClass(FileError, "FileError");
  }

  constructor(what = "", details: FileErrorDetails = {}) {
    super(what, { code: "FILE_ERROR", ...details });
    this.path = details.path ?? "";
  }
}
