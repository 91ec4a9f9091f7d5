import { closeSync, futimesSync, lstatSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { checkStoreDirectory } from "./storeDirectory.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Younger responses stay: another program may use a larger `maxAge`. */
const MIN_AGE_MS = 30 * DAY_MS;

/**
 * Deletes responses from a cache that are older than both `maxAge` and 30 days, or dated in the future. Runs once a day and ignores errors.
 * Deletes only regular files in the directories of the cache itself.
 *
 * @param maxAge seconds
 * @param now milliseconds since 1970
 */
export function pruneCache(dir: string, maxAge: number, now: number): void {
  const oldest = now - Math.max(maxAge * 1000, MIN_AGE_MS);
  try {
    checkStoreDirectory(dir);
    if (!isDue(join(dir, "pruned"), now)) return;
    prune(join(dir, "index"), /\.jsonl$/, oldest, now);
    for (const name of subdirectories(join(dir, "bodies")))
      prune(join(dir, "bodies", name), /\.json\.gz$/, oldest, now);
  } catch {
    // There is no cache yet, another user owns it, or another process is pruning it.
  }
}

/** Whether a day has passed since the last run, which is the modification time of a marker file. */
function isDue(marker: string, now: number): boolean {
  const since = now - (lstatSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (since >= 0 && since < DAY_MS) return false;
  const file = openPrivateFile(marker, "either");
  try {
    futimesSync(file, now / 1000, now / 1000);
  } finally {
    closeSync(file);
  }
  return true;
}

/** Modification times tell the age: an index changes with each response, and a body is rewritten with each response that uses it. */
function prune(directory: string, pattern: RegExp, oldest: number, now: number): void {
  checkStoreDirectory(directory);
  const latest = Math.max(now, Date.now()) + DAY_MS;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!pattern.test(name) || !stats?.isFile()) continue;
    if (stats.mtimeMs < oldest || stats.mtimeMs > latest) unlinkSync(path);
  }
}

function subdirectories(directory: string): string[] {
  checkRealDirectory(directory);
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
