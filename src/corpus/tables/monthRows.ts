import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { weighed } from "../../frames/chunk.js";
import { selectColumns } from "../../frames/frameColumns.js";
import { type LazyFrame, type PolarsFrame, pl } from "../../frames/polars.js";
import { toRecords } from "../../frames/toRecords.js";
import { sum } from "../../util/sum.js";
import type { RawFile } from "../raw/landing.js";
import { type Derivation, KEY, MONTH, PATH, pathOf, SENT_ID, scansOf } from "./derivation.js";
import { COPIES, sizeOf } from "./parquetPart.js";
import { RangeFiles } from "./rangeFiles.js";
import { widening } from "./tableColumns.js";
import { timeExpr } from "./tablePaths.js";
import { dayNumber, filesOfUses, goneOn, type Use, useKey } from "./uses.js";

/** Rows that are read, and derived, at a time. Tests make it small: the tables have the same rows. */
export const batch = { rows: 60_000 };

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

/**
 * The rows of months, in parts of which each has all rows of a mention. One whose time has moved to another month is in that of its newest row.
 *
 * @param scratch a directory for unfinished files; the caller removes it
 */
export async function* rowsOfMonths(
  dir: string,
  scratch: string,
  derivation: Derivation,
  months: readonly string[],
): AsyncGenerator<MonthRows> {
  const { uses, shared } = derivation;
  const usesOf = (some: Iterable<string>) => [...some].flatMap((month) => uses.get(month) ?? []);
  const movedIn = (some: readonly string[]) =>
    [...shared].filter(([, own]) => own.some((month) => some.includes(month)));
  const all = usesOf(new Set([...months, ...movedIn(months).flatMap(([, own]) => own)]));
  const reader = new UseReader(dir, all, derivation);
  for (const together of batchesOf(months, uses)) {
    const own = usesOf(together);
    const moved = movedIn(together);
    const others = filesOfUses(usesOf(moved.flatMap(([, own]) => own.filter((month) => !together.includes(month)))));
    const ids = pl
      .DataFrame({
        id: pl.Series(
          "id",
          moved.map(([id]) => id),
          pl.String,
        ),
      })
      .lazy();
    const parts = partsOf(filesOfUses(own)).map((part) => () => reader.read(part.files, part.filter));
    if (others.length > 0) parts.push(() => reader.read(others, (scan) => scan.join(ids, { on: "id", how: "semi" })));
    for await (const { frame, isLast } of inRanges(reader, scratch, own, parts)) {
      const { rows, isUnique } = withKeys(frame, derivation);
      const ofMonths = moved.length === 0 ? rows : atHome(rows).filter(col(MONTH).isIn(together));
      yield { months: together, rows: ofMonths, isUnique, isLast };
      // Frames are freed between turns of the event loop.
      await setImmediate();
    }
  }
}

interface Part {
  readonly files: readonly RawFile[];
  readonly filter?: (scan: LazyFrame) => LazyFrame;
}

/** Parts of files that are read at a time. */
function partsOf(files: readonly RawFile[]): Part[] {
  const parts: Part[] = [];
  let [part, size]: [RawFile[], number] = [[], 0];
  for (const file of files) {
    if (file.rows > batch.rows) {
      for (let from = 0; from < file.rows; from += batch.rows)
        parts.push({ files: [file], filter: (scan) => scan.slice(from, batch.rows) });
      continue;
    }
    if (size + file.rows > batch.rows) {
      parts.push({ files: part });
      [part, size] = [[], 0];
    }
    part.push(file);
    size += file.rows;
  }
  return part.length === 0 ? parts : [...parts, { files: part }];
}

function atHome(rows: PolarsFrame): PolarsFrame {
  const newest = rows
    .filter(HAS_CONTENT)
    .sort([KEY, END])
    .unique({ subset: [KEY], keep: "last", maintainOrder: true });
  return (rows.drop(MONTH) as PolarsFrame).join(newest.select(KEY, MONTH), { on: KEY, how: "left" });
}

/** A file takes as much memory to scan as about so many rows. */
const ROWS_OF_FILE = 50;

/**
 * Months that are derived together, while they are small: a call of polars costs more than their rows. With all rows of a batch, a build of
 * 500,000 took 100 MB more.
 */
function* batchesOf(months: readonly string[], uses: Derivation["uses"]): Generator<string[]> {
  let together: string[] = [];
  let size = 0;
  for (const month of months) {
    const own = uses.get(month) ?? [];
    const rows = landedRows(own) + ROWS_OF_FILE * own.length;
    if (together.length > 0 && size + rows > batch.rows / 2.4) {
      yield together;
      [together, size] = [[], 0];
    }
    together.push(month);
    size += rows;
  }
  if (together.length > 0) yield together;
}

function countOf(files: readonly RawFile[]): number {
  return sum(files.map(({ rows }) => rows));
}

/** Compacting does not change it, nor the ids: the ranges of a month stay the same. */
function landedRows(uses: readonly Use[]): number {
  return countOf([...new Map(uses.map((use) => [use.path, use])).values()]);
}

/** The frames of all parts as one, or in ranges of ids if they are large. */
async function* inRanges(
  reader: UseReader,
  scratch: string,
  uses: readonly Use[],
  parts: ReadonlyArray<() => PolarsFrame>,
): AsyncGenerator<{ readonly frame: PolarsFrame; readonly isLast: boolean }> {
  const count = Math.ceil(landedRows(uses) / batch.rows);
  if (count < 2) {
    yield {
      frame: pl.concat(
        parts.map((read) => read()),
        { how: "diagonal" },
      ),
      isLast: true,
    };
    return;
  }
  const ranges = new RangeFiles(scratch, reader.cuts(filesOfUses(uses), count));
  for (const read of parts) {
    ranges.add(read());
    await setImmediate();
  }
  yield* ranges.take();
}

/** Reads rows, and joins what their uses say of them. */
class UseReader {
  readonly #byOrder: ReadonlyMap<number, Use>;
  /** Files of whose days later landings asked for some. */
  readonly #covered: ReadonlySet<string>;
  /** Made once: a series takes longer to create than a batch of its values to join. */
  readonly #table: LazyFrame;

  constructor(
    readonly dir: string,
    uses: readonly Use[],
    readonly derivation: Derivation,
  ) {
    this.#byOrder = new Map(uses.map((use) => [use.order, use]));
    this.#covered = new Set(filesOfUses(uses.filter(({ covers }) => covers.length > 0)).map(({ path }) => path));
    const numbers = (value: (use: Use) => number | null | undefined) =>
      pl.Series(
        "",
        uses.map((use) => value(use) ?? null),
        pl.Float64,
      );
    const table = pl.DataFrame({
      [PATH]: uses.map((use) => pathOf(dir, use)),
      [MONTH]: uses.map(({ partition }) => partition),
      [SEARCH]: uses.map(({ search }) => search),
      [WINDOW]: uses.map(({ window }) => window),
      [ORDER]: numbers(({ order }) => order),
      [END]: numbers(({ end }) => end),
      [ROUND as string]: numbers(({ seen }) => seen[0]?.[0]),
      [DAY]: numbers(({ seen }) => Math.floor((seen[0]?.[1] as number) / 86_400_000)),
      [GONE_DAY]: numbers(({ gone }) => this.#dayOf(gone)),
      [BEFORE]: numbers((use) => derivation.before.get(useKey(use))),
    });
    this.#table = table.lazy();
  }

  read(files: readonly RawFile[], filter = (scan: LazyFrame) => scan): PolarsFrame {
    const { schema, checked } = this.derivation;
    const scans = scansOf(this.dir, checked, files, PATH).map(({ scan, schema: own, sentId }) =>
      filter(scan)
        .withColumns(sentId, own.some(([name]) => name === IS_SLIM) ? HAS_SLIM : IS_WHOLE, ...widening(own, schema))
        .withColumns(AS_KEY),
    );
    const all = scans.length === 1 ? (scans[0] as LazyFrame) : pl.concat(scans, { how: "diagonal" });
    const frame = all.join(this.#table, { on: PATH, how: "inner" }).drop(PATH).collectSync() as PolarsFrame;
    const bytes = sum(files.map((file) => file.bytes));
    weighed(frame, COPIES * sizeOf(frame, Math.round((bytes * frame.height) / Math.max(1, countOf(files)))));
    return this.#withDays(frame, files);
  }

  /** The first ids of all ranges of about the same size but the first. */
  cuts(files: readonly RawFile[], count: number): string[] {
    const scans = scansOf(this.dir, this.derivation.checked, files).map(({ scan, sentId }) => scan.select(sentId));
    const sorted = pl.concat(scans).unique().sort(SENT_ID).collectSync() as PolarsFrame;
    return Array.from({ length: count - 1 }, (_none, at) => Math.ceil(((at + 1) * sorted.height) / count))
      .filter((row) => row < sorted.height)
      .map((row) => sorted.row(row)[0] as string | null)
      .filter((id) => id !== null);
  }

  /** Later landings asked for some of the days of a use: when a row is gone depends on its own. */
  #withDays(frame: PolarsFrame, files: readonly RawFile[]): PolarsFrame {
    if (!files.some(({ path }) => this.#covered.has(path))) return frame;
    const days = frame.select(DAY_NUMBERS[isTimestamp(this.derivation.schema) ? 1 : 0] as pl.Expr).getColumn(OF_DAY);
    const orders = frame.getColumn(ORDER).toArray() as number[];
    const numbers = days.toArray() as Array<number | null>;
    const gone = orders.map((order, at) =>
      this.#dayOf(goneOn(this.#byOrder.get(order) as Use, numbers[at] as number | null)),
    );
    return frame.withColumns(pl.Series(GONE_DAY, gone, pl.Float64));
  }

  #dayOf(round: number | null): number | null {
    return round === null ? null : dayNumber(this.derivation.roundDays.get(round));
  }
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
  const ownKeys = ids.map((id, at) => keys.get(`${id} ${contents[at]}`) as string);
  const named = own.withColumns(pl.Series(KEY, ownKeys, pl.String));
  return { rows: pl.concat([others, selectColumns(named, others.columns)], { how: "diagonal" }), isUnique };
}
