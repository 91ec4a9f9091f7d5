import { closeSync, futimesSync, lstatSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { checkStoreDirectory } from "./storeDirectory.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** What is younger stays: another program may take older answers than this one. */
const LEAST_MS = 30 * DAY_MS;

/**
 * Removes from a cache what nobody uses any more: answers older than `maxAge` and a month, and answers from a time to come. It looks
 * once a day, and a cache that cannot be pruned is as good as before. Only regular files in the folders of the cache itself are removed.
 *
 * @param maxAge seconds
 * @param now milliseconds since 1970
 */
export function pruneCache(dir: string, maxAge: number, now: number): void {
  const before = now - Math.max(maxAge * 1000, LEAST_MS);
  try {
    checkStoreDirectory(dir);
    if (!isDue(join(dir, "pruned"), now)) return;
    prune(join(dir, "index"), /\.jsonl$/, before, now);
    for (const name of foldersIn(join(dir, "bodies"))) prune(join(dir, "bodies", name), /\.json\.gz$/, before, now);
  } catch {
    // There is no cache yet, it is not ours, or others take care of it.
  }
}

/** Whether a day has passed since the last time, which is noted in the time of a file. */
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

/** An index changes with each answer, and a body is written again with each answer that it belongs to. */
function prune(folder: string, pattern: RegExp, before: number, now: number): void {
  checkStoreDirectory(folder);
  const latest = Math.max(now, Date.now()) + DAY_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!pattern.test(name) || !stats?.isFile()) continue;
    if (stats.mtimeMs < before || stats.mtimeMs > latest) unlinkSync(path);
  }
}

function foldersIn(folder: string): string[] {
  checkRealDirectory(folder);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
