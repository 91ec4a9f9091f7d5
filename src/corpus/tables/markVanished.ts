import { type PolarsFrame, pl } from "../../frames/polars.js";
import { dayLiteral } from "./days.js";
import { hitsTable } from "./hitsTable.js";
import { ID, openMentions } from "./mentionsTable.js";
import { type PartitionedTable, readPartition, writePartition } from "./partitionedTable.js";
import { partitionsOf } from "./tablePaths.js";

/** A unit that is complete: a search, its days, and the day of its responses. */
export interface FinishedUnit {
  /** The id of the search. */
  readonly search: string;
  /** First and last day, `2024-03-01`. Without one the range is open. */
  readonly mindate?: string | null | undefined;
  readonly maxdate?: string | null | undefined;
  /** The day of the responses in UTC: `2024-04-02`. */
  readonly day: string;
}

/**
 * Dates the hits of a search that it no longer finds, and the mentions that no search finds any more. Only the days strictly between
 * the first and the last are considered, because the service may count days in another time zone, and only mentions with an id; those
 * where two units meet are left to `vanishedAtBorders`. May be repeated.
 *
 * @param dir the directory of the corpus; the caller holds its lock
 * @param unit a unit that is complete; otherwise a row that was not fetched would pass for vanished
 * @param seenIds the ids that it found
 * @returns how many mentions vanished: no search finds them any more
 * @throws FileError if a table cannot be written
 * @example
 * await markVanished("inflation/", { search: "1f0c…", mindate: "2024-03-01", maxdate: "2024-03-31", day: "2026-11-23" }, ids); //=> 2
 */
export async function markVanished(dir: string, unit: FinishedUnit, seenIds: ReadonlySet<string>): Promise<number> {
  const hits = hitsTable(dir);
  const mentions = await openMentions(dir);
  const today = dayLiteral(unit.day);
  const seen = pl.DataFrame({ id: pl.Series("id", [...seenIds], pl.String) });
  let count = 0;
  for (const partition of partitionsOf(dir, "hits").filter((name) => overlaps(name, unit))) {
    const rows = readPartition(hits, partition) as PolarsFrame;
    const unseen = inside(rows, unit).join(seen, { on: "id", how: "anti" }).select("search", "id");
    if (unseen.height === 0) continue;
    const marked = await dateHits(hits, partition, rows, unseen, today);
    const gone = marked
      .join(unseen.select("id"), { on: "id", how: "semi" })
      .groupBy("id")
      .agg(pl.col("vanished").nullCount().alias("live"), pl.col("vanished").max().alias("gone"))
      .filter(pl.col("live").eq(pl.lit(0)))
      .select(pl.col("id").alias(ID), pl.col("gone"));
    count += await dateMentions(mentions, partition, gone);
  }
  return count;
}

/** The hits of the unit's search strictly inside its range. */
function inside(rows: PolarsFrame, { search, mindate, maxdate, day }: FinishedUnit): PolarsFrame {
  const time = pl.col("begintime").cast(pl.Date).cast(pl.String);
  // A mention without an id has one from its content, and no response says which row it was.
  const hasId = pl.col("id").str.contains("^sha256:").not();
  const seenBefore = pl.col("first_seen").cast(pl.String).ltEq(pl.lit(day));
  let filter = pl.col("search").eq(pl.lit(search)).and(time.isNotNull()).and(hasId).and(seenBefore);
  if (mindate) filter = filter.and(time.gt(pl.lit(mindate.slice(0, 10))));
  if (maxdate) filter = filter.and(time.lt(pl.lit(maxdate.slice(0, 10))));
  return rows.filter(filter);
}

/** Whether a month can have days of the range. */
function overlaps(partition: string, { mindate, maxdate }: FinishedUnit): boolean {
  const [, year, month] = /^year=(\d{4})\/month=(\d\d)$/.exec(partition) ?? [];
  // Years of other lengths cannot be compared as text, and are rare.
  if (year === undefined) return true;
  const name = `${year}-${month}`;
  return (!mindate || name >= mindate.slice(0, 7)) && (!maxdate || name <= maxdate.slice(0, 7));
}

async function dateHits(
  hits: PartitionedTable,
  partition: string,
  rows: PolarsFrame,
  unseen: PolarsFrame,
  today: pl.Expr,
): Promise<PolarsFrame> {
  const key = ["search", "id"];
  const vanished = pl.col("vanished");
  const gone = rows.join(unseen, { on: key, how: "semi" });
  if (gone.filter(vanished.isNull()).height === 0) return rows;
  const dated = gone.withColumns(pl.when(vanished.isNull()).then(today).otherwise(vanished).alias("vanished"));
  const marked = pl.concat([rows.join(unseen, { on: key, how: "anti" }), dated], { how: "diagonal" });
  await writePartition(hits, partition, marked);
  return marked;
}

async function dateMentions(mentions: PartitionedTable, partition: string, gone: PolarsFrame): Promise<number> {
  const rows = gone.height === 0 ? undefined : readPartition(mentions, partition);
  const live = rows?.filter(pl.col("vanished").isNull()).join(gone, { on: ID, how: "inner" });
  if (rows === undefined || live === undefined || live.height === 0) return 0;
  const dated = live.withColumns(pl.col("gone").alias("vanished")).drop("gone");
  await writePartition(
    mentions,
    partition,
    pl.concat([rows.join(dated.select(ID), { on: ID, how: "anti" }), dated], { how: "diagonal" }),
  );
  return live.height;
}
