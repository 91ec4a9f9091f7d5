import { type PolarsFrame, pl } from "../../frames/polars.js";
import { dayLiteral, NO_DAY } from "./days.js";
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
const SINCE_AS_CHANGED = SINCE.alias("changed");
const SINCE_COLUMN = SINCE.alias("since");
const NOT_CHANGED = NO_DAY.alias("changed");
const NOT_VANISHED = NO_DAY.alias("vanished");
const NO_PARTITION = pl.lit(null).cast(pl.String).alias(PARTITION);
const DATES = [ID, "first_seen", "changed", "vanished", PARTITION] as const;

/** What depends on the day of a response. */
interface DayExpressions {
  readonly firstSeen: pl.Expr;
  readonly changed: pl.Expr;
  /** The mention was already there on this day. */
  readonly firstSeenEarlier: pl.Expr;
  /** The content was already there on this day, before the day known so far. */
  readonly changedEarlier: pl.Expr;
  readonly isOlder: pl.Expr;
  readonly isSame: pl.Expr;
  readonly isNewer: pl.Expr;
}

/** Those of the last day, because most merges are of one day. */
let known: { readonly day: string; readonly expressions: DayExpressions } | undefined;

function expressionsOf(day: string): DayExpressions {
  if (known?.day === day) return known.expressions;
  const today = dayLiteral(day);
  const expressions = {
    firstSeen: today.alias("first_seen"),
    changed: today.alias("changed"),
    firstSeenEarlier: pl.when(FIRST_SEEN.gt(today)).then(today).otherwise(FIRST_SEEN).alias("first_seen"),
    changedEarlier: pl
      .when(CHANGED.gt(today).and(FIRST_SEEN.lt(today)))
      .then(today)
      .otherwise(CHANGED)
      .alias("changed"),
    isOlder: SINCE.lt(today),
    isSame: SINCE.eq(today),
    isNewer: SINCE.gt(today),
  };
  known = { day, expressions };
  return expressions;
}

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
  const today = expressionsOf(day);
  const seen = largest(table, observed);
  const met = semi(existing, seen);
  const parts = [anti(existing, seen)];
  let changed = 0;
  if (met.height > 0) {
    const found = semi(seen, met);
    const unequal = unequalIds(table, met, found);
    const same = anti(met, unequal);
    if (same.height > 0) parts.push(same.withColumns(today.firstSeenEarlier, today.changedEarlier));
    const other = semi(met, unequal);
    if (other.height > 0) {
      changed = other.filter(today.isOlder).height;
      parts.push(...apart(table, other, found, today));
    }
  }
  const fresh = anti(seen, existing);
  if (fresh.height > 0) parts.push(fresh.withColumns(today.firstSeen, NOT_CHANGED, NOT_VANISHED, NO_PARTITION));
  return { rows: together(table, parts), added: fresh.height, changed };
}

/** The mentions whose content differs from that of the table. */
function apart(table: MentionsTable, other: PolarsFrame, found: PolarsFrame, today: DayExpressions): PolarsFrame[] {
  const parts: PolarsFrame[] = [];
  const replaced = other.filter(today.isOlder);
  if (replaced.height > 0) parts.push(dated(found, replaced.withColumns(today.changed)));
  const later = other.filter(today.isNewer);
  if (later.height > 0) parts.push(later.withColumns(today.firstSeenEarlier, SINCE_AS_CHANGED));
  const disputed = other.filter(today.isSame);
  if (disputed.height > 0) {
    const both = pl.concat([disputed.select(...table.content), semi(found, disputed)], { how: "diagonal" });
    parts.push(dated(largest(table, both), disputed));
  }
  return parts;
}

/** One row per id: a crash can leave the row that a mention had in another partition. */
export function newest(table: MentionsTable, existing: PolarsFrame): PolarsFrame {
  if (hasUniqueIds(existing)) return existing;
  return existing
    .withColumns(SINCE_COLUMN)
    .sort([ID, "since", ...table.content])
    .unique({ subset: [ID], keep: "last", maintainOrder: true })
    .drop("since");
}

/** One row per id: the larger, if several differ. */
function largest(table: MentionsTable, rows: PolarsFrame): PolarsFrame {
  if (hasUniqueIds(rows)) return rows;
  // Several searches find the same mention: few rows that share an id differ.
  const distinct = rows.unique({ subset: [...table.content], keep: "any" });
  const once = distinct.unique({ subset: [ID], keep: "none" });
  if (once.height === distinct.height) return distinct;
  const others = anti(distinct, once)
    .sort([...table.content])
    .unique({ subset: [ID], keep: "last", maintainOrder: true });
  return pl.concat([once, others], { how: "diagonal" });
}

function hasUniqueIds(rows: PolarsFrame): boolean {
  return rows.height === 0 || rows.select(ID).unique().height === rows.height;
}

/** The ids whose rows differ between two frames with the same ids. Equality of all columns counts nulls as equal. */
function unequalIds({ content }: MentionsTable, a: PolarsFrame, b: PolarsFrame): PolarsFrame {
  const distinct = pl
    .concat([a.select(...content), b.select(...content)], { how: "diagonal" })
    .unique({ subset: [...content], keep: "first", maintainOrder: true });
  return anti(a.select(ID), distinct.unique({ subset: [ID], keep: "none", maintainOrder: true }));
}

/** The content of one frame with the dates of another. */
function dated(content: PolarsFrame, dates: PolarsFrame): PolarsFrame {
  return content.join(dates.select(...DATES), { on: ID, how: "inner" });
}

function semi(rows: PolarsFrame, ids: PolarsFrame): PolarsFrame {
  return rows.join(ids.select(ID), { on: ID, how: "semi" });
}

function anti(rows: PolarsFrame, ids: PolarsFrame): PolarsFrame {
  return rows.join(ids.select(ID), { on: ID, how: "anti" });
}

function together({ columns }: MentionsTable, parts: readonly PolarsFrame[]): PolarsFrame {
  const all = parts.filter(({ height }) => height > 0).map((part) => part.select(...columns, PARTITION));
  return all.length === 1 ? (all[0] as PolarsFrame) : pl.concat(all, { how: "diagonal" });
}
