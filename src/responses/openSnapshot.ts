import { ArchiveError } from "../errors/index.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { quoted } from "../util/quoted.js";
import { pruneCache } from "./pruneCache.js";
import { noSnapshot, ResponseStore } from "./responseStore.js";
import type { Run } from "./run.js";
import { cacheDirectory, type StorageOptions } from "./snapshotOptions.js";
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
  maxBodyBytes: number,
  now: () => number = Date.now,
): OpenSnapshot {
  const { kind } = storage;
  const dir = kind === "snapshot" ? storage.dir : cacheDirectory(storage.dir, service?.source ?? "");
  if (kind === "cache") pruneCache(dir, storage.maxAge, now());
  const store = new ResponseStore(dir, { kind, service, now, maxBodyBytes });
  const { newest } = store;
  const { baseUrl, source } = service ?? newest ?? { baseUrl: "", source: "" };
  if (service === undefined && newest === undefined) throw noSnapshot(dir);
  if (kind === "snapshot" && newest !== undefined && newest.source !== source)
    throw otherService(dir, newest.source, source);
  const isYoung = ({ first }: Run, maxAge: number) => {
    const age = now() - Date.parse(first?.receivedAt ?? "");
    return age >= 0 && age <= maxAge * 1000;
  };
  const requester = storedRequester(store, {
    isUsable: (run) => (kind === "cache" ? isYoung(run, storage.maxAge) : storage.mode !== "record" || run.isOurs),
    requester: service?.requester,
    redact,
  });
  const days = service === undefined ? store.responses.map(({ receivedAt }) => receivedAt.slice(0, 10)).sort() : [];
  const recorded = days[0] === undefined ? undefined : { first: days[0], last: days.at(-1) as string };
  const snapshot = kind === "snapshot" ? dir : null;
  return { requester, baseUrl, source, snapshot, recorded, close: () => Object.assign(store, { isClosed: true }) };
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
