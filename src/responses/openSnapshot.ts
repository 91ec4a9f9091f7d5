import { lstatSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { quoted } from "../util/quoted.js";
import { noSnapshot, type RecordedDays, ResponseStore, storedFileNames } from "./responseStore.js";
import type { Usable } from "./retrievals.js";
import { cacheDirectory, type StorageOptions } from "./snapshotOptions.js";
import { type SnapshotUse, snapshotRequester } from "./snapshotRequester.js";

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
    // Mode auto and caches send a refused request again: it may succeed now.
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

/** A cache ignores responses that are too old or dated in the future. */
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

function otherService(dir: string, recorded: string, requested: string): ArchiveError {
  return new ArchiveError(
    `the snapshot in ${dir} was recorded from ${quoted(recorded)}, but the client uses ${quoted(requested)}.`,
    {
      code: "OTHER_SERVICE",
      hint: 'Use another directory, connect to the same service, or replay without sending requests: { snapshot: { mode: "replay" } }.',
      path: dir,
    },
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Younger responses stay: another program may use a larger `maxAge`. */
const MIN_AGE_MS = 30 * DAY_MS;

/**
 * Deletes cached responses that are older than both `maxAge` and 30 days, or dated in the future. Deletes only regular files of the
 * cache itself, and ignores errors.
 */
export function pruneCache(dir: string, maxAge: number, now: number): void {
  const oldest = now - Math.max(maxAge * 1000, MIN_AGE_MS);
  const latest = Math.max(now, Date.now()) + DAY_MS;
  try {
    for (const path of storedFileNames(dir).map((name) => join(dir, name))) {
      // Each response updates the mtime of its file.
      const { mtimeMs } = lstatSync(path);
      if (mtimeMs < oldest || mtimeMs > latest) unlinkSync(path);
    }
  } catch {
    // It is not writable, or another process is pruning it.
  }
}
