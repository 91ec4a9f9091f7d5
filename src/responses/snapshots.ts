import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { userPath } from "../fs/userPath.js";
import { DEFAULTS } from "../service/http/options.js";
import { byCodeUnit } from "../util/byCodeUnit.js";
import { sum } from "../util/sum.js";
import { damaged, noSnapshot, ResponseStore, readPacked, readStoredFile, storedFileNames } from "./responseStore.js";

/** The contents of a snapshot. */
export interface SnapshotInfo {
  /** Directory of the snapshot. */
  readonly dir: string;
  /** The recorded service: its URL, or "embedded archive 3f2a9c1b". */
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
 * @throws ArchiveError `NO_SNAPSHOT`, or `SNAPSHOT_DAMAGED` if a line was changed
 * @example
 * snapshotInfo("study/").source; //=> "embedded archive 3f2a9c1b"
 */
export function snapshotInfo(dir: string): SnapshotInfo {
  const { maxBodyBytes } = DEFAULTS;
  const path = userPath("snapshot dir", dir, "study/");
  const store = new ResponseStore(path, { service: undefined, now: Date.now, maxBodyBytes });
  const { newest, files } = store;
  if (newest === undefined) throw noSnapshot(path);
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

/** The result of verifying a snapshot. */
export interface SnapshotCheck {
  /** Whether nothing is damaged or missing. */
  readonly ok: boolean;
  /** Responses checked. */
  readonly responses: number;
  /** Bodies checked. */
  readonly bodies: number;
  /** The problems found; each error names its file. */
  readonly problems: readonly ArchiveError[];
  /** Files whose last entry was cut off because their process was killed. No used response is missing. */
  readonly torn: readonly string[];
}

/**
 * Verifies every byte of a snapshot against its checksums.
 *
 * @param dir directory of the snapshot
 * @throws ArchiveError `NO_SNAPSHOT`; other problems are returned in `problems`
 * @example
 * (await verifySnapshot("study/")).ok; //=> true
 */
export async function verifySnapshot(dir: string): Promise<SnapshotCheck> {
  const path = userPath("snapshot dir", dir, "study/");
  const names = storedFileNames(path);
  if (names.length === 0) throw noSnapshot(path);
  const problems: ArchiveError[] = [];
  const checked = <T>(check: () => T): T[] => {
    try {
      return [check()];
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      problems.push(error);
      return [];
    }
  };
  const files = names.flatMap((name) => checked(() => readStoredFile(path, name)));
  const bodies = files.flatMap((file) => file.bodies);
  for (const body of bodies) checked(() => readPacked(path, body));
  const known = new Set(bodies.map(({ line }) => line.sha256));
  for (const { file, responses } of files) {
    if (responses.some(({ sha256 }) => !known.has(sha256)))
      problems.push(damaged(join(path, file), "a body is missing"));
  }
  return {
    ok: problems.length === 0,
    responses: sum(files.map(({ responses }) => responses.length)),
    bodies: bodies.length,
    problems,
    torn: files.filter(({ torn }) => torn).map(({ file }) => file),
  };
}
