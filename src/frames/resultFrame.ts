import { type PolarsFrame, pl } from "./polars.js";

export interface ResultColumn {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Dates are given as `2024-04-27`, timestamps as milliseconds since 1970. */
  readonly dtype: pl.Series["dtype"] | typeof pl.Utf8;
}

export function resultFrame(columns: readonly ResultColumn[]): PolarsFrame {
  return pl.DataFrame(columns.map(seriesOf));
}

/** Columns of the same type, from the members of rows. */
export function columnsOf<R extends object>(
  rows: readonly R[],
  dtype: ResultColumn["dtype"],
  ...names: (keyof R & string)[]
): ResultColumn[] {
  return names.map((name) => ({ name, values: rows.map((row) => row[name] ?? null), dtype }));
}

function seriesOf({ name, values, dtype }: ResultColumn): pl.Series {
  const { variant } = dtype as pl.Series["dtype"];
  const series = (type: ResultColumn["dtype"], all = values) => pl.Series(name, [...all], type);
  switch (variant) {
    case "Date":
      return series(pl.Utf8).str.strptime(pl.Date, "%Y-%m-%d").rename(name);
    case "Datetime":
      return series(pl.Float64).cast(pl.Int64).cast(pl.Datetime("ms", "UTC")).cast(TIMESTAMP).rename(name);
    case "Int64": {
      const isLong = values.some((value) => typeof value === "bigint");
      const texts = values.map((value) => (value === null ? null : String(value)));
      return (isLong ? series(pl.Utf8, texts) : series(pl.Float64)).cast(pl.Int64).rename(name);
    }
    default:
      return series(dtype);
  }
}

/** The dtype of timestamps in frames of this package. */
export const TIMESTAMP = pl.Datetime("us", "UTC");
