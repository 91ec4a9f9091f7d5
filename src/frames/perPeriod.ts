import { faulty, nonEmptyString, oneOf } from "../errors/validators.js";
import { PERIODS, type Period } from "../util/period.js";
import { type PolarsExpr, type PolarsFrame, pl } from "./polars.js";

const LENGTHS = { day: "1d", week: "1w", month: "1mo", quarter: "1q", year: "1y" } as const;

/**
 * A polars expression for the period of a timestamp (UTC), to group by, with the name of the period: the Date of its first day, or the number
 * of the Congress. Weeks begin on Monday, Congresses on January 3 (which holds since 1935).
 *
 * @param column a column of timestamps or dates
 * @param period `"day"`, `"week"`, `"month"`, `"quarter"`, `"year"` or `"congress"`
 * @throws ValidationError for another period; a verb of a frame throws it for a column without times
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 500 });
 * frame.withColumns(perPeriod("begintime", "quarter")).groupBy("quarter").agg(pl.col("length").sum()).sort("quarter");
 * frame.withColumns(perPeriod("begintime", "congress")).getColumn("congress").max(); //=> 119
 */
export function perPeriod(column: string, period: Period): PolarsExpr {
  const time = pl.col(nonEmptyString("column", column, "begintime"));
  const expr =
    oneOf("period", period, PERIODS) === "congress"
      ? congressOf(time)
      : time.date.truncate(LENGTHS[period as keyof typeof LENGTHS] as never).cast(pl.Date);
  const named = expr.alias(period);
  columnsOfPeriods.set(named, column);
  return named;
}

/** The first two days of an odd year belong to the Congress before. */
function congressOf(time: PolarsExpr): PolarsExpr {
  const year = time.sub(pl.lit(2 * DAY).cast(pl.Duration("ms"))).date.year();
  return year.sub(1787).div(2).floor().cast(pl.Int64);
}

const DAY = 86_400_000;

const columnsOfPeriods = new WeakMap<object, string>();

/** @throws ValidationError for a period, among the arguments of a verb, of a column of the frame that holds no times */
export function checkPeriods(args: readonly unknown[], frame: PolarsFrame): void {
  for (const arg of args.flat()) {
    const name = columnsOfPeriods.get(Object(arg) as object);
    if (name === undefined) continue;
    const dtype = frame.dtypes[frame.columns.indexOf(name)];
    if (dtype === undefined || /^Date/.test(dtype.variant)) continue;
    const hint = `Parse it first: frame.withColumns(pl.col("${name}").str.strptime(pl.Date, "%Y-%m-%d")).`;
    throw faulty("column", `${name} holds ${dtype.variant}, no times`, hint);
  }
}
