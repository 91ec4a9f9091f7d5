import { ArchiveError, FileError, type FileErrorCode } from "../errors/index.js";

type Fault = readonly [code: FileErrorCode, what: string, hint: string];

const FULL: Fault = ["DISK_FULL", "no space is left for it", "Make room or write to another disk."];
const REFUSED: Fault = [
  "NOT_WRITABLE",
  "the folder cannot be written to",
  "Give another folder, or change its rights.",
];

const FAULTS: Readonly<Record<string, Fault>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
  EACCES: REFUSED,
  EPERM: REFUSED,
  EROFS: REFUSED,
  ENOENT: ["NOT_WRITABLE", "its folder is not there, or is gone", "Check the path."],
  ENOTDIR: ["NOT_WRITABLE", "a part of its path is a file, not a folder", "Check the path."],
  EISDIR: ["TARGET_IS_FOLDER", "it is a folder", "Give the path of a file."],
  EEXIST: ["TARGET_IS_FOLDER", "something else is there", "Give another path."],
  ENOTEMPTY: ["TARGET_IS_FOLDER", "a folder with files in it is there", "Give another path."],
  ENAMETOOLONG: ["NAME_TOO_LONG", "the name is longer than the file system takes", "Give a shorter filename."],
};

/** polars names faults of the system by their number only. */
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

/** The error for what went wrong while a file was written: typed ones pass, others become a {@link FileError}. */
export function toFileError(error: unknown, path: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const { code = "", message } = (error instanceof Error ? error : new Error(String(error))) as NodeJS.ErrnoException;
  const number = /os error (\d+)/.exec(message)?.[1] ?? "";
  const fault = FAULTS[code] ?? FAULTS[BY_NUMBER[number] ?? ""];
  const [kind, what, hint] = fault ?? [
    "FILE_ERROR",
    message.split("\n")[0]?.slice(0, 300) ?? "",
    "Check path and disk.",
  ];
  return new FileError(`${path} cannot be written: ${what}.`, { code: kind, hint, path, cause: error });
}
