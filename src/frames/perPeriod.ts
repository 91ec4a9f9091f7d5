import { faulty, nonEmptyString, oneOf } from "../errors/validators.js";
import { DAY, PERIODS, type Period } from "../util/period.js";
import { type PolarsExpr, pl } from "./polars.js";

const LENGTHS = { day: "1d", week: "1w", month: "1mo", quarter: "1q", year: "1y" } as const;

/**
 * Creates a polars expression for the period of a timestamp (UTC), to group by: the Date of its first day, or the number of the Congress.
 * Its column is named like the period. Weeks begin on Monday, Congresses on January 3.
 *
 * @param column a column of timestamps or dates
 * @param period `"day"`, `"week"`, `"month"`, `"quarter"`, `"year"` or `"congress"`
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 500 });
 * frame.withColumns(perPeriod("begintime", "quarter")).groupBy("quarter").agg(pl.col("length").sum()).sort("quarter");
 * frame.withColumns(perPeriod("begintime", "congress")).getColumn("congress").max(); //=> 119
 */
export function perPeriod(column: string, period: Period): PolarsExpr {
  const time = pl.col(nonEmptyString("column", column, "begintime"));
  if (oneOf("period", period, PERIODS) === "congress") return congressOf(time).alias(period);
  const begin = time.date.truncate(LENGTHS[period as keyof typeof LENGTHS] as never);
  return begin.cast(pl.Date).alias(period);
}

/** The first two days of an odd year belong to the Congress before. */
function congressOf(time: PolarsExpr): PolarsExpr {
  const year = time.sub(pl.lit(2 * DAY).cast(pl.Duration("ms"))).date.year();
  return year.sub(1787).div(2).floor().cast(pl.Int64);
}

/** Turns the error of polars for a period or time limit of a column without times into one with a hint. Returns any other as it is. */
export function timesError(cause: unknown): unknown {
  const match = NO_TIMES.exec((cause as Error).message);
  if (match === null) return cause;
  const hint =
    'Parse it first: toDataFrame(frame, { operation: "mentions" }), or frame.withColumns(pl.col("day").str.strptime(pl.Date, "%Y-%m-%d")).';
  return faulty("column", `it holds ${match[1] ?? match[2]}, not times`, hint, cause);
}

/** The messages of polars for rounding, or adding a duration to, a column without times. */
const NO_TIMES = /^`round` operation not supported for dtype `(\w+)|not allowed on (\w+) and duration/;
