import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DAY_MS = 24 * 60 * 60 * 1000;
/** What is younger stays: another program may take older answers than this one. */
const LEAST_MS = 30 * DAY_MS;

/**
 * Removes from a cache what nobody uses any more: answers older than `maxAge` and a month. It looks once a day, and a
 * cache that cannot be pruned is as good as before.
 *
 * @param maxAge seconds
 * @param now milliseconds since 1970
 */
export function pruneCache(dir: string, maxAge: number, now: number): void {
  const marker = join(dir, "pruned");
  const before = now - Math.max(maxAge * 1000, LEAST_MS);
  try {
    if (now - (changedAt(marker) ?? 0) < DAY_MS) return;
    writeFileSync(marker, "");
    utimesSync(marker, now / 1000, now / 1000);
    // An index changes with each answer, and a body is written again with each answer that it belongs to.
    for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
      const path = join(dir, name);
      if (/\.(jsonl|json\.gz)$/.test(name) && (changedAt(path) ?? now) < before) rmSync(path, { force: true });
    }
  } catch {
    // There is no cache yet, or others take care of it.
  }
}

/** When a file was changed last; undefined where there is none. */
function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
