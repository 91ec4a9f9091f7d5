import { join } from "node:path";
import type { ArchiveError } from "../errors/index.js";
import { statOf } from "../fs/statOf.js";
import { userPath } from "../fs/userPath.js";
import { DEFAULTS } from "../service/http/options.js";
import { byCodeUnit } from "../util/byCodeUnit.js";
import { sum } from "../util/sum.js";
import { bodyFile, readBody } from "./bodies.js";
import type { ResponseLine } from "./log.js";
import { damaged, logNames, noSnapshot, openLog, ResponseStore } from "./responseStore.js";

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
  const path = userPath("snapshot dir", dir, "study/");
  const store = new ResponseStore(path, { kind: "snapshot", service: undefined, now: Date.now, maxBodyBytes: 0 });
  const { newest } = store;
  if (newest === undefined) throw noSnapshot(path);
  const recorded = store.responses.sort((a, b) => byCodeUnit(a.receivedAt, b.receivedAt));
  const responses = [...new Map(recorded.map((response) => [response.get, response])).values()];
  const pages = new Map<string, number>();
  for (const search of responses.map(({ get }) => withoutPaging(get)).sort())
    pages.set(search, (pages.get(search) ?? 0) + 1);
  const bodies = [...new Set(responses.map((line) => join(path, bodyFile(line))))];
  return {
    dir,
    source: newest.source,
    baseUrl: newest.baseUrl,
    firstResponseAt: recorded[0]?.receivedAt ?? null,
    lastResponseAt: recorded.at(-1)?.receivedAt ?? null,
    responses: responses.length,
    // A run that continues another one repeats its lines.
    replaced: new Set(recorded.map(({ get, receivedAt }) => `${receivedAt} ${get}`)).size - responses.length,
    bytes: sum(responses.map(({ bytes }) => bytes)),
    storedBytes: sum(bodies.map((body) => statOf(body)?.size ?? 0)),
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
 * Verifies every line and every body of a snapshot against its checksum.
 *
 * @param dir directory of the snapshot
 * @throws ArchiveError `NO_SNAPSHOT`; other problems are returned in `problems`
 * @example
 * (await verifySnapshot("study/")).ok; //=> true
 */
export async function verifySnapshot(dir: string): Promise<SnapshotCheck> {
  const path = userPath("snapshot dir", dir, "study/");
  const problems: ArchiveError[] = [];
  const torn: string[] = [];
  const responses: ResponseLine[] = [];
  for (const name of logNames(path)) {
    try {
      const log = openLog(path, name);
      if (log.torn) torn.push(name);
      responses.push(...log.entries.filter((entry) => "get" in entry));
    } catch (error) {
      problems.push(error as ArchiveError);
    }
  }
  if (logNames(path).length === 0) throw noSnapshot(path);
  const bodies = new Map(responses.map((line) => [line.sha256, line]));
  for (const line of bodies.values()) {
    try {
      await readBody(path, line, DEFAULTS.maxBodyBytes);
    } catch (error) {
      problems.push(damaged(join(path, bodyFile(line)), error));
    }
  }
  return { ok: problems.length === 0, responses: responses.length, bodies: bodies.size, problems, torn };
}
