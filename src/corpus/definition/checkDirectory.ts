import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isOwn } from "../../fs/isOwn.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { toFileError } from "../../fs/toFileError.js";
import { unsafePath } from "../../fs/unsafePath.js";

const WRITABLE_BY_ALL = 0o002;

/**
 * Creates the directory of a corpus, or checks that it is this user's.
 *
 * @throws FileError `UNSAFE_PATH` if another user could change what is in it
 */
export function checkDirectory(dir: string): void {
  try {
    makeDirectory(dirname(dir));
    try {
      mkdirSync(dir, 0o755);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const path = realpathSync(dir);
    const stats = statSync(path);
    if (!stats.isDirectory()) throw unsafePath(dir, "is not a directory", "Give the path of a directory.");
    if (!isOwn(path, stats, WRITABLE_BY_ALL))
      throw unsafePath(dir, "belongs to another user, or others can write to it");
  } catch (error) {
    throw toFileError(error, dir);
  }
}
