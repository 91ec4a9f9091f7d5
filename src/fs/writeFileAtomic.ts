import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realPath } from "./followLinks.js";
import { makeDirectory } from "./makeDirectory.js";
import { statOf } from "./statOf.js";
import { fileType, toFileError, unsafePath, withFileErrors } from "./toFileError.js";

/** The name of an unfinished file, also one left by a killed process. */
export const PARTIAL: RegExp = /^\.[\da-f-]{36}\.partial$/;

/**
 * Writes a file atomically, and creates its directory. Readers see the old content or the new one, even after a failure. Replaces a
 * link instead of following it. A replaced file of this user keeps its mode.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a FIFO, a device, and a link of another user on the way
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o666): void {
  const partial = join(dirname(path), `.${randomUUID()}.partial`);
  try {
    makeDirectory(dirname(path));
    checkOutputFile(path);
    writeFileSync(partial, content, { flag: "wx", mode });
    keepMode(partial, path);
    renameSync(partial, path);
  } catch (error) {
    if (existsSync(partial)) unlinkSync(partial);
    throw toFileError(error, path);
  }
}

/**
 * The real path of an output file named by the user. Follows links of this user and of root; a link to a missing file is replaced.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a FIFO, a device, and a link of another user on the way
 */
export function outputFile(path: string): string {
  return withFileErrors(path, () => {
    checkOutputFile(path);
    const real = realPath(path);
    return existsSync(real) ? real : join(realPath(dirname(path)), basename(path));
  });
}

/** Checks that a path can be replaced by a file: it is missing or a file, perhaps behind links of this user or of root. */
function checkOutputFile(path: string): void {
  realPath(path);
  // Only the system can follow a link such as /dev/stdout to a pipe, which has no path.
  const stats = statOf(path);
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
    throw unsafePath(path, `is ${fileType(stats)}, not a file`, "Give the path of a file.");
}

/** Gives a file or directory the mode of the one that it will replace, if both have the same owner. */
export function keepMode(replacement: string, path: string): void {
  const replaced = lstatSync(path, { throwIfNoEntry: false });
  const current = lstatSync(replacement);
  if (replaced === undefined || replaced.uid !== current.uid) return;
  if (replaced.isSymbolicLink() || replaced.isDirectory() !== current.isDirectory()) return;
  if ((replaced.mode & 0o777) !== (current.mode & 0o777)) chmodSync(replacement, replaced.mode & 0o777);
}
