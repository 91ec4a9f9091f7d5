import { closeSync, futimesSync, lstatSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { SnapshotError } from "../errors/index.js";
import { optionObject, wording } from "../errors/wording.js";
import { checkRealDirectory } from "../fs/makeDirectory.js";
import { openPrivateFile } from "../fs/openPrivateFile.js";
import { DEFAULTS } from "../service/http/options.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { quoted } from "../util/quoted.js";
import type { IndexHeader } from "./line.js";
import { type RecordedDays, ResponseStore } from "./responseStore.js";
import type { Usable } from "./retrievals.js";
import { noSnapshot } from "./snapshotErrors.js";
import { cacheDirectory, type StorageOptions } from "./snapshotOptions.js";
import { type SnapshotUse, snapshotRequester } from "./snapshotRequester.js";
import { checkStoreDirectory } from "./storeDirectory.js";

/** An open snapshot or cache: a requester that replays and stores responses. */
export interface OpenSnapshot extends Service {
  readonly requester: Requester;
  /** Of a replay: when its responses were recorded. */
  readonly recorded: RecordedDays | undefined;
  close(): void;
}

/**
 * Opens the snapshot or the cache of a client.
 *
 * @param service the service; undefined for a replay, which reads it from the snapshot
 * @param maxBodyBytes maximum size of a stored body that is read
 * @throws SnapshotError `NO_SNAPSHOT`, `OTHER_SERVICE` or `SNAPSHOT_DAMAGED`; FileError `UNSAFE_PATH` if responses would be stored in
 * another user's directory
 */
export function openSnapshot(
  storage: StorageOptions,
  service: (Omit<Service, "snapshot"> & { readonly requester: Requester }) | undefined,
  redact: (text: string) => string,
  maxBodyBytes: number,
  now: () => number = Date.now,
): OpenSnapshot {
  const dir = storage.kind === "snapshot" ? storage.dir : cacheDirectory(storage.dir, service?.source ?? "");
  if (storage.kind === "cache") pruneCache(dir, storage.maxAge, now());
  const store = new ResponseStore(dir, { service, now, maxBodyBytes });
  const mustBeThere = storage.kind === "snapshot" && (storage.mode === "replay" || storage.mode === "refresh");
  const origin = service ?? store.newest;
  if (origin === undefined || (mustBeThere && store.newest === undefined)) throw noSnapshot(dir);
  if (store.newest !== undefined && store.newest.source !== origin.source)
    throw otherService(dir, store.newest.source, origin.source);
  const use: SnapshotUse = {
    usable: usableFor(storage, now),
    // In mode auto and in a cache a refused request is sent again: it may succeed now.
    replayRefusals: storage.kind === "snapshot" && storage.mode !== "auto",
    cached: storage.kind === "cache",
    requester: service?.requester,
    redact,
  };
  const { baseUrl, source } = origin;
  const snapshot = storage.kind === "snapshot" ? dir : null;
  const recorded = service === undefined ? store.days : undefined;
  return { requester: snapshotRequester(store, use), baseUrl, source, snapshot, recorded, close: () => store.close() };
}

/**
 * Opens a snapshot to inspect its content.
 *
 * @throws SnapshotError `NO_SNAPSHOT` or `SNAPSHOT_DAMAGED`
 */
export function openForReading(dir: string): ResponseStore & { readonly newest: IndexHeader } {
  const { maxBodyBytes } = DEFAULTS;
  const store = new ResponseStore(dir, { service: undefined, now: Date.now, maxBodyBytes });
  if (store.newest === undefined) throw noSnapshot(dir);
  return store as ResponseStore & { newest: IndexHeader };
}

/** A cache does not use responses that are too old or dated in the future. */
function usableFor(storage: StorageOptions, now: () => number): Usable {
  if (storage.kind === "cache") {
    return ({ begunAt }) => {
      const age = now() - Date.parse(begunAt);
      return age >= 0 && age <= storage.maxAge * 1000;
    };
  }
  // Both modes use only the responses that this client stored.
  const usesOwnOnly = storage.mode === "record" || storage.mode === "refresh";
  return usesOwnOnly ? ({ own }) => own : () => true;
}

function otherService(dir: string, recorded: string, requested: string): SnapshotError {
  return new SnapshotError(
    `the snapshot in ${dir} was recorded from ${quoted(recorded)}, but the client uses ${quoted(requested)}.`,
    {
      code: "OTHER_SERVICE",
      hint: wording`Use another directory, connect to the same service, or replay without sending requests: ${optionObject("snapshot", { mode: "replay" })}.`,
      path: dir,
    },
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Younger responses stay: another program may use a larger `maxAge`. */
const MIN_AGE_MS = 30 * DAY_MS;

/**
 * Deletes responses from a cache that are older than both `maxAge` and 30 days, or dated in the future. Runs once a day and ignores errors.
 * Deletes only regular files in the directories of the cache itself.
 *
 * @param maxAge seconds
 * @param now milliseconds since 1970
 */
export function pruneCache(dir: string, maxAge: number, now: number): void {
  const oldest = now - Math.max(maxAge * 1000, MIN_AGE_MS);
  try {
    checkStoreDirectory(dir);
    if (!isDue(join(dir, "pruned"), now)) return;
    prune(join(dir, "index"), /\.jsonl$/, oldest, now);
    for (const name of subdirectories(join(dir, "bodies")))
      prune(join(dir, "bodies", name), /\.json\.gz$/, oldest, now);
  } catch {
    // There is no cache yet, another user owns it, or another process is pruning it.
  }
}

/** Whether a day has passed since the last run, which is the modification time of a marker file. */
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

/** Modification times tell the age: an index changes with each response, and a body is rewritten with each response that uses it. */
function prune(directory: string, pattern: RegExp, oldest: number, now: number): void {
  checkStoreDirectory(directory);
  const latest = Math.max(now, Date.now()) + DAY_MS;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!pattern.test(name) || !stats?.isFile()) continue;
    if (stats.mtimeMs < oldest || stats.mtimeMs > latest) unlinkSync(path);
  }
}

function subdirectories(directory: string): string[] {
  checkRealDirectory(directory);
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
