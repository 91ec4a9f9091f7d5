import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { selectColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { toFileError } from "../../fs/toFileError.js";
import { placeInside } from "../raw/storage.js";
import { type Derivation, KEY, MONTH } from "./derivation.js";
import { changesOf, IS_FIRST, IS_LAST, LAST, SAME_HIT, SAME_KEY, textsOf } from "./edits.js";
import { MonthFiles } from "./monthFiles.js";
import {
  BEFORE,
  DAY,
  END,
  GONE_DAY,
  HAS_CONTENT,
  HASH,
  isTimestamp,
  ORDER,
  rowsOfMonths,
  SEARCH,
  WINDOW,
} from "./monthRows.js";
import { DAY_COLUMNS } from "./tableColumns.js";
import { tableFile, timeExpr } from "./tablePaths.js";
import { changeOf, type Use } from "./uses.js";

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
    const found = rowsOfMonths(dir, join(work, "tables", "ranges"), derivation, derivation.months);
    for await (const { months: batch, rows, isUnique, isLast } of found) {
      months.add(rows, isUnique);
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
const WAS_KNOWN = col(BEFORE).isNotNull();
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
const MONTHS = col(MONTH);
const LAST_HIT = [MONTHS, col(SEARCH), col(KEY), VANISHED];
const HIT = [
  ...[MONTHS, col(SEARCH).alias("search"), col(WINDOW).alias("window"), ID],
  ...[col("~time").alias("begintime"), col("first_seen"), col("vanished")],
];

const OF_HIT = [MONTH, SEARCH, KEY];
const OF_MENTION = [MONTH, KEY];
const HIT_SINCE = [col(WINDOW), FIRST_SEEN];

class MonthTables {
  readonly changes = { added: 0, changed: 0, vanished: 0, returned: 0 };
  readonly #files: MonthFiles;
  readonly #uses: ReadonlyMap<number, Use>;
  readonly #isCompacted: boolean;
  /** Whether the uses end in the order in which they began, and all of their rows are there. */
  readonly #isOrdered: boolean;
  /** The columns of mentions besides the id. */
  readonly #names: readonly string[];
  readonly #columns: readonly pl.Expr[];

  constructor(
    readonly dir: string,
    scratch: string,
    readonly derivation: Derivation,
  ) {
    this.#files = new MonthFiles(scratch);
    const uses = [...derivation.uses.values()].flat();
    this.#uses = new Map(uses.map((use) => [use.order, use]));
    this.#isCompacted = uses.some(({ compacted }) => compacted !== undefined);
    this.#names = [...derivation.schema.keys()].filter((name) => name !== "id");
    this.#columns = [MONTHS, ID, ...this.#names.map((name) => col(name)), ...DAYS];
    this.#isOrdered = !this.#isCompacted && uses.every(({ order, end }) => order === end);
  }

  /** Takes all rows of some mentions. The first response with a mention dates it, the last one has its text. */
  add(frame: PolarsFrame, isUnique: boolean): void {
    const { derivation, changes } = this;
    const { schema, vanished } = derivation;
    if (frame.height === 0) return;
    const isTime = TIMES[isTimestamp(schema) ? 1 : 0] as pl.Expr;
    // Works on the keys. The columns of the service are joined at the end, when the rows and their order are known.
    const slim = frame.withRowCount(ROW).select(...KEYS, isTime, ID_LENGTH);
    // Of mentions that have a single row each, every row is the first and the last.
    const found = this.#sorted(slim, isUnique ? [] : OF_HIT);
    const lastHits = found.byEnd.withColumns(SAME_HIT).withColumns(LAST).filter(IS_LAST);
    const firstHits = found.byOrder.withColumns(SAME_HIT).filter(IS_FIRST);
    const hits = this.#joined(lastHits.select(...LAST_HIT), firstHits, OF_HIT, HIT_SINCE);

    const { byEnd, byOrder } = this.#sorted(slim, isUnique ? [] : OF_MENTION);
    const said = byEnd.withColumns(SAME_KEY).withColumns(LAST);
    const first = byOrder.withColumns(SAME_KEY).filter(IS_FIRST);
    let mentions = this.#joined(said.filter(IS_LAST), first, OF_MENTION, [FIRST_SEEN]);
    const known = said.filter(WAS_KNOWN);
    changes.added += mentions.height - known.select(KEY).unique().height;
    const texts = textsOf(said);
    if (texts !== undefined) {
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
    const columns = selectColumns(frame, [KEY, ...this.#names]).withRowCount(ROW);
    const whole = mentions.select(MONTH, ROW, ...DAY_COLUMNS).join(columns, { on: ROW, how: "left" });
    this.#write("mentions", whole.select(...this.#columns));
    const timed = hits
      .join(mentions.select(KEY, "~time", "~length"), { on: KEY, how: "left" })
      .sort([MONTH, "~time", "~length", KEY, SEARCH]);
    this.#write("hits", timed.select(...HIT));
  }

  #sorted(frame: PolarsFrame, by: string[]): { readonly byEnd: PolarsFrame; readonly byOrder: PolarsFrame } {
    if (by.length === 0 && !this.#isCompacted) return { byEnd: frame, byOrder: frame };
    const byEnd = (this.#isCompacted ? frame.filter(HAS_CONTENT) : frame).sort([...by, END]);
    return { byEnd, byOrder: this.#isOrdered ? byEnd : frame.sort([...by, ORDER]) };
  }

  /** What the first rows say, beside the last ones. An id that is repeated now may have first rows that belong to no content. */
  #joined(last: PolarsFrame, first: PolarsFrame, by: string[], columns: pl.Expr[]): PolarsFrame {
    if (!this.#isCompacted) return last.withColumns(...first.select(...columns).getColumns());
    return last.join(first.select(...by.map((name) => col(name)), ...columns), { on: by, how: "left" });
  }

  /** The day of the first response with the present text of a mention, after the last one with another. */
  #changeDays(texts: PolarsFrame): PolarsFrame {
    const changes = [...changesOf(texts, this.#uses)].map(([key, { now, other }]) => {
      for (const use of other)
        if (use.isCurrent) for (const { partition } of [...now, ...other]) this.derivation.contested.add(partition);
      return { key, day: Math.floor(changeOf(now, other).since.place[1] / 86_400_000) };
    });
    const days = pl.Series(
      "changed",
      changes.map(({ day }) => day),
      pl.Int32,
    );
    const table = pl.DataFrame({ [KEY]: changes.map(({ key }) => key), changed: days });
    return table.withColumns(col("changed").cast(pl.Date));
  }

  /** Writes the rows of each month to a file of its own. */
  #write(name: "mentions" | "hits", rows: PolarsFrame): void {
    this.#files.add(rows, (month) => tableFile(name, month));
  }

  /** Moves the files of months to their place. Readers see the old file or the new one. */
  async publish(months: readonly string[]): Promise<void> {
    for (const file of months.flatMap((month) => [tableFile("mentions", month), tableFile("hits", month)])) {
      const path = placeInside(this.dir, file);
      const whole = await this.#files.take(file);
      if (whole === undefined) rmSync(path, { force: true });
      else renameSync(whole.path, path);
    }
  }
}
