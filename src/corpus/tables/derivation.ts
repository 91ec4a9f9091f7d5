import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";
import { isObject } from "../../util/isObject.js";
import { addDays } from "../definition/addDays.js";
import { compare, type Landing, partitionOf, type RawFile } from "../raw/landing.js";
import type { Round } from "../raw/rounds.js";
import { parquetFile } from "./parquetFile.js";
import { type RawSchema, unionSchema } from "./tableColumns.js";
import { tableFile } from "./tablePaths.js";

/** A file of rows, as one landing or several after one another had it. */
export interface Use extends RawFile {
  readonly partition: string;
  readonly search: string;
  /** The name of the window. */
  readonly window: string;
  /** First and last day that were asked. */
  readonly mindate: string | null;
  readonly maxdate: string | null;
  /** The round of the first of these landings, and the time of its last response. */
  readonly round: number;
  readonly at: number;
  /** The place of its rows among all: by round, then by response. */
  readonly order: number;
  /** The first later round that asked for all of its days, and did not find these rows. */
  readonly gone: number | null;
  /** Days that earlier rounds asked for: what they did not find is gone as well. */
  readonly covers: ReadonlyArray<readonly [mindate: string | null, maxdate: string | null, round: number]>;
}

/** The same rows may come back in a later round: a use of their own. */
export function useKey({ round, path }: Use): string {
  return `${round} ${path}`;
}

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
  /** The keys of uses that the tables were derived from already, by month. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Mentions that had vanished before. */
  readonly vanished: ReadonlySet<string>;
  readonly state: State;
}

/** What the tables were derived from: `work/state.json`. Without it, all months are derived again. */
interface State {
  readonly version: 2;
  readonly months: Readonly<Record<string, MonthState>>;
  readonly shared: Readonly<Record<string, readonly string[]>>;
}

interface MonthState {
  /** The keys of its uses, and what else of the landings matters. */
  readonly files: readonly string[];
  readonly uses: string;
}

const STATE = "work/state.json";
const MAX_BYTES = 2 ** 28;

/** Finds the months whose landings have changed, and the mentions that are in several months. */
export function planDerivation(
  dir: string,
  landings: readonly Landing[],
  rounds: readonly Round[],
  isRoundComplete: boolean,
): Derivation {
  const uses = usesByMonth(
    landings,
    isRoundComplete ? Number.POSITIVE_INFINITY : (rounds.at(-1)?.round ?? Number.POSITIVE_INFINITY),
  );
  const schema = unionSchema(landings.flatMap(({ files }) => files.map((file) => file.schema)));
  const old = readState(dir);
  const shared = sharedIds(dir, uses, old);
  const bySharing = new Map<string, string[]>();
  for (const [id, months] of shared)
    for (const month of months) bySharing.set(month, [...(bySharing.get(month) ?? []), id]);
  const own = new Map(
    [...uses].map(([month, all]) => [
      month,
      hashOf([[...schema], all.map(({ path, round, gone, covers }) => [path, round, gone, covers])]),
    ]),
  );
  const states = [...uses].map(([month, all]): [string, MonthState] => {
    const ids = (bySharing.get(month) ?? []).sort();
    const others = [...new Set(ids.flatMap((id) => shared.get(id) as string[]))].sort();
    const uses = hashOf([own.get(month), ids, others.map((other) => own.get(other))]);
    return [month, { files: all.map(useKey), uses }];
  });
  const state: State = {
    version: 2,
    months: Object.fromEntries(states.sort(([a], [b]) => compare(a, b))),
    shared: Object.fromEntries(shared),
  };
  const isDone = (month: string) =>
    old.months[month]?.uses === state.months[month]?.uses && existsSync(join(dir, tableFile("mentions", month)));
  const months = Object.keys(state.months).filter((month) => !isDone(month));
  return {
    months,
    uses,
    shared,
    schema,
    roundDays: new Map(rounds.map(({ round, day }) => [round, day])),
    before: new Map(months.map((month) => [month, new Set(old.months[month]?.files)])),
    vanished: vanishedIds(dir, months),
    state,
  };
}

/** Records that all months were derived. */
export function finishDerivation(dir: string, { state, months }: Derivation): void {
  if (months.length > 0 || !existsSync(join(dir, STATE)))
    writeFileAtomic(join(dir, STATE), JSON.stringify(state), 0o600);
}

function readState(dir: string): State {
  try {
    const state: unknown = JSON.parse(readReceivedFile(dir, STATE, MAX_BYTES).toString());
    if (isObject(state) && state.version === 2 && isObject(state.months) && isObject(state.shared))
      return state as unknown as State;
  } catch {
    // Everything is derived again.
  }
  return { version: 2, months: {}, shared: {} };
}

/** The files of each month, as their landings had them. */
function usesByMonth(landings: readonly Landing[], openRound: number): Map<string, Use[]> {
  const isLater = overlapping(landings);
  const uses: SeenUse[] = [];
  const last = new Map<string, Map<string, SeenUse>>();
  for (const landing of landings) {
    const known = last.get(landing.window);
    const now = new Map<string, SeenUse>();
    for (const file of landing.files) {
      // The same rows as in the landing before.
      const use = known?.get(file.path) ?? newUse(landing, file);
      if (use.landing === landing) uses.push(use);
      else use.seen.push(landing);
      now.set(file.path, Object.assign(use, { landing }));
    }
    last.set(landing.window, now);
  }
  uses.push(...[...groupBy(uses, ({ partition }) => partition).values()].flatMap(seenAgain));
  uses.sort((a, b) => inTime(a, b) || compare(a.path, b.path));
  const months = new Map<string, Use[]>();
  for (const [order, use] of uses.entries()) {
    const { landing, seen: _seen, ...rest } = use;
    const later = isLater(landing).filter(({ round }) => round !== openRound);
    months.set(use.partition, [...(months.get(use.partition) ?? []), { ...rest, order, ...goneOf(landing, later) }]);
  }
  return months;
}

/** A use with its last landing, and all of them. */
type SeenUse = Use & { landing: Landing; readonly seen: Landing[] };

const inTime = (a: Pick<Use, "round" | "at">, b: Pick<Use, "round" | "at">) => a.round - b.round || a.at - b.at;

/**
 * Uses whose rows were found again after another search had found newer ones in a later round: the latest response has the text. They
 * take a place of their own after these.
 *
 * @param uses those of a month
 */
function seenAgain(uses: readonly SeenUse[]): SeenUse[] {
  const again: SeenUse[] = [];
  const lastOf = ({ landing: { round, last } }: SeenUse) => ({ round, at: Date.parse(last) });
  // The newest one so far, and the newest of another search.
  let [top, other]: Array<SeenUse | undefined> = [];
  for (let use of [...uses].sort((a, b) => inTime(lastOf(a), lastOf(b)) || compare(a.path, b.path))) {
    const before = top?.search === use.search ? other : top;
    if (before !== undefined && before.round > use.round) {
      const places = use.seen.map(({ round, last }) => ({ round, at: Date.parse(last) }));
      const place = places.find((one) => inTime(one, before) > 0);
      if (place !== undefined) {
        use = { ...use, ...place };
        again.push(use);
      }
    }
    if (top === undefined || inTime(use, top) > 0) {
      if (top?.search !== use.search) other = top;
      top = use;
    } else if (top.search !== use.search && (other === undefined || inTime(use, other) > 0)) other = use;
  }
  return again;
}

function newUse(landing: Landing, file: RawFile): SeenUse {
  const { search, name: window, mindate, maxdate, round, last } = landing;
  const place = { partition: partitionOf(file), search, window, mindate, maxdate, round, at: Date.parse(last) };
  return { ...file, ...place, order: 0, gone: null, covers: [], landing, seen: [landing] };
}

/** Gives the later landings of the same search that asked for a day of a landing. */
function overlapping(landings: readonly Landing[]): (landing: Landing) => readonly Landing[] {
  const byWindow = groupBy(landings, ({ window }) => window);
  const neighbors = new Map<string, Landing[]>([...byWindow].map(([window, own]) => [window, [...own]]));
  for (const ofSearch of groupBy(landings, ({ search }) => search).values()) {
    // One of each window, by first day: those that are open when another begins overlap with it.
    const spans = [...new Map(ofSearch.map((landing) => [landing.window, landing])).values()];
    let open: Landing[] = [];
    for (const span of spans.sort((a, b) => compare(firstOf(a), firstOf(b)))) {
      open = open.filter((one) => lastOf(one) >= firstOf(span));
      for (const one of open) {
        neighbors.get(one.window)?.push(...(byWindow.get(span.window) ?? []));
        neighbors.get(span.window)?.push(...(byWindow.get(one.window) ?? []));
      }
      open.push(span);
    }
  }
  return ({ window, round }) => (neighbors.get(window) ?? []).filter((other) => other.round > round);
}

const firstOf = ({ mindate }: Pick<Landing, "mindate">) => mindate ?? "0000-01-01";
const lastOf = ({ maxdate }: Pick<Landing, "maxdate">) => maxdate ?? "9999-12-31";

/** Since when the rows of a landing are gone, unless they were found again. */
function goneOf(landing: Landing, later: readonly Landing[]): Pick<Use, "gone" | "covers"> {
  const rounds = [...groupBy(later, ({ round }) => round)].sort(([a], [b]) => a - b);
  const gone = rounds.find(([, spans]) => covers(spans, landing))?.[0] ?? null;
  const parts = rounds.filter(([round]) => gone === null || round < gone);
  return {
    gone,
    covers: parts.flatMap(([round, spans]) => spans.map(({ mindate, maxdate }) => [mindate, maxdate, round] as const)),
  };
}

/** Whether spans of days have every day of another. */
function covers(spans: readonly Landing[], whole: Landing): boolean {
  let from = firstOf(whole);
  for (const span of [...spans].sort((a, b) => compare(firstOf(a), firstOf(b)))) {
    if (firstOf(span) > from) return false;
    if (lastOf(span) >= lastOf(whole)) return true;
    if (lastOf(span) >= from) from = addDays(lastOf(span), 1);
  }
  return false;
}

export const KEY = "~id";
const IDS = pl.col("id").cast(pl.String).alias(KEY);
const COUNT = pl.len().alias("~count");
const IS_SHARED = pl.col("~count").gt(pl.lit(1));

/** Ids in more than one month. Only months with new files can have new ones. */
function sharedIds(dir: string, uses: ReadonlyMap<string, readonly Use[]>, old: State): Map<string, readonly string[]> {
  const shared = new Map(Object.entries(old.shared).filter(([, months]) => months.every((month) => uses.has(month))));
  if (uses.size < 2) return shared;
  const idsOf = (files: readonly RawFile[]) => {
    const scans = scansOf(dir, files).map(({ scan }) => scan.select(IDS));
    return (scans.length === 1 ? (scans[0] as LazyFrame) : pl.concat(scans)).unique();
  };
  const added = new Map<string, PolarsFrame>();
  for (const [month, all] of uses) {
    const known = new Set(old.months[month]?.files);
    const [before, now] = [true, false].map((isKnown) => all.filter((use) => known.has(useKey(use)) === isKnown)) as [
      Use[],
      Use[],
    ];
    if (now.length === 0) continue;
    const ids = before.length === 0 ? idsOf(now) : idsOf(now).join(idsOf(before), { on: KEY, how: "anti" });
    const frame = ids.collectSync() as PolarsFrame;
    if (frame.height > 0) added.set(month, frame);
  }
  if (added.size === 0) return shared;
  const news = pl.concat([...added.values()], { how: "diagonal" }).unique();
  const places = [...uses].map(([month, all]): [string, PolarsFrame] => {
    const isNew = old.months[month] === undefined;
    const lazy = isNew ? added.get(month)?.lazy() : idsOf(all).join(news.lazy(), { on: KEY, how: "semi" });
    return [month, (lazy ?? news.head(0).lazy()).collectSync() as PolarsFrame];
  });
  const several = pl
    .concat(
      places.map(([, ids]) => ids),
      { how: "diagonal" },
    )
    .groupBy(KEY)
    .agg(COUNT)
    .filter(IS_SHARED)
    .select(KEY);
  if (several.height === 0) return shared;
  for (const [month, ids] of places)
    for (const id of ids.join(several, { on: KEY, how: "semi" }).getColumn(KEY).toArray() as Array<string | null>)
      if (id !== null && id !== "") shared.set(id, [...new Set([...(shared.get(id) ?? []), month])].sort());
  return new Map([...shared].sort(([a], [b]) => compare(a, b)));
}

/** Scans of files, one for each schema: polars takes files together that have the same columns. */
export function scansOf<T extends RawFile>(
  dir: string,
  files: readonly T[],
  pathColumn?: string,
): Array<{ readonly scan: LazyFrame; readonly schema: RawSchema }> {
  return [...groupBy(files, ({ schema }) => JSON.stringify(schema)).values()].map((group) => ({
    scan: scanParquetFiles([...new Set(group.map(({ path }) => parquetFile(dir, path)))], pathColumn),
    schema: (group[0] as T).schema,
  }));
}

export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
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
