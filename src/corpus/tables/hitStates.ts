import { type PolarsFrame, pl } from "../../frames/polars.js";
import { NO_DAY } from "./days.js";
import { PARTITION } from "./partitionedTable.js";

const KEY = ["search", "id"];
const COLUMNS = ["search", "window", "id", "first_seen", "vanished", "is_found"];

const WINDOW = pl.col("window");
const FIRST_SEEN = pl.col("first_seen");
const VANISHED = pl.col("vanished");
/** The first and the last day on which the search found it, and the window on the first day. */
const FIRST = pl.col("first");
const LAST = pl.col("last");
const FIRST_WINDOW = pl.col("first_window");

const SEEN = [pl.col("search"), pl.col("id"), WINDOW.alias("first_window"), pl.col("day").alias("first")];
const LAST_SEEN = [pl.col("search"), pl.col("id"), pl.col("day").alias("last")];

const IS_EARLIER = FIRST.lt(FIRST_SEEN).or(FIRST.eq(FIRST_SEEN).and(FIRST_WINDOW.lt(WINDOW)));
const UPDATES = [
  pl.when(FIRST.lt(FIRST_SEEN)).then(FIRST).otherwise(FIRST_SEEN).alias("first_seen"),
  pl.when(IS_EARLIER).then(FIRST_WINDOW).otherwise(WINDOW).alias("window"),
  pl.when(LAST.gtEq(VANISHED)).then(NO_DAY).otherwise(VANISHED).alias("vanished"),
  FIRST.isNotNull().alias("is_found"),
];
const NEW = [
  FIRST_WINDOW.alias("window"),
  FIRST.alias("first_seen"),
  NO_DAY.alias("vanished"),
  pl.lit(true).alias("is_found"),
];

/**
 * Applies what searches found to the hits of the table.
 *
 * @param existing hits with {@link PARTITION}
 * @param found columns `search`, `window`, `id` and `day`; at least one row
 * @returns one row per search and id, with `is_found`; `begintime` is left out
 */
export function applyHits(existing: PolarsFrame, found: PolarsFrame): PolarsFrame {
  const sorted = found.sort([...KEY, "day", "window"]);
  const first = sorted.unique({ subset: KEY, keep: "first", maintainOrder: true }).select(...SEEN);
  const last = sorted.unique({ subset: KEY, keep: "last", maintainOrder: true }).select(...LAST_SEEN);
  const seen = first.join(last, { on: KEY, how: "inner" });
  const parts: PolarsFrame[] = [];
  if (existing.height > 0) {
    // After a crash a hit may be in two partitions.
    const one = existing
      .sort([...KEY, "vanished", "first_seen", "window", PARTITION])
      .unique({ subset: KEY, keep: "first", maintainOrder: true });
    parts.push(one.join(seen, { on: KEY, how: "left" }).withColumns(...UPDATES));
  }
  const added = existing.height === 0 ? seen : seen.join(existing.select(...KEY), { on: KEY, how: "anti" });
  if (added.height > 0) parts.push(added.withColumns(...NEW));
  return pl.concat(
    parts.map((part) => part.select(...COLUMNS)),
    { how: "diagonal" },
  );
}
