import { type PolarsFrame, pl } from "../../frames/polars.js";

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Dates are given as `2024-04-27`, timestamps as milliseconds since 1970. */
  readonly dtype: pl.Series["dtype"] | typeof pl.Utf8;
}

/** A polars frame with the given columns. */
export function resultFrame(columns: readonly ResultColumn[]): PolarsFrame {
  return pl.DataFrame(columns.map(seriesOf));
}

function seriesOf({ name, values, dtype }: ResultColumn): pl.Series {
  const { variant } = dtype as pl.Series["dtype"];
  if (variant === "Date")
    return pl
      .Series(name, [...values], pl.Utf8)
      .str.strptime(pl.Date, "%Y-%m-%d")
      .rename(name);
  if (variant === "Datetime") {
    return pl
      .Series(name, [...values], pl.Float64)
      .cast(pl.Int64)
      .cast(pl.Datetime("ms", "UTC"))
      .cast(TIMESTAMP)
      .rename(name);
  }
  if (variant === "Int64" && values.some((value) => typeof value === "bigint")) {
    return pl
      .Series(
        name,
        values.map((value) => (value === null ? null : String(value))),
        pl.Utf8,
      )
      .cast(pl.Int64);
  }
  if (variant === "Int64")
    return pl
      .Series(name, [...values], pl.Float64)
      .cast(pl.Int64)
      .rename(name);
  return pl.Series(name, [...values], dtype as typeof pl.Utf8);
}

/** The dtype of timestamps in frames of this package. */
export const TIMESTAMP = pl.Datetime("us", "UTC");
