import { createHash } from "node:crypto";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { NO_DAY } from "./days.js";
import { applyHits } from "./hitStates.js";
import { HIT_COLUMNS, hitsTable } from "./hitsTable.js";
import { applyDay, newest } from "./mentionStates.js";
import { ID, type MentionsTable, openMentions, renamed } from "./mentionsTable.js";
import { mergeGroups } from "./mergeGroups.js";
import { byPartition, PARTITION, type PartitionedTable, readPartition, replaceRows } from "./partitionedTable.js";
import { columnsOf, DAY_COLUMNS, storable } from "./tableColumns.js";

const NO_HITS = pl
  .DataFrame({ none: pl.Series("none", [], pl.String) })
  .select(
    ...[...HIT_COLUMNS].map(([name, dtype]) => pl.lit(null).cast(dtype).alias(name)),
    pl.lit(null).cast(pl.String).alias(PARTITION),
  )
  .head(0);

/** Rows of one unit: a search in a window. */
export interface UnitRows {
  /** The id of the search. */
  readonly search: string;
  readonly window: string;
  /** The day of the response in UTC: `2024-03-05`. */
  readonly day: string;
  /** Mentions as the service sent them. */
  readonly frame: PolarsFrame;
}

/** What a merge did to the table of mentions, in rows. */
export interface MergeCounts {
  /** Mentions that were not there before. */
  readonly added: number;
  /** Mentions whose content is new. */
  readonly changed: number;
  /** Mentions that had vanished and are here again. */
  readonly returned: number;
}

const DAY = pl.col("day");
const FOUND = [
  pl.col("search"),
  pl.col("window"),
  pl.col(ID).alias("id"),
  DAY.str.strptime(pl.Date, "%Y-%m-%d").alias("day"),
];
const IS_PRESENT = pl.col("is_found").and(pl.col("vanished").isNull());
const IS_VANISHED = pl.col("vanished").isNotNull();
const NOT_VANISHED = NO_DAY.alias("vanished");
const ID_INSIDE = pl.col("id").alias(ID);
const ID_OUTSIDE = pl.col(ID).alias("id");

/**
 * Merges rows into the tables `mentions` and `hits`: each mention once, and which search found it. May be repeated, and gives the
 * same bytes whatever the order of the units; only a mention that returns to an earlier content has to be merged in the
 * order of days.
 *
 * @param dir the directory of the corpus; the caller holds its lock
 * @param rows all rows together at most about 50,000, since they are held in memory
 * @throws FileError if a table cannot be written; the merge may be repeated
 * @example
 * await mergeRows("inflation/", [{ search: "1f0c…", window: "2024-03", day: "2026-11-23", frame }]); //=> { added: 812, changed: 0, returned: 0 }
 */
export async function mergeRows(dir: string, rows: readonly UnitRows[]): Promise<MergeCounts> {
  const units = rows.filter(({ frame }) => frame.height > 0).map((unit) => ({ ...unit, frame: storable(unit.frame) }));
  const table = await openMentions(
    dir,
    units.map(({ frame }) => columnsOf(frame)),
  );
  if (units.length === 0) return { added: 0, changed: 0, returned: 0 };
  const observed = observations(table, units);
  const days = [...new Set(units.map(({ day }) => day))].sort();
  const counts = { added: 0, changed: 0, returned: 0 };
  // One month after the other, so that few rows are in memory.
  const none = emptyMentions(table);
  for (const places of mergeGroups(table, observed)) {
    const group = await mergeGroup(table, semi(observed, places), places, days, none);
    counts.added += group.added;
    counts.changed += group.changed;
    counts.returned += group.returned;
  }
  return counts;
}

/**
 * Merges the mentions of a group.
 *
 * @param places where they are; see {@link mergeGroups}
 * @param none the table without rows
 */
async function mergeGroup(
  table: MentionsTable,
  observed: PolarsFrame,
  places: PolarsFrame,
  days: readonly string[],
  none: PolarsFrame,
): Promise<MergeCounts> {
  const existing = rowsAt(table, places) ?? none;
  let states = newest(table, existing);
  let [added, changed] = [0, 0];
  for (const day of days) {
    const ofDay = (days.length === 1 ? observed : observed.filter(DAY.eq(pl.lit(day)))).select(...table.content);
    if (ofDay.height === 0) continue;
    const applied = applyDay(table, states, ofDay, day);
    states = applied.rows;
    added += applied.added;
    changed += applied.changed;
  }
  const hits = hitsTable(table.dir);
  const oldHits = rowsAt(hits, renamed(places, ["id", PARTITION])) ?? NO_HITS;
  const newHits = applyHits(oldHits, observed.select(...FOUND));
  const present = newHits.filter(IS_PRESENT).select(ID_INSIDE).unique();
  const isBack = semi(states, present).filter(IS_VANISHED);
  if (isBack.height > 0) {
    const others = states.join(isBack.select(ID), { on: ID, how: "anti" });
    states = pl.concat([others, isBack.withColumns(NOT_VANISHED)], { how: "diagonal" });
  }
  states = states.withColumns(table.partition);
  await replaceRows(table, existing, states);

  const times = states.select(ID_OUTSIDE, table.time.alias("begintime"), PARTITION);
  await replaceRows(hits, oldHits, newHits.join(times, { on: "id", how: "inner" }));
  return { added, changed, returned: isBack.height };
}

/** All rows, with the columns of the table inside, and `search`, `window` and `day`. */
function observations(table: MentionsTable, units: readonly UnitRows[]): PolarsFrame {
  const content = pl.concat(
    units.map(({ frame }) => withIds(table.numbered(frame))),
    { how: "diagonal" },
  );
  const texts = (["search", "window", "day"] as const).map((name) =>
    pl.Series(
      name,
      units.flatMap((unit) => new Array<string>(unit.frame.height).fill(unit[name])),
      pl.String,
    ),
  );
  return content.withColumns(...texts);
}

/** A mention without an id gets one from its content, so that it is neither lost nor doubled. */
function withIds(frame: PolarsFrame): PolarsFrame {
  const ids = frame.getColumn(ID);
  if (ids.nullCount() === 0) return frame;
  const values = [...ids.toArray()].map((value: unknown, at) => value ?? contentId(frame.row(at)));
  return frame.withColumns(pl.Series(ID, values, pl.String));
}

function contentId(row: unknown): string {
  const text = JSON.stringify(row, (_key, value) => (typeof value === "bigint" ? String(value) : value));
  return `sha256:${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** The rows with these ids, with {@link PARTITION}; undefined if there are none. */
function rowsAt(table: PartitionedTable, places: PolarsFrame): PolarsFrame | undefined {
  const on = places.columns[0] as string;
  const parts = byPartition(places).flatMap(([partition, ids]) => {
    const rows = readPartition(table, partition)?.join(ids, { on, how: "inner" });
    return rows === undefined || rows.height === 0 ? [] : [rows];
  });
  return parts.length === 0 ? undefined : pl.concat(parts, { how: "diagonal" });
}

function semi(rows: PolarsFrame, ids: PolarsFrame): PolarsFrame {
  return rows.join(ids.select(ID), { on: ID, how: "semi" });
}

function emptyMentions(table: MentionsTable): PolarsFrame {
  const none = table.numbered(pl.DataFrame({ id: pl.Series("id", [], pl.String) }));
  const dates = DAY_COLUMNS.map((name) => NO_DAY.alias(name));
  return none.withColumns(...dates, pl.lit(null).cast(pl.String).alias(PARTITION));
}
