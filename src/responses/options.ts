import { homedir } from "node:os";
import { join } from "node:path";
import { checkedOptions, faulty, invalid, nonNegativeNumber, oneOf } from "../errors/validators.js";
import { userPath } from "../fs/paths.js";
import { isObject } from "../util/objects.js";

/**
 * "record" sends each request once per client and stores the response; "auto" replays stored responses, and requests and stores the others;
 * "replay" sends no requests.
 */
export type SnapshotMode = "record" | "replay" | "auto";

/** The option `snapshot` of a client. */
export interface SnapshotOptions {
  /** Directory of the snapshot, created if necessary. */
  dir: string;
  /** Default "auto". */
  mode?: SnapshotMode | undefined;
}

/** The option `cache` of a client. Delete its directory to free the disk. */
export interface CacheOptions {
  /** Maximum age of a reused response, in seconds; `Infinity` never expires. */
  maxAge: number;
  /** Directory of the cache. Default: `$XDG_CACHE_HOME/archive-frames`, or `~/.cache/archive-frames`. */
  dir?: string | undefined;
}

/** Where responses are stored. A cache has a directory for each service below this one. */
export interface StorageOptions {
  readonly kind: "snapshot" | "cache";
  readonly dir: string;
  readonly mode: SnapshotMode;
  readonly maxAge?: number;
}

export const SNAPSHOT_MODES: readonly SnapshotMode[] = ["record", "replay", "auto"];

export function checkStorageOptions(snapshot: unknown, cache: unknown): StorageOptions | undefined {
  if (snapshot !== undefined && cache !== undefined) {
    const hint = "Pass one of them: a snapshot archives the data of a study, a cache saves requests for some time.";
    throw faulty("cache", "`cache` and `snapshot` are mutually exclusive", hint);
  }
  if (snapshot !== undefined) {
    const { dir, mode = "auto" } = checkedObject("snapshot", snapshot, ["dir", "mode"], '{ dir: "study/" }');
    const checked = oneOf("snapshot mode", mode, SNAPSHOT_MODES);
    return { kind: "snapshot", dir: userPath("snapshot dir", dir, "study/"), mode: checked };
  }
  if (cache === undefined) return undefined;
  const standard = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "archive-frames");
  const { maxAge, dir = standard } = checkedObject("cache", cache, ["maxAge", "dir"], "{ maxAge: 3600 }");
  const seconds =
    maxAge === Number.POSITIVE_INFINITY ? maxAge : nonNegativeNumber("cache maxAge", maxAge, 3600, "seconds");
  return { kind: "cache", dir: userPath("cache dir", dir, ".cache/"), mode: "auto", maxAge: seconds };
}

/** Completes the option `snapshot` from `ARCHIVE_SNAPSHOT` (directory) and `ARCHIVE_SNAPSHOT_MODE`. */
export function snapshotFromEnvironment(env: NodeJS.ProcessEnv, option?: SnapshotOptions): SnapshotOptions | undefined {
  const { ARCHIVE_SNAPSHOT: dir, ARCHIVE_SNAPSHOT_MODE: mode } = env;
  const snapshot = option ?? (dir ? { dir } : undefined);
  if (!mode || (snapshot !== undefined && (!isObject(snapshot) || snapshot.mode != null))) return snapshot;
  if (snapshot) return { ...snapshot, mode: oneOf("ARCHIVE_SNAPSHOT_MODE", mode, SNAPSHOT_MODES) };
  const hint = "Set ARCHIVE_SNAPSHOT (--snapshot) to the directory of the snapshot, or omit the mode.";
  throw faulty("ARCHIVE_SNAPSHOT_MODE", "it requires a snapshot", hint);
}

function checkedObject(name: string, value: unknown, names: readonly string[], example: string) {
  if (!isObject(value)) throw invalid(name, value, `Pass an object, for example ${name}: ${example}.`);
  return checkedOptions(value, names, `option of ${name}`);
}
