import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { weighed } from "../../frames/chunk.js";
import { selectColumns } from "../../frames/frameColumns.js";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { toRecords } from "../../frames/toRecords.js";
import { type Derivation, KEY, MONTH, PATH, pathOf, SENT_ID, scansOf } from "./derivation.js";
import { COPIES, sizeOf } from "./parquetPart.js";
import { widening } from "./tableColumns.js";
import { timeExpr } from "./tablePaths.js";
import { dayNumber, filesOfUses, goneOn, type Use, useKey } from "./uses.js";

/** Rows that are derived at a time. */
const MAX_ROWS = 60_000;

// Columns that are not of the service begin with `~`. An expression takes about a millisecond and 300 KB to create.
/** What a use says of its rows: first day, day since when they are gone, and its place before this run, if it had one. */
export const [SEARCH, WINDOW, ORDER, END, DAY, GONE_DAY, BEFORE] = [
  ...["~search", "~window", "~order", "~end", "~day", "~gone_day", "~before"],
] as [string, string, string, string, string, string, string];
/** The hash of the content. */
export const HASH = "~hash";
/** Compacted rows of which only the id is left: they say since when a mention is known. Their content has no hash. */
export const IS_SLIM = "~is_slim";
const [ROUND, OF_DAY] = ["~round", "~of_day"];
const col = pl.col;
const AS_KEY = col(SENT_ID).alias(KEY);
const IS_WHOLE = pl.lit(false).alias(IS_SLIM);
const HAS_SLIM = col(IS_SLIM);
const HASH_IF_THERE = pl.when(HAS_SLIM).then(pl.lit(null)).otherwise(col(HASH)).alias(HASH);
const NO_HASH = pl.lit(0).alias(HASH);
/** Whether the content of a row is there. */
export const HAS_CONTENT = col(HASH).isNotNull();
const HAS_NO_ID = col(KEY)
  .isNull()
  .or(col(KEY).eq(pl.lit("")));
const IDS = [col(KEY).nUnique().alias("unique"), HAS_NO_ID.sum().alias("without"), HAS_SLIM.sum().alias("slim")];
/** Whether the row before has the same value. */
export const isSame = (name: string) => col(name).eq(col(name).shift(1));
const IS_REPEATED = isSame(SEARCH)
  .and(isSame(KEY))
  .and(isSame(ROUND))
  .and(col(HASH).neq(col(HASH).shift(1)))
  .fillNull(false);
const DAY_NUMBERS = [false, true].map((isTime) => timeExpr(isTime).cast(pl.Date).cast(pl.Int32).alias(OF_DAY));

/** Rows of months that are derived together, with their keys in the tables. */
export interface MonthRows {
  readonly months: readonly string[];
  readonly rows: PolarsFrame;
  /** Whether each mention has a single row. */
  readonly isUnique: boolean;
  /** Further rows of these months do not follow. */
  readonly isLast: boolean;
}

/** The rows of months, in parts of which each has all rows of a mention. One whose time has moved to another month is in that of its newest row. */
export async function* rowsOfMonths(
  dir: string,
  derivation: Derivation,
  months: readonly string[],
): AsyncGenerator<MonthRows> {
  const usesOf = (some: Iterable<string>) => [...some].flatMap((month) => derivation.uses.get(month) ?? []);
  const movedIn = (some: readonly string[]) =>
    [...derivation.shared].filter(([, own]) => own.some((month) => some.includes(month)));
  const table = tableOf(dir, usesOf(new Set([...months, ...movedIn(months).flatMap(([, own]) => own)])), derivation);
  for (const batch of batchesOf(months, derivation)) {
    const files = usesOf(batch);
    const moved = movedIn(batch);
    const others = usesOf(new Set(moved.flatMap(([, own]) => own.filter((month) => !batch.includes(month)))));
    const ids = pl
      .DataFrame({
        id: pl.Series(
          "id",
          moved.map(([id]) => id),
          pl.String,
        ),
      })
      .lazy();
    const ranges = rangesOf(dir, files);
    for (const [at, range] of ranges.entries()) {
      const found = [rowsOf(dir, files, table, derivation, (scan) => within(scan, range))];
      if (others.length > 0)
        found.push(
          rowsOf(dir, others, table, derivation, (scan) => within(scan, range).join(ids, { on: "id", how: "semi" })),
        );
      const { rows, isUnique } = withKeys(pl.concat(found, { how: "diagonal" }), derivation);
      const own = moved.length === 0 ? rows : atHome(rows).filter(col(MONTH).isIn(batch));
      yield { months: batch, rows: own, isUnique, isLast: at === ranges.length - 1 };
      // Frames are freed between turns of the event loop.
      await setImmediate();
    }
  }
}

type Range = readonly [from: string | undefined, to: string | undefined];

/** The rows with ids in a range; those without id are in the first one. */
function within(scan: LazyFrame, [from, to]: Range): LazyFrame {
  // On a column of the file: what is filtered out is not read.
  const isBelow = to === undefined ? undefined : col("id").lt(pl.lit(to));
  if (from === undefined) return isBelow === undefined ? scan : scan.filter(isBelow.or(col("id").isNull()));
  const above = scan.filter(col("id").gtEq(pl.lit(from)));
  return isBelow === undefined ? above : above.filter(isBelow);
}

function atHome(rows: PolarsFrame): PolarsFrame {
  const newest = rows
    .filter(HAS_CONTENT)
    .sort([KEY, END])
    .unique({ subset: [KEY], keep: "last", maintainOrder: true });
  return (rows.drop(MONTH) as PolarsFrame).join(newest.select(KEY, MONTH), { on: KEY, how: "left" });
}

/** Months that are derived together, while they are small: a call of polars costs more than their rows. */
function* batchesOf(months: readonly string[], { uses }: Derivation): Generator<string[]> {
  let batch: string[] = [];
  let size = 0;
  for (const month of months) {
    const rows = countOf(uses.get(month) ?? []);
    if (batch.length > 0 && size + rows > MAX_ROWS / 2) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(month);
    size += rows;
  }
  if (batch.length > 0) yield batch;
}

function countOf(uses: readonly Use[]): number {
  return filesOfUses(uses).reduce((sum, { rows }) => sum + rows, 0);
}

/** Ranges of ids: those of a large month are derived one after the other. */
function rangesOf(dir: string, files: readonly Use[]): Range[] {
  const parts = Math.ceil(countOf(files) / MAX_ROWS);
  if (parts < 2) return [[undefined, undefined]];
  const scans = scansOf(dir, files).map(({ scan, sentId }) => scan.select(sentId));
  const sorted = pl.concat(scans).unique().sort(SENT_ID).collectSync() as PolarsFrame;
  const ids = sorted.getColumn(SENT_ID).toArray() as string[];
  const cuts = Array.from({ length: parts - 1 }, (_none, at) => ids[Math.ceil(((at + 1) * ids.length) / parts)]).filter(
    (id) => typeof id === "string",
  );
  return [undefined, ...cuts].map((from, at) => [from, cuts[at]]);
}

function dayOf(roundDays: Derivation["roundDays"], round: number | null): number | null {
  return round === null ? null : dayNumber(roundDays.get(round));
}

/** What uses say of their rows, by file. Made once: a series takes longer to create than a batch of its values to join. */
function tableOf(dir: string, files: readonly Use[], { roundDays, before }: Derivation): LazyFrame {
  const numbers = (value: (use: Use) => number | null | undefined) =>
    pl.Series(
      "",
      files.map((use) => value(use) ?? null),
      pl.Float64,
    );
  const table = pl.DataFrame({
    [PATH]: files.map((use) => pathOf(dir, use)),
    [MONTH]: files.map(({ partition }) => partition),
    [SEARCH]: files.map(({ search }) => search),
    [WINDOW]: files.map(({ window }) => window),
    [ORDER]: numbers(({ order }) => order),
    [END]: numbers(({ end }) => end),
    [ROUND as string]: numbers(({ seen }) => seen[0]?.[0]),
    [DAY]: numbers(({ seen }) => Math.floor((seen[0]?.[1] as number) / 86_400_000)),
    [GONE_DAY]: numbers(({ gone }) => dayOf(roundDays, gone)),
    [BEFORE]: numbers((use) => before.get(useKey(use))),
  });
  return table.lazy();
}

/** Reads files, and joins what their landings say. */
function rowsOf(
  dir: string,
  files: readonly Use[],
  table: LazyFrame,
  { roundDays, schema }: Derivation,
  filter: (scan: LazyFrame) => LazyFrame,
): PolarsFrame {
  const scans = scansOf(dir, files, PATH).map(({ scan, schema: own, sentId }) =>
    filter(scan)
      .withColumns(sentId, own.some(([name]) => name === IS_SLIM) ? HAS_SLIM : IS_WHOLE, ...widening(own, schema))
      .withColumns(AS_KEY),
  );
  const all = scans.length === 1 ? (scans[0] as LazyFrame) : pl.concat(scans, { how: "diagonal" });
  const frame = all.join(table, { on: PATH, how: "inner" }).drop(PATH).collectSync() as PolarsFrame;
  const bytes = filesOfUses(files).reduce((sum, file) => sum + file.bytes, 0);
  weighed(frame, COPIES * sizeOf(frame, Math.round((bytes * frame.height) / Math.max(1, countOf(files)))));
  if (files.every(({ covers }) => covers.length === 0)) return frame;
  // Later landings asked for some of the days of these: when a row is gone depends on its own.
  const byOrder = new Map(files.map((use) => [use.order, use]));
  const days = frame
    .select(DAY_NUMBERS[isTimestamp(schema) ? 1 : 0] as pl.Expr)
    .getColumn(OF_DAY)
    .toArray();
  const orders = frame.getColumn(ORDER).toArray() as number[];
  const gone = orders.map((order, at) =>
    dayOf(roundDays, goneOn(byOrder.get(order) as Use, days[at] as number | null)),
  );
  return frame.withColumns(pl.Series(GONE_DAY, gone, pl.Float64));
}

export function isTimestamp(schema: ReadonlyMap<string, string>): boolean {
  return schema.get("begintime")?.startsWith("Datetime") === true;
}

const contentHashes = new WeakMap<Derivation["schema"], pl.Expr>();

function contentHash(schema: Derivation["schema"]): pl.Expr {
  const content = () => pl.struct([...schema.keys()].map((name) => col(name))).hash(1, 2, 3, 4);
  const hash = contentHashes.get(schema) ?? content().alias(HASH);
  contentHashes.set(schema, hash);
  return hash;
}

/**
 * The rows with the ids that they have in the tables, and the hash of their content. A mention without id gets one from its content. If one
 * response has an id for several contents, each is a mention of its own: `17`, `17#2`.
 */
function withKeys(rows: PolarsFrame, { schema }: Derivation): Pick<MonthRows, "rows" | "isUnique"> {
  const names = [...schema.keys()];
  const [unique, without, slimRows] = rows.select(...IDS).row(0) as [number, number, number];
  // A content of its own for each mention: only those that are repeated are compared.
  const isUnique = unique === rows.height && !without;
  if (isUnique && !slimRows) return { rows: rows.withColumns(NO_HASH).drop(IS_SLIM), isUnique };
  const all = rows.withColumns(contentHash(schema));
  const hashed = (slimRows ? all.withColumns(HASH_IF_THERE) : all).drop(IS_SLIM);
  const slim = hashed.select(SEARCH, KEY, ORDER, HASH, ROUND as string);
  const odd = slim.sort([SEARCH, KEY, ORDER, HASH]).filter(IS_REPEATED.or(HAS_NO_ID));
  if (odd.height === 0) return { rows: hashed, isUnique };
  const repeated = new Set(odd.getColumn(KEY).toArray() as Array<string | null>);
  const isOdd = (hashed.getColumn(KEY).toArray() as Array<string | null>).map(
    (id) => repeated.has(id) || id === null || id === "",
  );
  const marked = hashed.withColumns(pl.Series("~odd", isOdd, pl.Bool));
  const isNumbered = col("~odd").and(HAS_CONTENT);
  const others = marked.filter(isNumbered.not()).drop("~odd");
  const own = marked.filter(isNumbered).drop("~odd").sort([ORDER]);
  const contents = toRecords(selectColumns(own, names)).map((row) =>
    createHash("sha256")
      .update(JSON.stringify(row, (_name, value) => (typeof value === "bigint" ? `${value}` : value)))
      .digest("hex"),
  );
  const ids = own.getColumn(KEY).toArray() as Array<string | null>;
  const orders = own.getColumn(ORDER).toArray() as number[];
  const ranked = ids.map((id, at) => ({ id, order: orders[at] as number, content: contents[at] as string }));
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
  return { rows: pl.concat([others, selectColumns(named, others.columns)], { how: "diagonal" }), isUnique };
}
