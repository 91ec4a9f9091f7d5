import { pl } from "../../frames/polars.js";
import { dt } from "../../frames/polarsAccessors.js";

/**
 * The values of a column without loss. Timestamps become strings, and so do all values of a column with integers beyond 2^53;
 * in lists such integers are bigint.
 *
 * @param timestampFormat strftime format of timestamps
 * @throws Error for a dtype that has no JavaScript values
 */
export function polarsValues(series: pl.Series, timestampFormat: string): unknown[] {
  const { variant } = series.dtype;
  switch (variant) {
    case "Datetime":
      return [...dt(series).strftime(timestampFormat).toArray()];
    case "Int64": {
      const values: unknown[] = [...series.toArray()];
      const isExact = values.every((value) => value === null || Number.isSafeInteger(value));
      return isExact ? values : [...series.cast(pl.Utf8).toArray()];
    }
    case "Date":
    case "Decimal":
    case "Categorical":
      return [...series.cast(pl.Utf8).toArray()];
    case "List":
      return listsOf(series);
    default:
      return [...series.toArray()];
  }
}

function listsOf(series: pl.Series): unknown[] {
  const isLong = series.dtype.inner?.[0]?.variant === "Int64";
  if (!isLong) return [...series.toArray()];
  const lists = [...series.cast(pl.List(pl.Utf8)).toArray()] as Array<string[] | null>;
  return lists.map((list) => list?.map((item) => (item === null ? null : BigInt(item))) ?? null);
}
