import type { Stats } from "node:fs";
import { getSystemErrorMap } from "node:util";
import { ArchiveError, type ErrorCode } from "../errors/index.js";
import { escaped } from "../util/text.js";

type WriteError = readonly [code: ErrorCode, problem: string, hint: string];

const DISK_FULL: WriteError = ["DISK_FULL", "no space left on the device", "Free some space or write to another disk."];
const NO_PERMISSION = "no permission to write to its directory";
const NOT_WRITABLE: WriteError = ["NOT_WRITABLE", NO_PERMISSION, "Give another directory, or change its permissions."];

const WRITE_ERRORS: Readonly<Record<string, WriteError>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EFBIG: DISK_FULL,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  ENOENT: ["NOT_WRITABLE", "its directory does not exist", "Check the path."],
  ENOTDIR: ["NOT_WRITABLE", "a part of its path is a file, not a directory", "Check the path."],
  EISDIR: ["TARGET_IS_DIRECTORY", "it is a directory", "Give the path of a file."],
  EEXIST: ["TARGET_IS_DIRECTORY", "something else exists there", "Give another path."],
  ENOTEMPTY: ["TARGET_IS_DIRECTORY", "a directory with files exists there", "Give another path."],
  ENAMETOOLONG: ["NAME_TOO_LONG", "the name is too long for the file system", "Give a shorter filename."],
};

export function withFileErrors<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toFileError(error, path);
  }
}

/** The typed error of a failed write: keeps an {@link ArchiveError}, turns anything else into one with `path`. */
export function toFileError(error: unknown, path: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const { code = "", message } = (error instanceof Error ? error : new Error(String(error))) as NodeJS.ErrnoException;
  // polars reports only the number of a system error.
  const number = Number(/os error (\d+)/.exec(message)?.[1]);
  const match = WRITE_ERRORS[code] ?? WRITE_ERRORS[getSystemErrorMap().get(-number)?.[0] ?? ""];
  const [line = ""] = message.split("\n");
  const [fileCode, problem, hint] = match ?? ["FILE_ERROR", line.slice(0, 300), "Check the path and the disk."];
  return new ArchiveError(`${path} cannot be written: ${problem}.`, { code: fileCode, hint, path, cause: error });
}

/** The typed error of a failed read: keeps an {@link ArchiveError}. */
export function toInputError(error: unknown, path: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return unreadable(path, "does not exist", error);
  return unreadable(path, `cannot be read (${code})`, error, "Check the path and its permissions.");
}

export function unreadable(path: string, what: string, cause?: unknown, hint = "Check the path."): ArchiveError {
  return new ArchiveError(`${escaped(path)} ${what}.`, { code: "FILE_ERROR", hint, path, cause });
}

/** The error for a path that we neither read, write nor delete. */
export function unsafePath(path: string, what: string, hint = "Delete it, or give another path."): ArchiveError {
  // A name in a received directory may contain anything.
  const message = `unsafe path: ${escaped(path)} ${what}. Nothing was changed.`;
  return new ArchiveError(message, { code: "UNSAFE_PATH", hint, path });
}

export function fileType(stats: Stats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  return stats.isSocket() ? "a socket" : "a device";
}
