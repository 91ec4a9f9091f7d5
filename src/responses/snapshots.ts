import type { ArchiveError } from "../errors/index.js";
import { userPath } from "../fs/userPath.js";
import { DEFAULTS } from "../service/http/options.js";
import { groupBy } from "../util/groupBy.js";
import { readBody } from "./bodies.js";
import type { ResponseLine } from "./log.js";
import { damaged, logNames, noSnapshot, openLog, ResponseStore } from "./responseStore.js";

export type SnapshotInfo = ReturnType<typeof snapshotInfo>;

/**
 * Summarizes a snapshot without reading its bodies; {@link verifySnapshot} checks those.
 *
 * @throws ArchiveError `NO_SNAPSHOT`, or `SNAPSHOT_DAMAGED` if a line was changed
 */
export function snapshotInfo(dir: string) {
  const path = userPath("snapshot dir", dir, "study/");
  const { newest, responses } = new ResponseStore(path, { kind: "snapshot", now: Date.now, maxBodyBytes: 0 });
  if (newest === undefined) throw noSnapshot(path);
  const times = responses.map(({ receivedAt }) => receivedAt).sort();
  const requests = [...new Set(responses.map(({ get }) => get))].sort();
  const pages = groupBy(requests.map(withoutPaging), (search) => search);
  return {
    dir,
    source: newest.source,
    baseUrl: newest.baseUrl,
    firstResponseAt: times[0] ?? null,
    lastResponseAt: times.at(-1) ?? null,
    /** Different requests. */
    responses: requests.length,
    /** Each search and lookup. */
    searches: [...pages].map(([search, { length }]) => ({ search, pages: length })),
  };
}

/** The search without its paging parameters: `/mentions?query=climate`. */
function withoutPaging(get: string): string {
  const { pathname, searchParams } = new URL(get, "http://localhost");
  for (const name of ["cursor", "page", "limit"]) searchParams.delete(name);
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}

/** The result of verifying a snapshot. */
export interface SnapshotCheck {
  /** Whether nothing is damaged or missing. */
  readonly ok: boolean;
  /** Responses checked. */
  readonly responses: number;
  /** Different bodies checked. */
  readonly bodies: number;
  /** The problems; each error names its file. */
  readonly problems: readonly ArchiveError[];
  /** Files whose last line was cut off because their process was killed. No used response is missing. */
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
  const names = logNames(path);
  if (names.length === 0) throw noSnapshot(path);
  const problems: ArchiveError[] = [];
  const torn: string[] = [];
  const responses: ResponseLine[] = [];
  for (const name of names) {
    try {
      const log = openLog(path, name);
      if (log.torn) torn.push(name);
      responses.push(...log.entries.filter((entry) => "get" in entry));
    } catch (error) {
      problems.push(error as ArchiveError);
    }
  }
  const bodies = new Map(responses.map((line) => [line.sha256, line]));
  for (const line of bodies.values())
    await readBody(path, line, DEFAULTS.maxBodyBytes).catch((error) => problems.push(damaged(path, line, error)));
  return { ok: problems.length === 0, responses: responses.length, bodies: bodies.size, problems, torn };
}
