import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { writeBytes } from "./fileBytes.js";
import { isOwn } from "./isOwn.js";
import { fileType, unsafePath } from "./toFileError.js";

// Windows lacks the last two; there the check before opening must suffice.
const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Fail on a link, and do not block on a FIFO or device. */
const SAFE_FLAGS = O_NOFOLLOW | O_NONBLOCK;

/**
 * Opens a private file for reading and writing; a new one gets mode 0600. An existing one must be a regular file without other hard
 * links that this user owns and nobody else may write to.
 * @param how "create": it must not exist; "existing": it must exist; "either"
 */
export function openPrivateFile(path: string, how: "create" | "existing" | "either", flags = 0): number {
  // O_EXCL: a file that appears meanwhile belongs to somebody else.
  const isNew = how === "create" || (how === "either" && lstatSync(path, { throwIfNoEntry: false }) === undefined);
  if (isNew) return openSync(path, O_RDWR | O_CREAT | O_EXCL | SAFE_FLAGS | flags, 0o600);
  checkOwnFile(path, lstatSync(path));
  return openChecked(path, O_RDWR | flags, checkOwnFile);
}

/** Appends text to a private file. Several processes may do so concurrently. */
export function appendPrivateFile(path: string, text: string): void {
  const file = openToAppend(path);
  try {
    writeBytes(file, [Buffer.from(text)]);
  } finally {
    closeSync(file);
  }
}

function openToAppend(path: string): number {
  try {
    return openPrivateFile(path, "either", constants.O_APPEND);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process has created it meanwhile.
    return openPrivateFile(path, "existing", constants.O_APPEND);
  }
}

/** Opens a path and checks the open file: the entry may have been replaced since the check before opening. */
export function openChecked(path: string, flags: number, check: (path: string, stats: Stats) => void): number {
  let file: number;
  try {
    file = openSync(path, flags | SAFE_FLAGS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP" || code === "EMLINK") throw unsafePath(path, "is a symbolic link");
    throw error;
  }
  try {
    check(path, fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function checkOwnFile(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`);
  if (stats.nlink !== 1) throw unsafePath(path, "has a second hard link elsewhere");
  if (!isOwn(path, stats)) throw unsafePath(path, "belongs to another user, or others can write to it");
}
