import { join } from "node:path";
import { ArchiveError } from "../errors/index.js";
import { userPath } from "../fs/paths.js";
import type { Requester } from "../service/http/requester.js";
import type { Service } from "../service/paging/provenanceRecorder.js";
import { sha256Of } from "../util/hash.js";
import { quoted } from "../util/text.js";
import type { StorageOptions } from "./options.js";
import { ResponseStore } from "./store.js";
import { storedRequester } from "./storedRequester.js";

/** An open snapshot or cache: a requester that replays and stores responses. */
export interface OpenSnapshot extends Service {
  readonly requester: Requester;
  /** For a replay: the UTC days on which its responses were recorded, yyyy-mm-dd. */
  readonly recorded: { readonly first: string; readonly last: string } | undefined;
  close(): void;
}

export function openSnapshot(
  storage: StorageOptions,
  service: (Omit<Service, "snapshot"> & { readonly requester: Requester }) | undefined,
  redact: (text: string) => string,
): OpenSnapshot {
  const isCache = storage.kind === "cache";
  const dir = isCache ? join(storage.dir, sha256Of(service?.source ?? "").slice(0, 16)) : storage.dir;
  const store = new ResponseStore(dir, { ...storage, service });
  const [damage] = store.damage;
  if (!isCache && damage !== undefined) throw damage;
  const { baseUrl, source } = service ?? store.latestService ?? throwNoSnapshot(dir);
  if (!isCache && store.latestService !== undefined && store.latestService.source !== source)
    throw otherServiceError(dir, store.latestService.source, source);
  const days = service ? [] : store.responses.map(({ receivedAt }) => receivedAt.slice(0, 10)).sort();
  const [first, last] = [days[0], days.at(-1)];
  return {
    requester: storedRequester(store, service?.requester, redact),
    baseUrl,
    source,
    snapshot: isCache ? null : dir,
    recorded: first && last ? { first, last } : undefined,
    close: () => {
      store.isClosed = true;
    },
  };
}

/**
 * Verifies the files of a snapshot against their hashes.
 *
 * @returns an error for each damaged or missing file
 * @throws ArchiveError `NO_SNAPSHOT`
 * @example
 * await verifySnapshot("study/"); //=> []
 */
export async function verifySnapshot(dir: string): Promise<ArchiveError[]> {
  const path = userPath("snapshot dir", dir, "study/");
  const store = new ResponseStore(path, { kind: "snapshot" });
  const { latestService, responses, damage: problems } = store;
  if (problems.length === 0 && latestService === undefined) throwNoSnapshot(path);
  for (const line of new Map(responses.map((each) => [each.sha256, each])).values())
    await store.read(line).catch((error) => problems.push(error));
  return problems;
}

function throwNoSnapshot(dir: string): never {
  const hint = `Check the path, or record one: { snapshot: { dir: ${quoted(dir, 1000)}, mode: "record" } }.`;
  throw new ArchiveError(`there is no snapshot in ${dir}.`, { code: "NO_SNAPSHOT", hint, path: dir });
}

function otherServiceError(dir: string, recorded: string, requested: string): ArchiveError {
  const message = `the snapshot in ${dir} was recorded from ${quoted(recorded)}, but the client uses ${quoted(requested)}.`;
  const replay = `{ snapshot: { dir: ${quoted(dir, 1000)}, mode: "replay" } }`;
  const hint = `Use another directory, connect to the same service, or replay without sending requests: ${replay}.`;
  return new ArchiveError(message, { code: "OTHER_SERVICE", hint, path: dir });
}
