import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { isOwn } from "./isOwn.js";
import { fileType, unsafePath } from "./unsafePath.js";

// Windows has neither flag; the check before opening has to do there.
const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Fails where there is a link; a FIFO or a device does not block. */
const SAFELY = O_NOFOLLOW | O_NONBLOCK;

/**
 * Opens a file of ours for reading and writing, with mode 0600 where it is new. It is a regular file with one name, which this user owns
 * and nobody else may write to.
 *
 * @param how "create": it must not exist yet; "existing": it must exist; "either"
 * @returns the file descriptor
 * @throws FileError `UNSAFE_PATH` for anything else; nothing is changed then. The system's own error where it cannot be opened
 */
export function openPrivateFile(path: string, how: "create" | "existing" | "either"): number {
  // Only a file that did not exist is created: what appears meanwhile is somebody else's.
  const isNew = how === "create" || (how === "either" && lstatSync(path, { throwIfNoEntry: false }) === undefined);
  if (isNew) return openSync(path, O_RDWR | O_CREAT | O_EXCL | SAFELY, 0o600);
  checkOwnFile(path, lstatSync(path));
  return openChecked(path, O_RDWR, checkOwnFile);
}

/**
 * Opens a path, and checks what was opened: something else may be there since it was looked at.
 *
 * @throws FileError `UNSAFE_PATH` for a link, and what `check` throws
 */
export function openChecked(path: string, flags: number, check: (path: string, stats: Stats) => void): number {
  let file: number;
  try {
    file = openSync(path, flags | SAFELY);
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
  if (stats.nlink !== 1) throw unsafePath(path, "has a second name elsewhere (a hard link)");
  if (!isOwn(path, stats)) throw unsafePath(path, "belongs to another user, or others can write to it");
}
