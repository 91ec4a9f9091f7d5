import { pl } from "../../frames/polars.js";

/**
 * The values of a column as JavaScript holds them without loss: moments are text, and so are all the values of a column with
 * whole numbers beyond 2^53; in lists these are bigint.
 *
 * @param moment how moments are written, as in strftime
 * @throws Error for a type that has no JavaScript values
 */
export function polarsValues(series: pl.Series, moment: string): unknown[] {
  const { variant } = series.dtype;
  switch (variant) {
    case "Datetime":
      return [...series.date.strftime(moment).toArray()];
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
