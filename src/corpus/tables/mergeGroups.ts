import { type PolarsFrame, pl } from "../../frames/polars.js";
import { ID, type MentionsTable } from "./mentionsTable.js";
import { byPartition, PARTITION, partitionOfPath, scanYears } from "./partitionedTable.js";

const ID_OUTSIDE = pl.col(ID).alias("id");
const ID_INSIDE = pl.col("id").alias(ID);
const COUNT = pl.col(PARTITION).count().alias("count");
const IS_ALONE = pl.col("count").eq(pl.lit(1));

/**
 * Divides mentions into those of each partition, and those that are in several: their time has changed, or a merge was killed.
 *
 * @param observed mentions as the service sent them, with the columns inside
 * @returns of each group the ids, and the partitions that they are in or are to be in: {@link ID} and {@link PARTITION}
 */
export function* mergeGroups(table: MentionsTable, observed: PolarsFrame): Generator<PolarsFrame, void, undefined> {
  const targets = observed.select(ID, table.partition).unique();
  const places = pl
    .concat([targets, ...locate(table, targets.select(ID_OUTSIDE).unique())], { how: "diagonal" })
    .unique();
  const counted = places.groupBy(ID).agg(COUNT);
  const settled = places.join(counted.filter(IS_ALONE).select(ID), { on: ID, how: "semi" });
  for (const [, group] of byPartition(settled)) yield group;
  if (settled.height < places.height) yield places.join(settled, { on: ID, how: "anti" });
}

/** Where the tables of mentions and of hits have these ids. */
function locate(table: MentionsTable, ids: PolarsFrame): PolarsFrame[] {
  const sought = ids.lazy();
  return (["mentions", "hits"] as const).flatMap((name) => {
    const of = { dir: table.dir, name };
    const found = scanYears(of)
      .map((year) => year.select("id", "path").join(sought, { on: "id", how: "semi" }).unique().collectSync())
      .filter(({ height }) => height > 0);
    if (found.length === 0) return [];
    const all = pl.concat(found as PolarsFrame[]);
    const paths = [...all.getColumn("path").toArray()] as string[];
    const partitions = paths.map((path) => partitionOfPath(of, path));
    return [all.select(ID_INSIDE).withColumns(pl.Series(PARTITION, partitions, pl.String))];
  });
}
