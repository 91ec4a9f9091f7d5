import { pl } from "../../frames/polars.js";

// An expression takes about a millisecond and 300 KB to create, so those that every merge needs are created once.

/** No day. */
export const NO_DAY: pl.Expr = pl.lit(null).cast(pl.Date);

/** A day, `2024-03-05`, as an expression. */
export function dayLiteral(day: string): pl.Expr {
  return pl.lit(Math.floor(Date.parse(day.slice(0, 10)) / 86_400_000)).cast(pl.Date);
}
