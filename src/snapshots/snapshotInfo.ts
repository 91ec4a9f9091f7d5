import { lstatSync } from "node:fs";
import { join } from "node:path";
import { openForReading } from "./openForReading.js";
import { searchesOf } from "./storedSearches.js";

/** What is in a snapshot. */
export interface SnapshotInfo {
  readonly dir: string;
  /** What answered, and where: see `Provenance.source`. */
  readonly source: string;
  readonly baseUrl: string;
  /** When the oldest and the newest of its answers came: ISO 8601, UTC; null where it holds none. */
  readonly firstResponseAt: string | null;
  readonly lastResponseAt: string | null;
  /** Requests that it answers. */
  readonly answers: number;
  /** Answers that are not used: newer ones have taken their place, or they are of a retrieval that was interrupted. */
  readonly replaced: number;
  /** Bytes of the bodies as they were received, and as they lie on the disk. */
  readonly bytes: number;
  readonly storedBytes: number;
  /** Each client that has stored something, in the order of time. */
  readonly retrievals: ReadonlyArray<{
    readonly file: string;
    readonly begunAt: string;
    readonly version: string;
    readonly answers: number;
  }>;
  /** What was searched or looked up, and in how many pages it came. */
  readonly searches: ReadonlyArray<{ readonly search: string; readonly pages: number }>;
}

/**
 * What is in a snapshot. Bodies are not read: {@link verifySnapshot} does that.
 *
 * @param dir its folder
 * @throws SnapshotError `NO_SNAPSHOT`, or `SNAPSHOT_DAMAGED` where an index was changed
 * @example
 * snapshotInfo("study/").source; //=> "embedded archive, seed 1"
 */
export function snapshotInfo(dir: string): SnapshotInfo {
  const store = openForReading(dir);
  const { newest, indexes } = store;
  const searches = searchesOf(store);
  const answers = searches.flatMap(({ pages }) => pages);
  const times = answers.map(({ receivedAt }) => receivedAt).sort();
  const files = new Set(answers.map(({ file }) => file));
  return {
    dir,
    source: newest.source,
    baseUrl: newest.baseUrl,
    firstResponseAt: times[0] ?? null,
    lastResponseAt: times.at(-1) ?? null,
    answers: answers.length,
    replaced: indexes.reduce((sum, index) => sum + index.answers.length, 0) - answers.length,
    bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0),
    storedBytes: [...files].reduce((sum, file) => sum + sizeOf(join(dir, file)), 0),
    retrievals: indexes.map(({ file, retrieval: { begunAt, version }, answers: { length } }) => ({
      file,
      begunAt,
      version,
      answers: length,
    })),
    searches: searches.map(({ search, pages }) => ({ search, pages: pages.length })),
  };
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path).size;
  } catch {
    return 0;
  }
}
