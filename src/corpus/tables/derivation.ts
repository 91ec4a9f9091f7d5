import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "../../errors/index.js";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";
import { groupBy } from "../../util/groupBy.js";
import { isObject } from "../../util/isObject.js";
import { type Compacted, isCompactedPath } from "../raw/compacted.js";
import type { Landing, RawFile } from "../raw/landing.js";
import type { Round } from "../raw/rounds.js";
import { parquetFile } from "./parquetFile.js";
import { type RawSchema, unionSchema } from "./tableColumns.js";
import { tableFile } from "./tablePaths.js";
import { filesOfUses, inTime, type Place, type Use, useKey, usesOf } from "./uses.js";

/** What has to be derived: a function of `raw/`, and of the tables that are there. */
export interface Derivation {
  /** The months whose landings have changed: `year=2024/month=03`. */
  readonly months: readonly string[];
  readonly uses: ReadonlyMap<string, readonly Use[]>;
  /** Ids with rows in several months: their time has changed. */
  readonly shared: ReadonlyMap<string, readonly string[]>;
  /** The columns of mentions in all files, so that all months have the same. */
  readonly schema: ReadonlyMap<string, string>;
  readonly roundDays: ReadonlyMap<number, string>;
  /** The uses that the tables were derived from already, and their order by when they had been seen last. */
  readonly before: ReadonlyMap<string, number>;
  /** Mentions that had vanished before. */
  readonly vanished: ReadonlySet<string>;
  /** Raw files that were checked. */
  readonly checked: Set<string>;
  /** Months in which searches have other texts of a mention: which one was seen last matters. Found while deriving. */
  readonly contested: Set<string>;
  readonly state: State;
}

/** What the tables were derived from: `work/state.json`. Without it, all months are derived again. */
export interface State {
  readonly version: 3;
  readonly months: Readonly<Record<string, MonthState>>;
  readonly shared: Readonly<Record<string, readonly string[]>>;
}

interface MonthState {
  /** The keys of its uses, and when they were seen last. */
  readonly files: Readonly<Record<string, Place>>;
  /** What else of the landings matters. */
  readonly uses: string;
  /** In which order they were seen last; only a contested month depends on it. */
  readonly ends: string | null;
}

const STATE = "work/state.json";
const MAX_BYTES = 2 ** 28;

/** Finds the months whose landings have changed, and the mentions that are in several months. */
export function planDerivation(
  dir: string,
  landings: readonly Landing[],
  rounds: readonly Round[],
  isRoundComplete: boolean,
  compacted: Compacted,
): Derivation {
  const openRound = isRoundComplete ? Number.POSITIVE_INFINITY : (rounds.at(-1)?.round ?? Number.POSITIVE_INFINITY);
  const uses = groupBy(usesOf(landings, openRound, compacted), ({ partition }) => partition);
  const schema = unionSchema(landings.flatMap(({ files }) => files.map((file) => file.schema)));
  const old = readState(dir);
  const checked = new Set<string>();
  const shared = sharedIds(dir, checked, uses, old);
  const bySharing = groupBy(
    [...shared].flatMap(([id, months]) => months.map((month) => [id, month] as const)),
    ([, month]) => month,
  );
  const usesHash = (all: readonly Use[]) =>
    hashOf([[...schema], all.map((use) => [useKey(use), use.gone, use.covers])]);
  const own = new Map([...uses].map(([month, all]) => [month, usesHash(all)]));
  const months = [...uses].map(([month, all]): [string, MonthState] => {
    const ids = (bySharing.get(month) ?? []).map(([id]) => id).sort();
    const others = [...new Set([month, ...ids.flatMap((id) => shared.get(id) as string[])])].sort();
    const files = Object.fromEntries(all.map((use) => [useKey(use), use.seen.at(-1) as Place]));
    const together = others.flatMap((other) => uses.get(other) as Use[]).sort((a, b) => a.end - b.end);
    return [
      month,
      { files, uses: hashOf([ids, others.map((other) => own.get(other))]), ends: hashOf(together.map(useKey)) },
    ];
  });
  const state: State = {
    version: 3,
    months: Object.fromEntries(months.sort(([a], [b]) => byCodeUnit(a, b))),
    shared: Object.fromEntries(shared),
  };
  const isDone = ([month, { uses, ends }]: [string, MonthState]) => {
    const known = old.months[month];
    const isSame = known?.uses === uses && (known.ends === null || known.ends === ends);
    return isSame && existsSync(join(dir, tableFile("mentions", month)));
  };
  const open = Object.entries(state.months)
    .filter((month) => !isDone(month))
    .map(([month]) => month);
  const known = Object.values(old.months).flatMap(({ files }) => Object.entries(files));
  return {
    months: open,
    uses,
    shared,
    schema,
    roundDays: new Map(rounds.map(({ round, day }) => [round, day])),
    before: new Map(known.sort(([, a], [, b]) => inTime(a, b)).map(([key], at) => [key, at])),
    vanished: vanishedIds(dir, open),
    checked,
    contested: new Set(Object.keys(old.months).filter((month) => old.months[month]?.ends && !open.includes(month))),
    state,
  };
}

/** Records that all months were derived. */
export function finishDerivation(dir: string, { state, contested }: Pick<Derivation, "state" | "contested">): void {
  const months = Object.entries(state.months).map(([name, month]) => [
    name,
    { ...month, ends: contested.has(name) ? month.ends : null },
  ]);
  writeFileAtomic(join(dir, STATE), JSON.stringify({ ...state, months: Object.fromEntries(months) }), 0o600);
}

export function readState(dir: string): State {
  try {
    const state: unknown = JSON.parse(readReceivedFile(dir, STATE, MAX_BYTES).toString());
    if (isObject(state) && state.version === 3 && isObject(state.months) && isObject(state.shared))
      return state as unknown as State;
  } catch {
    // Everything is derived again.
  }
  return { version: 3, months: {}, shared: {} };
}

export const KEY = "~id";
export const MONTH = "~month";
/** The file of a row, or the key of its use if it was compacted. */
export const PATH = "~path";

export function pathOf(dir: string, use: Use): string {
  return use.compacted ? useKey(use) : join(dir, use.path);
}

/** The id as text, as it was sent. Compacted rows have it as a column. */
export const SENT_ID = "~sent_id";
const IDS = pl.col("id").cast(pl.String).alias(SENT_ID);
const HAS_SENT_ID = pl.col(SENT_ID);
const MONTHS = pl.col(MONTH);
const IS_SHARED = pl.col("~count").gt(pl.lit(1));
const COUNT = pl.len().alias("~count");
const HAS_ID = HAS_SENT_ID.isNotNull().and(HAS_SENT_ID.neq(pl.lit("")));

/** Ids in more than one month. Only new files can have new ones. */
function sharedIds(
  dir: string,
  checked: Set<string>,
  uses: ReadonlyMap<string, readonly Use[]>,
  old: State,
): Map<string, readonly string[]> {
  const shared = new Map(Object.entries(old.shared).filter(([, months]) => months.every((month) => uses.has(month))));
  const all = [...uses.values()].flat();
  const added = all.filter((use) => !(useKey(use) in (old.months[use.partition]?.files ?? {})));
  if (uses.size < 2 || added.length === 0) return shared;
  const paths = pl.DataFrame({
    [PATH]: all.map((use) => pathOf(dir, use)),
    [MONTH]: all.map(({ partition }) => partition),
  });
  const idsOf = (some: readonly Use[]) => {
    const scans = scansOf(dir, checked, filesOfUses(some), PATH).map(({ scan, sentId }) => scan.select(sentId, PATH));
    return pl.concat(scans).filter(HAS_ID);
  };
  const some =
    added.length === all.length
      ? idsOf(all)
      : idsOf(all).join(idsOf(added).select(SENT_ID).unique(), { on: SENT_ID, how: "semi" });
  const months = some.join(paths.lazy(), { on: PATH, how: "inner" }).select(SENT_ID, MONTH).unique();
  const several = months.groupBy(SENT_ID).agg(COUNT, MONTHS).filter(IS_SHARED).collectSync() as PolarsFrame;
  for (const [id, , own] of several.rows() as Array<[string, number, string[]]>)
    shared.set(id, [...new Set([...(shared.get(id) ?? []), ...own])].sort());
  return new Map([...shared].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** Scans of files, one for each schema: polars takes files together that have the same columns. */
export function scansOf(
  dir: string,
  checked: Set<string>,
  files: readonly RawFile[],
  pathColumn?: string,
): Array<{ readonly scan: LazyFrame; readonly schema: RawSchema; readonly sentId: pl.Expr }> {
  const groups = groupBy(files, ({ path, schema }) => JSON.stringify([isCompactedPath(path), schema]));
  return [...groups.values()].map((group) => {
    const [first] = group as [RawFile];
    const { schema } = first;
    const isCompacted = isCompactedPath(first.path);
    for (const { path } of group) {
      if (!checked.has(path)) checkRawFile(dir, path);
      checked.add(path);
    }
    const paths = group.map((file) => join(dir, file.path));
    // Compacted rows say themselves of which file they are.
    const scan = scanParquetFiles(paths, isCompacted ? undefined : pathColumn);
    return { scan, schema, sentId: isCompacted ? HAS_SENT_ID : IDS };
  });
}

/** @throws FileError that says what to restore or to fetch again */
function checkRawFile(dir: string, path: string): void {
  try {
    parquetFile(dir, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const restore = "Restore it from a copy of the corpus";
    const [, window] = /-([\da-f]{16})-[\da-f]{16}\.parquet$/.exec(path) ?? [];
    const again = `, or fetch its window again: delete raw/landed/*-${window}.json, then build`;
    throw new FileError(`${path} is missing: the tables are made from it.`, {
      code: "FILE_ERROR",
      hint: `${restore}${window === undefined ? "" : again}.`,
      path: join(dir, path),
      cause: error,
    });
  }
}

const IS_VANISHED = pl.col("vanished").isNotNull();

function vanishedIds(dir: string, months: readonly string[]): Set<string> {
  const paths = months.map((month) => tableFile("mentions", month)).filter((path) => existsSync(join(dir, path)));
  const found = paths.map((path) =>
    scanParquetFiles([parquetFile(dir, path)])
      .filter(IS_VANISHED)
      .select("id"),
  );
  return new Set(found.flatMap((lazy) => (lazy.collectSync() as PolarsFrame).getColumn("id").toArray() as string[]));
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
