import { lstatSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Younger files stay: another program may use a larger `maxAge`. */
const MIN_AGE_MS = 30 * DAY_MS;

/** Deletes the files of a cache that are older than both `maxAge` and 30 days, or dated in the future, and ignores errors. */
export function pruneCache(dir: string, maxAge: number, now: number): void {
  const oldest = now - Math.max(maxAge * 1000, MIN_AGE_MS);
  const latest = Math.max(now, Date.now()) + DAY_MS;
  try {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs } = lstatSync(path);
      if (entry.isFile() && (mtimeMs < oldest || mtimeMs > latest)) unlinkSync(path);
    }
  } catch {
    // It is not there or not writable, or another process is pruning it.
  }
}
