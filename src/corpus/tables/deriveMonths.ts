import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PARQUET_OPTIONS } from "../../files/writers/columnarWriters.js";
import { numberedColumns, selectColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { scanParquetFiles } from "../../frames/polarsPlan.js";
import { makeDirectory } from "../../fs/makeDirectory.js";
import { toFileError } from "../../fs/toFileError.js";
import { placeInside } from "../raw/storage.js";
import { type Derivation, KEY } from "./derivation.js";
import {
  BEFORE,
  DAY,
  END,
  GONE_DAY,
  HASH,
  isSame,
  isTimestamp,
  MONTH,
  ORDER,
  rowsOfMonths,
  SEARCH,
  WINDOW,
} from "./monthRows.js";
import { DAY_COLUMNS } from "./tableColumns.js";
import { tableFile, timeExpr } from "./tablePaths.js";
import { inTime, type Place, type Use } from "./uses.js";

/** What a derivation has found, in mentions. */
export interface TableChanges {
  readonly added: number;
  readonly changed: number;
  readonly vanished: number;
  readonly returned: number;
}

/**
 * Derives the tables of mentions and hits, month by month. They follow from `raw/` alone: deriving them again gives the same bytes.
 *
 * @param work a directory for unfinished files
 */
export async function deriveMonths(dir: string, work: string, derivation: Derivation): Promise<TableChanges> {
  const months = new MonthTables(dir, join(work, "tables"), derivation);
  try {
    for await (const { months: batch, rows, isLast } of rowsOfMonths(dir, derivation, derivation.months)) {
      months.add(rows);
      if (isLast) await months.publish(batch);
    }
  } catch (error) {
    throw toFileError(error, join(dir, "tables"));
  } finally {
    rmSync(join(work, "tables"), { recursive: true, force: true });
  }
  return months.changes;
}

const col = pl.col;
const IS_SAME_KEY = isSame(MONTH).and(isSame(KEY)).fillNull(false);
const SAME_KEY = IS_SAME_KEY.alias("~same");
const SAME_HIT = IS_SAME_KEY.and(isSame(SEARCH)).fillNull(false).alias("~same");
const IS_FIRST = col("~same").not();
const LAST = col("~same").shift(-1).fillNull(false).not().alias("~last");
const IS_LAST = col("~last");
const WAS_KNOWN = col(BEFORE).isNotNull();
const IS_EDIT = col("~same").and(col(HASH).neq(col(HASH).shift(1)));
const NOW = col(HASH).alias("~now");
const IS_NOW = col(HASH).eq(col("~now")).alias("~is_now");
const IS_CHANGED = col(HASH).neq(col("~now"));
const toDay = (name: string, as: string) => col(name).cast(pl.Int32).cast(pl.Date).alias(as);
const FIRST_SEEN = toDay(DAY, "first_seen");
const VANISHED = toDay(GONE_DAY, "vanished");
const NO_DAY = pl.lit(null).cast(pl.Date);
const LIVE = [col("vanished").isNull().sum().alias("live"), col("vanished").max().alias("vanished")];
const IS_ALL_GONE = col("live").eq(pl.lit(0));
const TIMES = [false, true].map((isTime) => timeExpr(isTime).cast(pl.Datetime("us", "UTC")).alias("~time"));
const ID_LENGTH = col(KEY).str.lengths().alias("~length");
const ID = col(KEY).alias("id");
const ROW = "~row";
const KEYS = [ROW, MONTH, SEARCH, KEY, ORDER, END, WINDOW, DAY, GONE_DAY, BEFORE, HASH].map((name) => col(name));
const DAYS = DAY_COLUMNS.map((name) => col(name));
const COUNT = pl.len().alias("~count");
const HIT = [col(SEARCH).alias("search"), col(WINDOW).alias("window"), ID, col("~time").alias("begintime")];

class MonthTables {
  readonly changes = { added: 0, changed: 0, vanished: 0, returned: 0 };
  readonly #parts = new Map<string, string[]>();
  readonly #uses: ReadonlyMap<number, Use>;
  /** Whether the uses end in the order in which they began. */
  readonly #isOrdered: boolean;
  #written = 0;

  constructor(
    readonly dir: string,
    readonly scratch: string,
    readonly derivation: Derivation,
  ) {
    const uses = [...derivation.uses.values()].flat();
    this.#uses = new Map(uses.map((use) => [use.order, use]));
    this.#isOrdered = uses.every(({ order, end }) => order === end);
    makeDirectory(scratch);
  }

  /** Takes all rows of some mentions. The first response with a mention dates it, the last one has its text. */
  add(frame: PolarsFrame): void {
    const { derivation, changes } = this;
    const { schema, vanished } = derivation;
    if (frame.height === 0) return;
    const isTime = TIMES[isTimestamp(schema) ? 1 : 0] as pl.Expr;
    // All that has to be found is found in these columns. Those of the service follow once, when it is known which rows, and in which order.
    const slim = frame.withRowCount(ROW).select(...KEYS, isTime, ID_LENGTH);
    const found = this.#sorted(slim, [MONTH, SEARCH, KEY]);
    const hits = found.byEnd
      .withColumns(SAME_HIT)
      .withColumns(LAST)
      .filter(IS_LAST)
      .select(col(MONTH), col(SEARCH), col(KEY), VANISHED)
      .withColumns(...found.byOrder.withColumns(SAME_HIT).filter(IS_FIRST).select(WINDOW, FIRST_SEEN).getColumns());

    const { byEnd, byOrder } = this.#sorted(slim, [MONTH, KEY]);
    const said = byEnd.withColumns(SAME_KEY).withColumns(LAST);
    const first = byOrder.withColumns(SAME_KEY).filter(IS_FIRST).select(FIRST_SEEN);
    let mentions = said.filter(IS_LAST).withColumns(...first.getColumns());
    const known = said.filter(WAS_KNOWN);
    changes.added += mentions.height - known.select(KEY).unique().height;
    const edited = said.filter(IS_EDIT).select(KEY).unique();
    if (edited.height > 0) {
      const texts = said
        .select(KEY, ORDER, BEFORE, HASH)
        .join(edited, { on: KEY, how: "semi" })
        .join(mentions.select(col(KEY), NOW), { on: KEY, how: "left" });
      const before = texts
        .filter(WAS_KNOWN)
        .sort([KEY, BEFORE])
        .unique({ subset: [KEY], keep: "last", maintainOrder: true });
      changes.changed += before.filter(IS_CHANGED).height;
      mentions = mentions.join(this.#changeDays(texts), { on: KEY, how: "left" });
    } else mentions = mentions.withColumns(NO_DAY.alias("changed"));
    const gone = hits
      .groupBy(KEY)
      .agg(...LIVE)
      .filter(IS_ALL_GONE)
      .drop("live");
    const now = new Set(gone.getColumn(KEY).toArray() as string[]);
    for (const id of now) if (!vanished.has(id)) changes.vanished++;
    if (vanished.size > 0)
      for (const id of mentions.getColumn(KEY).toArray() as string[])
        if (vanished.has(id) && !now.has(id)) changes.returned++;
    mentions = mentions.join(gone, { on: KEY, how: "left" }).sort([MONTH, "~time", "~length", KEY]);
    const names = [...schema.keys()].filter((name) => name !== "id");
    const columns = selectColumns(frame, [KEY, ...names]).withRowCount(ROW);
    this.#write(
      "mentions",
      mentions
        .select(MONTH, ROW, ...DAY_COLUMNS)
        .join(columns, { on: ROW, how: "left" })
        .select(col(MONTH), ID, ...names.map((name) => col(name)), ...DAYS),
    );
    const timed = hits
      .join(mentions.select(KEY, "~time", "~length"), { on: KEY, how: "left" })
      .sort([MONTH, "~time", "~length", KEY, SEARCH]);
    this.#write("hits", timed.select(col(MONTH), ...HIT, col("first_seen"), col("vanished")));
  }

  #sorted(frame: PolarsFrame, by: string[]): { readonly byEnd: PolarsFrame; readonly byOrder: PolarsFrame } {
    const byEnd = frame.sort([...by, END]);
    return { byEnd, byOrder: this.#isOrdered ? byEnd : frame.sort([...by, ORDER]) };
  }

  /** The day of the first response with the present text of a mention, after the last one with another. */
  #changeDays(texts: PolarsFrame): PolarsFrame {
    const byKey = new Map<string, { now: Use[]; other: Use[] }>();
    for (const [key, order, isNow] of texts.select(col(KEY), col(ORDER), IS_NOW).rows() as Array<
      [string, number, boolean]
    >) {
      const own = byKey.get(key) ?? { now: [], other: [] };
      byKey.set(key, own);
      own[isNow ? "now" : "other"].push(this.#uses.get(order) as Use);
    }
    const days = [...byKey.values()].map(({ now, other }) => {
      for (const use of other)
        if (use.isCurrent) for (const { partition } of [...now, ...other]) this.derivation.contested.add(partition);
      const last = other.map(({ seen }) => seen.at(-1) as Place).reduce((a, b) => (inTime(a, b) > 0 ? a : b));
      const since = now.flatMap(({ seen }) => seen.filter((place) => inTime(place, last) > 0));
      const [, at] = since.reduce((a, b) => (inTime(a, b) < 0 ? a : b));
      return Math.floor(at / 86_400_000);
    });
    const table = pl.DataFrame({ [KEY]: [...byKey.keys()], changed: pl.Series("changed", days, pl.Int32) });
    return table.withColumns(col("changed").cast(pl.Date));
  }

  /** Writes the rows of each month to a file of its own. */
  #write(name: "mentions" | "hits", rows: PolarsFrame): void {
    const months = rows.groupBy(MONTH).agg(COUNT).sort(MONTH).rows() as Array<[string, number]>;
    const content = rows.drop(MONTH);
    let from = 0;
    for (const [month, count] of months) {
      const part = numberedColumns(content.slice(from, count)).rechunk();
      from += count;
      const file = tableFile(name, month);
      const path = join(this.scratch, `${++this.#written}.parquet`);
      part.columns = content.columns;
      part.writeParquet(path, { compression: "zstd" });
      this.#parts.set(file, [...(this.#parts.get(file) ?? []), path]);
    }
  }

  /** Moves the files of months to their place. Readers see the old file or the new one. */
  async publish(months: readonly string[]): Promise<void> {
    for (const file of months.flatMap((month) => [tableFile("mentions", month), tableFile("hits", month)])) {
      const path = placeInside(this.dir, file);
      const [first, ...others] = this.#parts.get(file) ?? [];
      this.#parts.delete(file);
      if (first === undefined) {
        rmSync(path, { force: true });
        continue;
      }
      let whole = first;
      if (others.length > 0) {
        whole = join(this.scratch, "whole.parquet");
        await scanParquetFiles([first, ...others])
          .sinkParquet(whole, { ...PARQUET_OPTIONS })
          .collect();
      }
      renameSync(whole, path);
      for (const part of others) rmSync(part, { force: true });
    }
  }
}
