import { byCodeUnit } from "../../util/byCodeUnit.js";
import { isObject } from "../../util/isObject.js";
import { isDay } from "../definition/days.js";
import type { CorpusStorage } from "./storage.js";

/** The manifests of all landings. */
const LANDED = "raw/landed";

/** A Parquet file of rows as the service sent them, immutable. */
export interface RawFile {
  /** `raw/year=2024/month=03/<search>-<window>-<hash>.parquet` */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Names and dtypes of its columns. */
  readonly schema: ReadonlyArray<readonly [name: string, dtype: string]>;
}

/** The month of a file: `year=2024/month=03`. */
export function partitionOf({ path }: Pick<RawFile, "path">): string {
  return RAW_PATH.exec(path)?.[1] as string;
}

/** A finished window: what was asked, and the files with its rows. The file of a landing is written after those of its rows. */
export interface Landing {
  readonly version: 1;
  /** The hash of what was asked: parameters and days. See `Window`. */
  readonly window: string;
  /** The name of the window, for people: `2024-03`. */
  readonly name: string;
  /** The id of the search. */
  readonly search: string;
  /** Parameters of the requests. */
  readonly parameters: Readonly<Record<string, string>>;
  /** First and last day that were asked; null if not limited. */
  readonly mindate: string | null;
  readonly maxdate: string | null;
  /** The refresh that asked for it; 0 for a build. */
  readonly round: number;
  /** Times of the first and the last response: ISO 8601, UTC. */
  readonly first: string;
  readonly last: string;
  /** Requests for these rows, without retries. */
  readonly requests: number;
  readonly rows: number;
  /** Why the rows are complete, but not shown to be: "ends not confirmed", "not shown to be stable"; or null. */
  readonly reason: string | null;
  /** Rows without id, and further rows with the id of another one. */
  readonly withoutId: number;
  readonly repeatedIds: number;
  readonly files: readonly RawFile[];
}

/** The path of a manifest. A window lands once in each round. */
export function landingPath({ window, round }: Pick<Landing, "window" | "round">): string {
  return `${LANDED}/${String(round).padStart(4, "0")}-${window}.json`;
}

/** A window that was fetched, and where its files are on this machine: a local path by the path in the corpus. */
export interface FetchedWindow {
  readonly landing: Landing;
  readonly local: ReadonlyMap<string, string>;
}

/** Puts a window into a storage: first its rows, then its manifest. May be repeated. */
export async function landWindow(storage: CorpusStorage, { landing, local }: FetchedWindow): Promise<void> {
  for (const [path, file] of local) await storage.put(path, { file });
  await storage.put(landingPath(landing), JSON.stringify(landing));
}

const MAX_BYTES = 2 ** 26;
const RAW_PATH =
  /^raw\/(year=(?:[+-]?\d{4,6}|__HIVE_DEFAULT_PARTITION__)\/month=(?:\d\d|__HIVE_DEFAULT_PARTITION__))\/[\da-f]{12}-[\da-f]{16}-[\da-f]{16}\.parquet$/;

/** All landings in order: by round, then by the time of their last response. What is not a landing is left out. */
export async function readLandings(storage: CorpusStorage): Promise<Landing[]> {
  const landings: Landing[] = [];
  for (const path of await storage.list(LANDED)) {
    const landing = parseLanding(await storage.read(path, MAX_BYTES).catch(() => undefined));
    if (landing !== undefined && landingPath(landing) === path) landings.push(landing);
  }
  return landings.sort((a, b) => a.round - b.round || byCodeUnit(a.last, b.last) || byCodeUnit(a.window, b.window));
}

/** A manifest, which somebody else may have written; undefined if it is none. */
export function parseLanding(bytes: Buffer | undefined): Landing | undefined {
  try {
    const value: unknown = JSON.parse(String(bytes));
    return isLanding(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLanding(value: unknown): value is Landing {
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.files) || !isObject(value.parameters))
    return false;
  const { window, search, name, mindate, maxdate, round, first, last, requests, rows, withoutId, repeatedIds } = value;
  return (
    /^[\da-f]{16}$/.test(String(window)) &&
    /^[\da-f]{12}$/.test(String(search)) &&
    typeof name === "string" &&
    [mindate, maxdate].every((day) => day === null || isDay(day)) &&
    [round, requests, rows, withoutId, repeatedIds].every(
      (count) => Number.isSafeInteger(count) && Number(count) >= 0,
    ) &&
    [first, last].every((time) => typeof time === "string" && !Number.isNaN(Date.parse(time))) &&
    value.files.every((file) => isRawFile(file, RAW_PATH))
  );
}

export function isRawFile(value: unknown, pattern: RegExp): value is RawFile {
  if (!isObject(value) || !pattern.test(String(value.path)) || !Array.isArray(value.schema)) return false;
  const isColumn = (one: unknown) =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === "string");
  return typeof value.rows === "number" && /^[\da-f]{64}$/.test(String(value.sha256)) && value.schema.every(isColumn);
}
