import { type PolarsFrame, pl } from "../../frames/polars.js";
import { ID, type MentionsTable } from "./mentionsTable.js";
import { PARTITION } from "./partitionedTable.js";

/** Mentions as they are to be, and how many of them changed. */
export interface MentionStates {
  readonly rows: PolarsFrame;
  readonly added: number;
  readonly changed: number;
}

const FIRST_SEEN = pl.col("first_seen");
const CHANGED = pl.col("changed");
/** The day since when a mention has had its content. */
const SINCE = pl.when(CHANGED.isNull()).then(FIRST_SEEN).otherwise(CHANGED);

/**
 * Applies the mentions of one day to those of the table. The later content wins, whichever comes first; on the same day the
 * larger, so that the result does not depend on the order.
 *
 * @param existing one row per id, with the columns of the table and {@link PARTITION}, the partition it is in now, or null
 * @param observed the columns of the service
 * @param day `2024-03-05`
 */
export function applyDay(
  table: MentionsTable,
  existing: PolarsFrame,
  observed: PolarsFrame,
  day: string,
): MentionStates {
  const { content } = table;
  const today = pl.lit(day).str.strptime(pl.Date, "%Y-%m-%d");
  const first = pl.when(FIRST_SEEN.gt(today)).then(today).otherwise(FIRST_SEEN).alias("first_seen");
  const seen = largest(table, observed);
  const ids = seen.select(ID);
  const met = existing.join(ids, { on: ID, how: "semi" });
  const found = seen.join(met.select(ID), { on: ID, how: "semi" });
  const equal = pl
    .concat([met.select(...content), found], { how: "diagonal" })
    .unique({ subset: [...content], keep: "first", maintainOrder: true })
    .unique({ subset: [ID], keep: "none", maintainOrder: true })
    .select(ID);
  const same = met.join(equal, { on: ID, how: "semi" });
  const other = met.join(equal, { on: ID, how: "anti" });
  const earlier = other.filter(SINCE.lt(today));
  const later = other.filter(SINCE.gt(today));
  const disputed = other.filter(SINCE.eq(today));
  const dates = (rows: PolarsFrame) => rows.select(ID, "first_seen", "changed", "vanished", PARTITION);
  const both = pl.concat([disputed.select(...content), found.join(disputed.select(ID), { on: ID, how: "semi" })], {
    how: "diagonal",
  });
  const moved = pl
    .when(CHANGED.gt(today).and(FIRST_SEEN.lt(today)))
    .then(today)
    .otherwise(CHANGED)
    .alias("changed");
  const added = seen
    .join(existing.select(ID), { on: ID, how: "anti" })
    .withColumns(
      today.alias("first_seen"),
      pl.lit(null).cast(pl.Date).alias("changed"),
      pl.lit(null).cast(pl.Date).alias("vanished"),
      pl.lit(null).cast(pl.String).alias(PARTITION),
    );
  const parts = [
    existing.join(ids, { on: ID, how: "anti" }),
    same.withColumns(first, moved),
    found.join(dates(earlier.withColumns(today.alias("changed"))), { on: ID, how: "inner" }),
    later.withColumns(first, SINCE.alias("changed")),
    largest(table, both).join(dates(disputed), { on: ID, how: "inner" }),
    added,
  ];
  const columns = [...table.columns, PARTITION];
  const rows = pl.concat(
    parts.map((part) => part.select(...columns)),
    { how: "diagonal" },
  );
  return { rows, added: added.height, changed: earlier.height };
}

/** One row per id: the larger, if several differ. */
function largest(table: MentionsTable, rows: PolarsFrame): PolarsFrame {
  return rows.sort([...table.content]).unique({ subset: [ID], keep: "last", maintainOrder: true });
}

/** One row per id: a crash can leave the row that a mention had in another partition. */
export function newest(table: MentionsTable, existing: PolarsFrame): PolarsFrame {
  return existing
    .withColumns(SINCE.alias("since"))
    .sort([pl.col(ID), pl.col("since"), ...table.content.map((name) => pl.col(name))])
    .unique({ subset: [ID], keep: "last", maintainOrder: true })
    .drop("since");
}
