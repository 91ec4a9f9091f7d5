import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, lstatSync, realpathSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { makeDirectory } from "./directories.js";
import { fileType, toFileError, unsafePath, withFileErrors } from "./fileErrors.js";
import { statOf } from "./paths.js";

/** The name of an unfinished file, also one left by a killed process. */
export const PARTIAL: RegExp = /^\.[\da-f-]{36}\.partial$/;

/**
 * Writes a file atomically, and creates its directory. Readers see the old content or the new one, even after a failure. Replaces a
 * link instead of following it. A replaced file keeps its mode.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a FIFO or a device, `NOT_WRITABLE` for a read-only file
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
 * The real path of an output file named by the user. Follows links; a link to a missing file is replaced.
 *
 * @throws ArchiveError `UNSAFE_PATH` for a FIFO or a device, `NOT_WRITABLE` for a read-only file
 */
export function outputFile(path: string): string {
  return withFileErrors(path, () => {
    checkOutputFile(path);
    return existsSync(path) ? realpathSync(path) : resolve(path);
  });
}

/** Checks that a path is missing, or a file that may be replaced, perhaps behind links. */
function checkOutputFile(path: string): void {
  const stats = statOf(path);
  if (stats === undefined || stats.isDirectory()) return;
  if (!stats.isFile()) throw unsafePath(path, `is ${fileType(stats)}, not a file`, "Give the path of a file.");
  if ((stats.mode & 0o222) !== 0) return;
  // Renaming would replace it: that needs only permission to write to its directory.
  const hint = "Make it writable, or give another path.";
  throw new ArchiveError(`${path} cannot be written: it is read-only.`, { code: "NOT_WRITABLE", hint, path });
}

/** Gives a file the mode of the one that it will replace. */
export function keepMode(replacement: string, path: string): void {
  const replaced = lstatSync(path, { throwIfNoEntry: false });
  if (replaced?.isFile()) chmodSync(replacement, replaced.mode & 0o777);
}
