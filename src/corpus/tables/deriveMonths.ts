import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PARQUET_OPTIONS } from "../../files/writers/columnarWriters.js";
import { numberedColumns, selectColumns } from "../../frames/frameColumns.js";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { toRecords } from "../../frames/toRecords.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { toFileError } from "../../fs/toFileError.js";
import { placeInside } from "../raw/storage.js";
import { type Derivation, KEY, scansOf, type Use, useKey } from "./derivation.js";
import { widening } from "./tableColumns.js";
import { tableFile, timeExpr } from "./tablePaths.js";

/** What a derivation has found, in mentions. */
export interface TableChanges {
  readonly added: number;
  readonly changed: number;
  readonly vanished: number;
  readonly returned: number;
}

/** Rows that are derived at a time. */
const MAX_ROWS = 120_000;

/**
 * Derives the tables of mentions and hits, month by month. They follow from `raw/` alone: deriving them again gives the same bytes.
 *
 * @param work a directory for unfinished files
 */
export async function deriveMonths(
  dir: string,
  work: string,
  derivation: Derivation,
  months: readonly string[] = derivation.months,
): Promise<TableChanges> {
  const changes = { added: 0, changed: 0, vanished: 0, returned: 0 };
  const shared = sharedRows(dir, derivation);
  for (const batch of batchesOf(months, derivation)) {
    const found = await new Batch(dir, work, derivation, batch, shared).derive();
    for (const name of ["added", "changed", "vanished", "returned"] as const) changes[name] += found[name];
  }
  return changes;
}

/** Months that are derived together, while they are small: a call of polars costs more than their rows. */
function* batchesOf(months: readonly string[], { uses }: Derivation): Generator<string[]> {
  let batch: string[] = [];
  let size = 0;
  for (const month of months) {
    const rows = (uses.get(month) ?? []).reduce((sum, use) => sum + use.rows, 0);
    if (batch.length > 0 && size + rows > MAX_ROWS / 2) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(month);
    size += rows;
  }
  if (batch.length > 0) yield batch;
}

// Columns that are not of the service begin with `~`. An expression takes about a millisecond and 300 KB to create.
const [PATH, MONTH, SEARCH, WINDOW, ORDER, ROUND, DAY, GONE, GONE_DAY, IS_NEW, HASH] = [
  ...["~path", "~month", "~search", "~window", "~order", "~round", "~day", "~gone", "~gone_day", "~new", "~hash"],
] as [string, string, string, string, string, string, string, string, string, string, string];
const col = pl.col;
const ID_TEXT = col("id").cast(pl.String).alias(KEY);
const HAS_NO_ID = col(KEY)
  .isNull()
  .or(col(KEY).eq(pl.lit("")));
const isSame = (name: string) => col(name).eq(col(name).shift(1));
const IS_SAME_KEY = isSame(MONTH).and(isSame(KEY)).fillNull(false);
const IS_SAME_HIT = IS_SAME_KEY.and(isSame(SEARCH)).fillNull(false);
const SAME_KEY = IS_SAME_KEY.alias("~same");
const SAME_HIT = IS_SAME_HIT.alias("~same");
const IS_FIRST = col("~same").not();
const LAST = col("~same").shift(-1).fillNull(false).not().alias("~last");
const IS_LAST = col("~last");
const BEFORE = col(HASH).alias("~before");
const IS_CHANGED = col("~before").neq(col(HASH));
const WAS_KNOWN = col(IS_NEW).eq(pl.lit(0));
const IS_OTHER = col(HASH).neq(col(HASH).shift(1));
const IS_CHANGE = col("~same").and(IS_OTHER);
const IS_REPEATED = IS_SAME_HIT.and(isSame(ROUND)).and(IS_OTHER).fillNull(false);
const TO_DAY = (name: string, as: string) => col(name).cast(pl.Int32).cast(pl.Date).alias(as);
const FIRST_SEEN = TO_DAY(DAY, "first_seen");
const CHANGED = TO_DAY(DAY, "changed");
const VANISHED = TO_DAY(GONE_DAY, "vanished");
const NO_DAY = pl.lit(null).cast(pl.Date);
const IS_ALL_GONE = col("live").eq(pl.lit(0));
const LIVE = [col("vanished").isNull().sum().alias("live"), col("vanished").max().alias("vanished")];
const TIMES = [false, true].map((isTime) => timeExpr(isTime).cast(pl.Datetime("us", "UTC")).alias("~time"));
const DAY_NUMBERS = TIMES.map((time) => time.cast(pl.Date).cast(pl.Int32).alias("~of_day"));
const ID_LENGTH = col(KEY).str.lengths().alias("~length");

/** Rows whose ids are in several months, by the month of their newest: their time has changed. */
function sharedRows(dir: string, derivation: Derivation): PolarsFrame | undefined {
  const { shared, uses } = derivation;
  if (shared.size === 0) return undefined;
  const files = [...new Set([...shared.values()].flat())].flatMap((month) => uses.get(month) ?? []);
  const ids = pl.DataFrame({ id: [...shared.keys()] }).lazy();
  const rows = rowsOf(dir, files, derivation, (scan) => scan.join(ids, { on: "id", how: "semi" }));
  const keyed = withKeys(rows, derivation, true);
  const newest = keyed
    .sort([KEY, ORDER])
    .unique({ subset: [KEY], keep: "last", maintainOrder: true })
    .select(KEY, MONTH);
  return (keyed.drop(MONTH) as PolarsFrame).join(newest, { on: KEY, how: "left" });
}

/** Reads files, and joins what their landings say. */
function rowsOf(
  dir: string,
  files: readonly Use[],
  { roundDays, before, schema }: Derivation,
  filter: (scan: LazyFrame) => LazyFrame,
): PolarsFrame {
  const scans = scansOf(dir, files, PATH).map(({ scan, schema: own }) =>
    filter(scan).withColumns(ID_TEXT, ...widening(own, schema)),
  );
  const dayOf = (round: number | null) => (round === null ? null : dayNumber(roundDays.get(round)));
  const numbers = (values: ReadonlyArray<number | null>) => pl.Series("", [...values], pl.Float64);
  const table = pl.DataFrame({
    [PATH]: files.map(({ path }) => join(dir, path)),
    [MONTH]: files.map(({ partition }) => partition),
    [SEARCH]: files.map(({ search }) => search),
    [WINDOW]: files.map(({ window }) => window),
    [ORDER]: numbers(files.map(({ order }) => order)),
    [ROUND]: numbers(files.map(({ round }) => round)),
    [DAY]: numbers(files.map(({ at }) => Math.floor(at / 86_400_000))),
    [GONE]: numbers(files.map(({ gone }) => gone)),
    [GONE_DAY]: numbers(files.map(({ gone }) => dayOf(gone))),
    [IS_NEW]: numbers(files.map((use) => (before.get(use.partition)?.has(useKey(use)) === false ? 1 : 0))),
  });
  const all = scans.length === 1 ? (scans[0] as LazyFrame) : pl.concat(scans, { how: "diagonal" });
  const frame = all.join(table.lazy(), { on: PATH, how: "inner" }).drop(PATH).collectSync() as PolarsFrame;
  return files.some(({ covers }) => covers.length > 0) ? withCovers(frame, files, schema, dayOf) : frame;
}

/** When rows are gone whose days later landings had only in part: day by day. The service may count days in another time zone. */
function withCovers(
  frame: PolarsFrame,
  files: readonly Use[],
  schema: ReadonlyMap<string, string>,
  dayOf: (round: number | null) => number | null,
): PolarsFrame {
  const byOrder = new Map(files.filter(({ covers }) => covers.length > 0).map((use) => [use.order, use]));
  const dated = frame.withColumns(DAY_NUMBERS[isTimestamp(schema) ? 1 : 0] as pl.Expr);
  const pairs = dated.select(ORDER, "~of_day").unique().rows() as Array<[number, number | null]>;
  const gone = pairs.map(([order, day]) => {
    const use = byOrder.get(order);
    return use === undefined ? null : goneOn(use, day);
  });
  const known = pairs.map(([order]) => byOrder.has(order));
  const table = pl.DataFrame({
    [ORDER]: pl.Series(
      ORDER,
      pairs.map(([order]) => order),
      pl.Float64,
    ),
    "~of_day": pl.Series(
      "~of_day",
      pairs.map(([, day]) => day),
      pl.Int32,
    ),
    "~known": known,
    "~part": pl.Series("", gone, pl.Float64),
    "~part_day": pl.Series("", gone.map(dayOf), pl.Float64),
  }) as PolarsFrame;
  const isKnown = col("~known").eq(pl.lit(true));
  return dated
    .withColumns(col("~of_day").fillNull(-1_000_000))
    .join(table.withColumns(col("~of_day").fillNull(-1_000_000)), { on: [ORDER, "~of_day"], how: "left" })
    .withColumns(
      pl.when(isKnown).then(col("~part")).otherwise(col(GONE)).alias(GONE),
      pl.when(isKnown).then(col("~part_day")).otherwise(col(GONE_DAY)).alias(GONE_DAY),
    )
    .drop("~of_day", "~known", "~part", "~part_day");
}

function dayNumber(day: string | null | undefined): number | null {
  return day === null || day === undefined ? null : Math.round(Date.parse(day) / 86_400_000);
}

/** The first round after which a row of this day is gone: the day before and the day after were asked, too. */
function goneOn({ gone, covers, mindate, maxdate }: Use, day: number | null): number | null {
  if (day === null) return gone;
  const first = dayNumber(mindate) ?? Number.NEGATIVE_INFINITY;
  const last = dayNumber(maxdate) ?? Number.POSITIVE_INFINITY;
  const near = [day - 1, day, day + 1].map((one) => Math.min(last, Math.max(first, one)));
  const rounds = near.map((one) => {
    const asked = covers.filter(([from, to]) => (dayNumber(from) ?? one) <= one && one <= (dayNumber(to) ?? one));
    return Math.min(gone ?? Number.POSITIVE_INFINITY, ...asked.map(([, , round]) => round));
  });
  const all = Math.max(...rounds);
  return Number.isFinite(all) ? all : null;
}

function isTimestamp(schema: ReadonlyMap<string, string>): boolean {
  return schema.get("begintime")?.startsWith("Datetime") === true;
}

/**
 * The rows with the ids that they have in the tables, and the hash of their content. A mention without id gets one from its content. If one
 * response has an id for several contents, each is a mention of its own: `17`, `17#2`.
 *
 * @param areMixed whether rows of different months are compared
 */
function withKeys(rows: PolarsFrame, { schema }: Derivation, areMixed: boolean): PolarsFrame {
  const names = [...schema.keys()];
  const hashed = rows.withColumns(
    pl
      .struct(names.map((name) => col(name)))
      .hash(1, 2, 3, 4)
      .alias(HASH),
  );
  const months = areMixed ? hashed.withColumns(pl.lit("").alias(MONTH)) : hashed;
  const sorted = months.sort([MONTH, SEARCH, KEY, ORDER, HASH]);
  const odd = sorted.filter(IS_REPEATED.or(HAS_NO_ID));
  if (odd.height === 0) return hashed;
  const repeated = new Set(odd.getColumn(KEY).toArray() as Array<string | null>);
  const isOdd = pl.Series(
    "~odd",
    (hashed.getColumn(KEY).toArray() as Array<string | null>).map((id) => repeated.has(id) || id === null || id === ""),
    pl.Bool,
  );
  const marked = hashed.withColumns(isOdd);
  const others = marked.filter(col("~odd").not()).drop("~odd");
  const own = marked.filter(col("~odd")).drop("~odd").sort([ORDER]);
  const contents = toRecords(selectColumns(own, names)).map((row) =>
    createHash("sha256")
      .update(JSON.stringify(row, (_name, value) => (typeof value === "bigint" ? `${value}` : value)))
      .digest("hex"),
  );
  const ids = own.getColumn(KEY).toArray() as Array<string | null>;
  const orders = own.getColumn(ORDER).toArray() as number[];
  const ranked = ids.map((id, at) => ({ id, at, order: orders[at] as number, content: contents[at] as string }));
  const keys = new Map<string, string>();
  const count = new Map<string, number>();
  for (const { id, content } of ranked.sort((a, b) => a.order - b.order || (a.content < b.content ? -1 : 1))) {
    if (id === null || id === "") keys.set(`${id} ${content}`, `sha256:${content.slice(0, 16)}`);
    else if (!keys.has(`${id} ${content}`)) {
      const number = (count.get(id) ?? 0) + 1;
      count.set(id, number);
      keys.set(`${id} ${content}`, number === 1 ? id : `${id}#${number}`);
    }
  }
  const named = own.withColumns(
    pl.Series(
      KEY,
      ids.map((id, at) => keys.get(`${id} ${contents[at]}`) as string),
      pl.String,
    ),
  );
  return pl.concat([others, selectColumns(named, others.columns)], { how: "diagonal" });
}

/** Months that are derived together. */
class Batch {
  readonly #scratch: string;
  readonly #parts = new Map<string, string[]>();
  readonly #changes = { added: 0, changed: 0, vanished: 0, returned: 0 };

  constructor(
    readonly dir: string,
    work: string,
    readonly derivation: Derivation,
    readonly months: readonly string[],
    readonly shared: PolarsFrame | undefined,
  ) {
    this.#scratch = join(work, "tables");
  }

  async derive(): Promise<TableChanges> {
    const { dir, derivation, months } = this;
    const files = months.flatMap((month) => derivation.uses.get(month) ?? []);
    try {
      makeDirectory(this.#scratch);
      for (const [from, to] of this.#ranges(files)) {
        const rows = rowsOf(dir, files, derivation, (scan) => {
          // On a column of the file: what is filtered out is not read.
          const isBelow = to === undefined ? undefined : col("id").lt(pl.lit(to));
          if (from === undefined) return isBelow === undefined ? scan : scan.filter(isBelow.or(col("id").isNull()));
          const above = scan.filter(col("id").gtEq(pl.lit(from)));
          return isBelow === undefined ? above : above.filter(isBelow);
        });
        this.#tables(this.#withShared(rows, from, to));
        // Frames are freed between turns of the event loop.
        await setImmediate();
      }
      for (const month of months) for (const name of ["mentions", "hits"] as const) await this.#publish(name, month);
    } catch (error) {
      throw toFileError(error, join(dir, "tables"));
    } finally {
      rmSync(this.#scratch, { recursive: true, force: true });
    }
    return this.#changes;
  }

  /** Ranges of ids: those of a large month are derived one after the other. */
  #ranges(files: readonly Use[]): Array<readonly [string | undefined, string | undefined]> {
    const total = files.reduce((sum, { rows }) => sum + rows, 0);
    const parts = Math.ceil(total / MAX_ROWS);
    if (parts < 2) return [[undefined, undefined]];
    const scans = scansOf(this.dir, files).map(({ scan }) => scan.select(ID_TEXT));
    const ids = (pl.concat(scans).unique().sort(KEY).collectSync() as PolarsFrame).getColumn(KEY).toArray() as string[];
    const cuts = Array.from(
      { length: parts - 1 },
      (_none, at) => ids[Math.ceil(((at + 1) * ids.length) / parts)],
    ).filter((id) => typeof id === "string");
    return [undefined, ...cuts].map((from, at) => [from, cuts[at]]);
  }

  /** The rows of these months, without those that are at home in another one, and with those that are at home here. */
  #withShared(rows: PolarsFrame, from = "", to?: string): PolarsFrame {
    const { shared, months, derivation } = this;
    if (shared === undefined) return withKeys(rows, derivation, false);
    const away = pl.DataFrame({ [KEY]: [...derivation.shared.keys()] });
    const own = withKeys(rows.join(away, { on: KEY, how: "anti" }), derivation, false);
    const ids = shared.getColumn("id").toArray() as string[];
    const homes = shared.getColumn(MONTH).toArray() as string[];
    const isHere = ids.map(
      (id, at) => months.includes(homes[at] as string) && id >= from && (to === undefined || id < to),
    );
    const home = shared
      .withColumns(pl.Series("~here", isHere, pl.Bool))
      .filter(col("~here"))
      .drop("~here");
    return home.height === 0 ? own : pl.concat([own, selectColumns(home, own.columns)], { how: "diagonal" });
  }

  #tables(frame: PolarsFrame): void {
    const { schema } = this.derivation;
    if (frame.height === 0) return;
    const { vanished } = this.derivation;
    const names = [...schema.keys()];
    const found = frame
      .select(MONTH, SEARCH, KEY, ORDER, WINDOW, DAY, GONE, GONE_DAY)
      .sort([MONTH, SEARCH, KEY, ORDER])
      .withColumns(SAME_HIT)
      .withColumns(LAST);
    const firstHits = found.filter(IS_FIRST).select(WINDOW, FIRST_SEEN);
    const hits = found
      .filter(IS_LAST)
      .select(col(MONTH), col(SEARCH).alias("search"), col(KEY), VANISHED)
      .withColumns(firstHits.getColumn(WINDOW).rename("window"), firstHits.getColumn("first_seen"));

    const said = frame.sort([MONTH, KEY, ORDER]).withColumns(SAME_KEY).withColumns(LAST);
    const first = said.filter(IS_FIRST).select(FIRST_SEEN);
    const edits = said.filter(IS_CHANGE);
    this.#changes.added += first.height - said.filter(WAS_KNOWN).select(KEY).unique().height;
    let mentions = said.filter(IS_LAST).withColumns(first.getColumn("first_seen"));
    if (edits.height > 0) {
      const last = edits.unique({ subset: [KEY], keep: "last", maintainOrder: true });
      const before = said.filter(WAS_KNOWN).unique({ subset: [KEY], keep: "last", maintainOrder: true });
      const contents = before.select(col(KEY), BEFORE).join(mentions.select(KEY, HASH), { on: KEY, how: "inner" });
      this.#changes.changed += contents.filter(IS_CHANGED).height;
      mentions = mentions.join(last.select(col(KEY), CHANGED), { on: KEY, how: "left" });
    } else mentions = mentions.withColumns(NO_DAY.alias("changed"));
    if (hits.getColumn("vanished").nullCount() < hits.height) {
      const gone = hits
        .groupBy(KEY)
        .agg(...LIVE)
        .filter(IS_ALL_GONE)
        .drop("live");
      const now = new Set(gone.getColumn(KEY).toArray() as string[]);
      for (const id of now) if (!vanished.has(id)) this.#changes.vanished++;
      if (vanished.size > 0)
        for (const id of mentions.getColumn(KEY).toArray() as string[])
          if (vanished.has(id) && !now.has(id)) this.#changes.returned++;
      mentions = mentions.join(gone, { on: KEY, how: "left" });
    } else {
      if (vanished.size > 0)
        for (const id of mentions.getColumn(KEY).toArray() as string[]) if (vanished.has(id)) this.#changes.returned++;
      mentions = mentions.withColumns(NO_DAY.alias("vanished"));
    }
    mentions = mentions.withColumns(TIMES[isTimestamp(schema) ? 1 : 0] as pl.Expr, ID_LENGTH);
    const timed = hits.join(mentions.select(KEY, "~time", "~length"), { on: KEY, how: "left" });
    const columns = names.map((name) => (name === "id" ? col(KEY).alias("id") : col(name)));
    this.#add(
      "mentions",
      mentions
        .sort([MONTH, "~time", "~length", KEY])
        .select(col(MONTH), ...columns, col("first_seen"), col("changed"), col("vanished")),
    );
    const ordered = timed.sort([MONTH, "~time", "~length", KEY, "search"]);
    this.#add(
      "hits",
      ordered.select(
        col(MONTH),
        col("search"),
        col("window"),
        col(KEY).alias("id"),
        col("~time").alias("begintime"),
        col("first_seen"),
        col("vanished"),
      ),
    );
  }

  /** Writes the rows of each month. */
  #add(name: "mentions" | "hits", rows: PolarsFrame): void {
    const months = rows.getColumn(MONTH).toArray() as string[];
    const content = rows.drop(MONTH);
    for (let from = 0, to = 0; from < months.length; from = to) {
      const month = months[from] as string;
      while (to < months.length && months[to] === month) to++;
      const key = `${name} ${month}`;
      const parts = this.#parts.get(key) ?? [];
      this.#parts.set(key, parts);
      const path = join(this.#scratch, `${this.#parts.size}-${parts.length}.parquet`);
      const part = numberedColumns(content.slice(from, to - from)).rechunk();
      part.columns = content.columns;
      part.writeParquet(path, { compression: "zstd" });
      parts.push(path);
    }
  }

  /** Moves the file of a month to its place. Readers see the old file or the new one. */
  async #publish(name: "mentions" | "hits", month: string): Promise<void> {
    const path = placeInside(this.dir, tableFile(name, month));
    const parts = this.#parts.get(`${name} ${month}`) ?? [];
    const [first] = parts;
    if (first === undefined) {
      rmSync(path, { force: true });
      return;
    }
    let whole = first;
    if (parts.length > 1) {
      whole = join(this.#scratch, "whole.parquet");
      await scanParquetFiles(parts)
        .sinkParquet(whole, { ...PARQUET_OPTIONS })
        .collect();
    }
    renameSync(whole, path);
  }
}
