import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { followLinks } from "./followLinks.js";
import { makeDirectory } from "./makeDirectory.js";
import { toFileError } from "./toFileError.js";
import { fileType, unsafePath } from "./unsafePath.js";

/** The name of a file that is being written, or was when its process was killed. */
export const PARTIAL: RegExp = /^\.[\da-f-]{36}\.partial$/;

/**
 * Writes a file as a whole, and creates its directory. Readers see the old content or the new one, even after a failure. A link is
 * replaced, not followed. A replaced file of this user keeps its mode.
 *
 * @throws FileError `UNSAFE_PATH` for a FIFO, a device, and a link of another user on the way
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
 * Where a file that the user named will be written: the destination of a link of this user or of root, unless that is missing; then the
 * link is replaced.
 *
 * @throws FileError `UNSAFE_PATH` for a FIFO, a device, and a link of another user on the way
 */
export function outputFile(path: string): string {
  const real = followLinks(path);
  if (!existsSync(real)) return join(followLinks(dirname(path)), basename(path));
  checkOutputFile(real);
  return real;
}

/** Checks that a path can be replaced by a file: what is there is a file, or a link of this user or of root. */
function checkOutputFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) followLinks(path);
  else if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
    throw unsafePath(path, `is ${fileType(stats)}, not a file`);
}

/** Gives a file or directory the mode of the one it will replace, if this user owns both. */
export function keepMode(replacement: string, path: string): void {
  const replaced = lstatSync(path, { throwIfNoEntry: false });
  const current = lstatSync(replacement);
  if (replaced === undefined || replaced.uid !== current.uid) return;
  if (replaced.isSymbolicLink() || replaced.isDirectory() !== current.isDirectory()) return;
  if ((replaced.mode & 0o777) !== (current.mode & 0o777)) chmodSync(replacement, replaced.mode & 0o777);
}
