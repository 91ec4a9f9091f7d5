import { type PolarsFrame, pl } from "../../frames/polars.js";
import { PARTITION } from "./partitionedTable.js";

const KEY = ["search", "id"];

/**
 * Applies what searches found to the hits of the table.
 *
 * @param existing hits with {@link PARTITION}
 * @param found columns `search`, `window`, `id` and `day`
 * @returns one row per search and id, with `is_found`; `begintime` is still the one of the table
 */
export function applyHits(existing: PolarsFrame, found: PolarsFrame): PolarsFrame {
  const sorted = found.sort([...KEY, "day", "window"]);
  const first = sorted.unique({ subset: KEY, keep: "first", maintainOrder: true });
  const last = sorted
    .unique({ subset: KEY, keep: "last", maintainOrder: true })
    .select(...KEY, pl.col("day").alias("last"));
  const seen = first
    .select(...KEY, pl.col("window").alias("seen_in"), pl.col("day").alias("first"))
    .join(last, { on: KEY, how: "inner" });
  // After a crash a hit may be in two partitions.
  const one = existing
    .sort([...KEY, "vanished", "first_seen", "window", PARTITION])
    .unique({ subset: KEY, keep: "first", maintainOrder: true });
  const [firstSeen, seenFirst, vanished, window, seenIn] = ["first_seen", "first", "vanished", "window", "seen_in"].map(
    (name) => pl.col(name),
  ) as [pl.Expr, pl.Expr, pl.Expr, pl.Expr, pl.Expr];
  const isEarlier = seenFirst.lt(firstSeen).or(seenFirst.eq(firstSeen).and(seenIn.lt(window)));
  const updated = one
    .join(seen, { on: KEY, how: "left" })
    .withColumns(
      pl.when(seenFirst.lt(firstSeen)).then(seenFirst).otherwise(firstSeen).alias("first_seen"),
      pl.when(isEarlier).then(seenIn).otherwise(window).alias("window"),
      pl.when(pl.col("last").gtEq(vanished)).then(pl.lit(null).cast(pl.Date)).otherwise(vanished).alias("vanished"),
      seenFirst.isNotNull().alias("is_found"),
    );
  const added = seen
    .join(one.select(...KEY), { on: KEY, how: "anti" })
    .withColumns(
      seenIn.alias("window"),
      seenFirst.alias("first_seen"),
      pl.lit(null).cast(pl.Date).alias("vanished"),
      pl.lit(true).alias("is_found"),
    );
  const columns = ["search", "window", "id", "first_seen", "vanished", "is_found"];
  return pl.concat([updated.select(...columns), added.select(...columns)], { how: "diagonal" });
}
