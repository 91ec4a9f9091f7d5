import { openForReading } from "./openSnapshot.js";
import { searchesOf } from "./storedSearches.js";

/** The contents of a snapshot. */
export interface SnapshotInfo {
  /** Directory of the snapshot. */
  readonly dir: string;
  /** The recorded service: its address, or "embedded archive, seed 1". */
  readonly source: string;
  /** Address of the recorded service. */
  readonly baseUrl: string;
  /** When the oldest response arrived: ISO 8601, UTC; null without responses. */
  readonly firstResponseAt: string | null;
  /** When the newest response arrived: ISO 8601, UTC; null without responses. */
  readonly lastResponseAt: string | null;
  /** Responses that a replay uses. */
  readonly responses: number;
  /** Responses that a replay does not use: newer ones replaced them, or their run was interrupted. */
  readonly replaced: number;
  /** Bytes of the bodies, as received. */
  readonly bytes: number;
  /** Bytes of the bodies on disk, compressed. */
  readonly storedBytes: number;
  /** Each search and lookup, with its number of pages. */
  readonly searches: ReadonlyArray<{ readonly search: string; readonly pages: number }>;
}

/**
 * Summarizes a snapshot. Bodies are not read: {@link verifySnapshot} does that.
 *
 * @param dir directory of the snapshot
 * @throws SnapshotError `NO_SNAPSHOT`, or `SNAPSHOT_DAMAGED` if a line was changed
 * @example
 * snapshotInfo("study/").source; //=> "embedded archive, seed 1"
 */
export function snapshotInfo(dir: string): SnapshotInfo {
  const store = openForReading(dir);
  const { newest, files } = store;
  const searches = searchesOf(store);
  const responses = searches.flatMap(({ pages }) => pages);
  // A retrieval that continues another one repeats its first lines.
  const recorded = files.flatMap((file) => file.responses);
  const times = responses.map(({ receivedAt }) => receivedAt).sort();
  return {
    dir,
    source: newest.source,
    baseUrl: newest.baseUrl,
    firstResponseAt: times[0] ?? null,
    lastResponseAt: times.at(-1) ?? null,
    responses: responses.length,
    replaced: new Set(recorded.map(({ get, receivedAt }) => `${receivedAt} ${get}`)).size - responses.length,
    bytes: responses.reduce((sum, { bytes }) => sum + bytes, 0),
    storedBytes: store.storedBytes(responses),
    searches: searches.map(({ search, pages }) => ({ search, pages: pages.length })),
  };
}
