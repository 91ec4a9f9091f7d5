import { SnapshotError } from "../errors/index.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { quoted } from "../util/quoted.js";
import { noSnapshot } from "./openForReading.js";
import { pruneCache } from "./pruneCache.js";
import { cacheFolder, type StorageOptions } from "./snapshotOptions.js";
import { type SnapshotUse, snapshotRequester } from "./snapshotRequester.js";
import { SnapshotStore } from "./snapshotStore.js";
import type { Usable } from "./storedWalk.js";

/** Answers that are kept, in front of a service. */
export interface OpenSnapshot extends Service {
  readonly requester: Requester;
  close(): void;
}

/**
 * Opens the snapshot or the cache of a client.
 *
 * @param service what answers; undefined for a replay, which takes from the snapshot what answered then
 * @param maxBodyBytes a larger stored body is not read
 * @throws SnapshotError `NO_SNAPSHOT`, `OTHER_SERVICE` or `SNAPSHOT_DAMAGED`; FileError `UNSAFE_PATH` where answers would be stored in a
 * folder of another user
 */
export function openSnapshot(
  keeping: StorageOptions,
  service: (Omit<Service, "snapshot"> & { readonly requester: Requester }) | undefined,
  redact: (text: string) => string,
  maxBodyBytes: number,
  now: () => number = Date.now,
): OpenSnapshot {
  const dir = keeping.kind === "snapshot" ? keeping.dir : cacheFolder(keeping.dir, service?.source ?? "");
  if (keeping.kind === "cache") pruneCache(dir, keeping.maxAge, now());
  const store = new SnapshotStore(dir, { service, now, maxBodyBytes });
  const mustBeThere = keeping.kind === "snapshot" && (keeping.mode === "replay" || keeping.mode === "refresh");
  const answers = service ?? store.newest;
  if (answers === undefined || (mustBeThere && store.newest === undefined)) throw noSnapshot(dir);
  if (store.newest !== undefined && store.newest.source !== answers.source)
    throw otherService(dir, store.newest.source, answers.source);
  const use: SnapshotUse = {
    usable: usableIn(keeping, now),
    // What was refused then may be given now; a recording asks once for each request of a client.
    refusals: keeping.kind === "snapshot" && keeping.mode !== "auto",
    cached: keeping.kind === "cache",
    requester: service?.requester,
    redact,
  };
  const { baseUrl, source } = answers;
  const snapshot = keeping.kind === "snapshot" ? dir : null;
  return { requester: snapshotRequester(store, use), baseUrl, source, snapshot, close: () => store.close() };
}

/** What is older than a cache allows, or from a time to come, is asked for again. */
function usableIn(keeping: StorageOptions, now: () => number): Usable {
  if (keeping.kind === "cache") {
    return ({ begunAt, noted }) => {
      const age = now() - Date.parse(begunAt);
      return noted && age >= 0 && age <= keeping.maxAge * 1000;
    };
  }
  // What this client has asked itself it has.
  const anew = keeping.mode === "record" || keeping.mode === "refresh";
  return anew ? ({ own }) => own : () => true;
}

function otherService(dir: string, known: string, asked: string): SnapshotError {
  return new SnapshotError(`the snapshot in ${dir} is of ${quoted(known)}, and what is asked is ${quoted(asked)}.`, {
    code: "OTHER_SERVICE",
    hint: 'Give another dir, ask the same service, or replay it without asking: mode: "replay".',
    path: dir,
  });
}
