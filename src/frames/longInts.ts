import { plainNames } from "./plainNames.js";
import { type PolarsFrame, pl } from "./polars.js";

/** The Int64 columns with values beyond 2^53, which JavaScript numbers would round. */
export function longInts(frame: PolarsFrame): string[] {
  const places = frame.dtypes.flatMap(({ variant }, at) => (variant === "Int64" ? [at] : []));
  if (places.length === 0) return [];
  const ints = pl.col(places.map((at) => `c${at}`));
  const plain = plainNames(frame);
  const [least, most] = [ints.min(), ints.max()].map((expr) => plain.select(expr).row(0) as Array<number | null>);
  const names = frame.columns;
  const isLong = (value: number | null | undefined) => typeof value === "number" && !Number.isSafeInteger(value);
  return places.filter((_place, at) => isLong(least?.[at]) || isLong(most?.[at])).map((at) => names[at] as string);
}
