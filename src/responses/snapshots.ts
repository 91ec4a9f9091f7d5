import { lstatSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { userPath } from "../fs/userPath.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { groupBy } from "../util/groupBy.js";
import { escaped, quoted } from "../util/quoted.js";
import { cacheDirectory, type StorageOptions } from "./options.js";
import { ResponseStore } from "./store.js";
import { storedRequester } from "./storedRequester.js";

/** The UTC days on which responses were recorded: yyyy-mm-dd. */
export interface RecordedDays {
  readonly first: string;
  readonly last: string;
}

/** An open snapshot or cache: a requester that replays and stores responses. */
export interface OpenSnapshot extends Service {
  readonly requester: Requester;
  /** For a replay: when its responses were recorded. */
  readonly recorded: RecordedDays | undefined;
  close(): void;
}

export function openSnapshot(
  storage: StorageOptions,
  service: (Omit<Service, "snapshot"> & { readonly requester: Requester }) | undefined,
  redact: (text: string) => string,
  now: () => number = Date.now,
): OpenSnapshot {
  const { kind } = storage;
  const dir = kind === "snapshot" ? storage.dir : cacheDirectory(storage.dir, service?.source ?? "");
  const isCache = kind === "cache";
  if (isCache) pruneCache(dir, storage.maxAge, now());
  const use = isCache ? { maxAge: storage.maxAge } : { recordsAgain: storage.mode === "record" };
  const store = new ResponseStore(dir, { kind, service, now, ...use });
  const { baseUrl, source } = service ?? store.newest ?? noSnapshot(dir);
  if (!isCache && store.newest !== undefined && store.newest.source !== source)
    throw otherService(dir, store.newest.source, source);
  const requester = storedRequester(store, service?.requester, redact);
  const [first, last] = service === undefined ? period(store).map((time) => time?.slice(0, 10)) : [];
  return {
    ...{ requester, baseUrl, source, snapshot: isCache ? null : dir },
    recorded: first === undefined || last === undefined ? undefined : { first, last },
    close: () => Object.assign(store, { isClosed: true }),
  };
}

/** The times of the first and the last response. */
function period({ responses }: ResponseStore): [first: string | undefined, last: string | undefined] {
  const times = responses.map(({ receivedAt }) => receivedAt).sort();
  return [times[0], times.at(-1)];
}

/** Younger files stay: another program may use a larger `maxAge`. */
const MIN_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Deletes the files of a cache that are older than both `maxAge` and 30 days. */
function pruneCache(dir: string, maxAge: number, now: number): void {
  const oldest = now - Math.max(maxAge * 1000, MIN_AGE_MS);
  try {
    for (const { name, parentPath } of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const stats = lstatSync(join(parentPath, name));
      if (stats.isFile() && stats.mtimeMs < oldest) unlinkSync(join(parentPath, name));
    }
  } catch {
    // It is not there or not writable, or another process is pruning it.
  }
}

/** What a snapshot contains, and whether it is intact. */
export interface SnapshotCheck {
  /** Whether nothing is damaged or missing. */
  readonly ok: boolean;
  /** The recorded service; null if no log can be read. */
  readonly source: string | null;
  /** When the first response arrived: ISO 8601, UTC; null without one. */
  readonly firstResponseAt: string | null;
  /** When the last response arrived. */
  readonly lastResponseAt: string | null;
  /** Responses stored. */
  readonly responses: number;
  /** Different bodies. */
  readonly bodies: number;
  /** Each search and lookup, for example `/mentions?query=climate`, with its number of different pages. */
  readonly searches: ReadonlyArray<{ readonly search: string; readonly pages: number }>;
  /** The problems; each error names its file. */
  readonly problems: readonly ArchiveError[];
}

/**
 * Summarizes a snapshot, and verifies that its logs can be read and that each body has its hash.
 *
 * @param dir directory of the snapshot
 * @throws ArchiveError `NO_SNAPSHOT`; other problems are returned in `problems`
 * @example
 * (await verifySnapshot("study/")).ok; //=> true
 */
export async function verifySnapshot(dir: string): Promise<SnapshotCheck> {
  const problems: ArchiveError[] = [];
  const path = userPath("snapshot dir", dir, "study/");
  const store = new ResponseStore(path, { kind: "snapshot", now: Date.now, onDamage: (error) => problems.push(error) });
  const { newest, responses, requests } = store;
  if (problems.length === 0 && newest === undefined) noSnapshot(path);
  const bodies = new Map(responses.map((line) => [line.sha256, line]));
  for (const line of bodies.values()) await store.readBody(line).catch((error) => problems.push(error));
  const [firstResponseAt = null, lastResponseAt = null] = period(store);
  const pages = groupBy(requests.sort().map(withoutPaging), (search) => search);
  return {
    ...{
      ok: problems.length === 0,
      source: newest ? escaped(newest.source, 400) : null,
      firstResponseAt,
      lastResponseAt,
    },
    ...{ responses: responses.length, bodies: bodies.size },
    searches: [...pages].map(([search, { length }]) => ({ search, pages: length })),
    problems,
  };
}

/** A search without its paging parameters. */
function withoutPaging(get: string): string {
  const { pathname, searchParams } = new URL(get, "http://localhost");
  for (const name of ["cursor", "page", "limit"]) searchParams.delete(name);
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}

function noSnapshot(dir: string): never {
  const hint = `Check the path, or record one: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "record" } }.`;
  throw new ArchiveError(`there is no snapshot in ${dir}.`, { code: "NO_SNAPSHOT", hint, path: dir });
}

function otherService(dir: string, recorded: string, requested: string): ArchiveError {
  const message = `the snapshot in ${dir} was recorded from ${quoted(recorded)}, but the client uses ${quoted(requested)}.`;
  const hint =
    'Use another directory, connect to the same service, or replay without sending requests: { snapshot: { mode: "replay" } }.';
  return new ArchiveError(message, { code: "OTHER_SERVICE", hint, path: dir });
}
