import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { ValidationError } from "../errors/index.js";
import { checkedOptions, invalid, nonEmptyString, nonNegativeNumber, oneOf } from "../errors/validators.js";
import { isObject } from "../util/isObject.js";

/**
 * What a snapshot does with a request. "record" asks the service, once for each request of a client, and stores the answer;
 * "refresh" does the same, but only where there is a snapshot; "auto" replays what is there, asks for the rest and stores it;
 * "replay" never asks. Of several answers to a request the newest counts.
 */
export type SnapshotMode = "record" | "replay" | "auto" | "refresh";

/** The option `snapshot` of a client. */
export interface SnapshotOptions {
  /** The folder of the snapshot. It is made where it is not there, but not for a replay. */
  dir: string;
  /** Which answers are used, and whether the service is asked. Default "auto". */
  mode?: SnapshotMode | undefined;
}

/** The option `cache` of a client. Answers older than `maxAge` and a month are removed from it. */
export interface CacheOptions {
  /** Seconds for which an answer is good enough, from when it came; 0 for none, `Infinity` for any. */
  maxAge: number;
  /** The folder of the cache. Default: `archive-frames` in the cache folder of the user. */
  dir?: string | undefined;
}

/** Where answers are kept, and which of them are used, after checking. */
export type StorageOptions =
  | { readonly kind: "snapshot"; readonly dir: string; readonly mode: SnapshotMode }
  | { readonly kind: "cache"; readonly dir: string | undefined; readonly maxAge: number };

const MODES: readonly SnapshotMode[] = ["record", "replay", "auto", "refresh"];

/**
 * Checks the options `snapshot` and `cache` of a client.
 *
 * @returns undefined where neither is given
 * @throws ValidationError
 */
export function checkStorageOptions(snapshot: unknown, cache: unknown): StorageOptions | undefined {
  if (snapshot !== undefined && cache !== undefined) {
    const hint = "Give one of them: a snapshot keeps what a study is made of, a cache saves requests for some time.";
    throw new ValidationError("invalid cache: there is a snapshot too.", { hint, parameter: "cache" });
  }
  if (snapshot !== undefined) {
    const { dir, mode } = checkedObject("snapshot", snapshot, ["dir", "mode"], '{ dir: "study/" }');
    const checked = mode === undefined ? "auto" : oneOf("snapshot mode", mode, MODES);
    return { kind: "snapshot", dir: folder("snapshot dir", dir, "study/"), mode: checked };
  }
  if (cache === undefined) return undefined;
  const { maxAge, dir } = checkedObject("cache", cache, ["maxAge", "dir"], "{ maxAge: 3600 }");
  return {
    kind: "cache",
    dir: dir === undefined ? undefined : folder("cache dir", dir, ".cache/"),
    maxAge: maxAge === Number.POSITIVE_INFINITY ? maxAge : nonNegativeNumber("cache maxAge", maxAge, 3600, "seconds"),
  };
}

/**
 * The snapshot that an environment names: `ARCHIVE_SNAPSHOT` its folder, `ARCHIVE_SNAPSHOT_MODE` its mode.
 *
 * @throws ValidationError where there is a mode, and no folder: a replay never asks, and without it would
 */
export function snapshotOf(env: NodeJS.ProcessEnv): SnapshotOptions | undefined {
  const { ARCHIVE_SNAPSHOT: dir, ARCHIVE_SNAPSHOT_MODE: mode } = env;
  if (!dir) {
    if (!mode) return undefined;
    const hint = "Name the folder of the snapshot in ARCHIVE_SNAPSHOT (--snapshot), or leave the mode out.";
    throw new ValidationError("invalid ARCHIVE_SNAPSHOT_MODE: there is no snapshot.", {
      hint,
      parameter: "ARCHIVE_SNAPSHOT_MODE",
    });
  }
  return mode ? { dir, mode: oneOf("ARCHIVE_SNAPSHOT_MODE", mode, MODES) } : { dir };
}

/** The folder of a cache of what a service answers: each has its own. */
export function cacheFolder(dir: string | undefined, source: string, env: NodeJS.ProcessEnv = process.env): string {
  const own = createHash("sha256").update(source).digest("hex").slice(0, 16);
  return join(dir ?? join(env.XDG_CACHE_HOME || userCache(env), "archive-frames"), own);
}

function userCache(env: NodeJS.ProcessEnv): string {
  if (process.platform === "win32") return env.LOCALAPPDATA || join(homedir(), "AppData", "Local");
  return process.platform === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
}

function checkedObject(name: string, value: unknown, known: readonly string[], example: string) {
  if (!isObject(value)) throw invalid(name, value, `Give an object, for example ${name}: ${example}.`);
  return checkedOptions(value, known, `option of ${name}`);
}

function folder(name: string, value: unknown, example: string): string {
  const path = nonEmptyString(name, value, example);
  if (path.includes("\0")) throw invalid(name, value, `Give the path of a folder, for example ${name}: "${example}".`);
  return path;
}
