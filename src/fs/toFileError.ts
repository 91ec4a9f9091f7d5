import { ArchiveError, FileError, type FileErrorCode } from "../errors/index.js";

type Fault = readonly [code: FileErrorCode, problem: string, hint: string];

const FULL: Fault = ["DISK_FULL", "no space left on the device", "Free some space or write to another disk."];
const REFUSED: Fault = [
  "NOT_WRITABLE",
  "no permission to write to its directory",
  "Give another directory, or change its permissions.",
];

const FAULTS: Readonly<Record<string, Fault>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
  EACCES: REFUSED,
  EPERM: REFUSED,
  EROFS: REFUSED,
  ENOENT: ["NOT_WRITABLE", "its directory does not exist", "Check the path."],
  ENOTDIR: ["NOT_WRITABLE", "a part of its path is a file, not a directory", "Check the path."],
  EISDIR: ["TARGET_IS_DIRECTORY", "it is a directory", "Give the path of a file."],
  EEXIST: ["TARGET_IS_DIRECTORY", "something else exists there", "Give another path."],
  ENOTEMPTY: ["TARGET_IS_DIRECTORY", "a directory with files exists there", "Give another path."],
  ENAMETOOLONG: ["NAME_TOO_LONG", "the name is too long for the file system", "Give a shorter filename."],
};

/** polars reports system errors by number only. */
const BY_NUMBER: Readonly<Record<string, string>> = {
  1: "EPERM",
  2: "ENOENT",
  13: "EACCES",
  20: "ENOTDIR",
  21: "EISDIR",
  27: "EFBIG",
  28: "ENOSPC",
  30: "EROFS",
  36: "ENAMETOOLONG",
  122: "EDQUOT",
};

/** The typed error of a failed write: an {@link ArchiveError} stays as it is, anything else becomes a {@link FileError}. */
export function toFileError(error: unknown, path: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const { code = "", message } = (error instanceof Error ? error : new Error(String(error))) as NodeJS.ErrnoException;
  const number = /os error (\d+)/.exec(message)?.[1] ?? "";
  const fault = FAULTS[code] ?? FAULTS[BY_NUMBER[number] ?? ""];
  const [fileCode, problem, hint] = fault ?? [
    "FILE_ERROR",
    message.split("\n")[0]?.slice(0, 300) ?? "",
    "Check the path and the disk.",
  ];
  return new FileError(`${path} cannot be written: ${problem}.`, { code: fileCode, hint, path, cause: error });
}
