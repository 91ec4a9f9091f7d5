import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "./makeDirectory.js";
import { toFileError } from "./toFileError.js";

/**
 * Writes a file, and the folders above it. Whoever reads it meanwhile, and whatever goes wrong, sees it as it was before. A link there
 * is replaced, not followed. A file of this user that is replaced keeps its mode.
 *
 * @param mode of a new file, from which the user's umask takes bits. Default 0666, as for any file
 * @throws FileError when it cannot be written
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o666): void {
  const partial = join(dirname(path), `.${randomUUID()}.partial`);
  try {
    makeDirectory(dirname(path));
    writeFileSync(partial, content, { flag: "wx", mode });
    keepMode(partial, path);
    renameSync(partial, path);
  } catch (error) {
    if (existsSync(partial)) unlinkSync(partial);
    throw toFileError(error, path);
  }
}

/** Gives a file or folder the mode of the one that it is going to replace, where that is this user's as well. */
export function keepMode(replacement: string, path: string): void {
  const known = lstatSync(path, { throwIfNoEntry: false });
  const made = lstatSync(replacement);
  if (known === undefined || known.uid !== made.uid) return;
  if (known.isSymbolicLink() || known.isDirectory() !== made.isDirectory()) return;
  if ((known.mode & 0o777) !== (made.mode & 0o777)) chmodSync(replacement, known.mode & 0o777);
}
