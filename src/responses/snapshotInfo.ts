import { byCodeUnit } from "../util/byCodeUnit.js";
import { sum } from "../util/sum.js";
import { openForReading } from "./openSnapshot.js";

/** The contents of a snapshot. */
export interface SnapshotInfo {
  /** Directory of the snapshot. */
  readonly dir: string;
  /** The recorded service: its URL, or "embedded archive, seed 1". */
  readonly source: string;
  /** URL of the recorded service. */
  readonly baseUrl: string;
  /** When the oldest response arrived: ISO 8601, UTC; null without responses. */
  readonly firstResponseAt: string | null;
  /** When the newest response arrived: ISO 8601, UTC; null without responses. */
  readonly lastResponseAt: string | null;
  /** Requests with a stored response. */
  readonly responses: number;
  /** Older responses to the same requests. A replay uses them if the newer ones are from an interrupted run. */
  readonly replaced: number;
  /** Bytes of the bodies as received. */
  readonly bytes: number;
  /** Bytes of the compressed bodies on disk. */
  readonly storedBytes: number;
  /** Each search and lookup, with its number of pages. */
  readonly searches: ReadonlyArray<{ readonly search: string; readonly pages: number }>;
}

/**
 * Summarizes a snapshot without reading its bodies; {@link verifySnapshot} checks those.
 *
 * @param dir directory of the snapshot
 * @throws SnapshotError `NO_SNAPSHOT`, or `SNAPSHOT_DAMAGED` if a line was changed
 * @example
 * snapshotInfo("study/").source; //=> "embedded archive, seed 1"
 */
export function snapshotInfo(dir: string): SnapshotInfo {
  const store = openForReading(dir);
  const { newest, files } = store;
  const recorded = files.flatMap((file) => file.responses);
  const newestLast = recorded.toSorted((a, b) => byCodeUnit(a.receivedAt, b.receivedAt));
  const responses = [...new Map(newestLast.map((response) => [response.get, response])).values()];
  const times = responses.map(({ receivedAt }) => receivedAt).sort();
  const pages = new Map<string, number>();
  for (const search of responses.map(({ get }) => withoutPaging(get)).sort())
    pages.set(search, (pages.get(search) ?? 0) + 1);
  return {
    dir,
    source: newest.source,
    baseUrl: newest.baseUrl,
    firstResponseAt: times[0] ?? null,
    lastResponseAt: times.at(-1) ?? null,
    responses: responses.length,
    // A retrieval that continues another one repeats its first lines.
    replaced: new Set(recorded.map(({ get, receivedAt }) => `${receivedAt} ${get}`)).size - responses.length,
    bytes: sum(responses.map(({ bytes }) => bytes)),
    storedBytes: store.storedBytes(responses),
    searches: [...pages].map(([search, pages]) => ({ search, pages })),
  };
}

/** The search without its paging parameters: `/mentions?query=climate`. */
function withoutPaging(get: string): string {
  const { pathname, searchParams } = new URL(get, "http://x");
  for (const name of ["cursor", "page", "limit"]) searchParams.delete(name);
  const query = searchParams.toString();
  return query === "" ? pathname : `${pathname}?${query}`;
}
