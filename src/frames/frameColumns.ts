import { type PolarsFrame, pl } from "./polars.js";

/**
 * The frame with one column replaced. Names come from the wire, and an expression would take `*` and `^…$` for patterns:
 * a series is found by its exact name.
 */
export function mapColumn(frame: PolarsFrame, name: string, map: (column: pl.Series) => pl.Series): PolarsFrame {
  return frame.withColumns(map(frame.getColumn(name)).rename(name));
}

/** The format of timestamps as text in one spelling: `2024-04-27T02:35:35Z`, with a fraction where there is one. */
export const TIMESTAMP_FORMAT = "%Y-%m-%dT%H:%M:%S%.fZ";

/** Timestamps as text in that spelling. */
export function timestampText(column: pl.Series): pl.Series {
  return column.date.strftime(TIMESTAMP_FORMAT);
}

/** Every value of a column as text; `undefined` for none. */
export function mapText(frame: PolarsFrame, name: string, text: (value: unknown) => string | undefined): PolarsFrame {
  return mapColumn(frame, name, (column) => {
    const values = [...column.toArray()].map((value: unknown) => (value === null ? null : (text(value) ?? null)));
    return pl.Series(name, values, pl.Utf8);
  });
}

/**
 * The frame with columns called `c0`, `c1`, …: names come from the wire, an expression would take `*` and `^…$` for patterns, and a
 * column called `rows` hides a method of its frame.
 */
export function numberedColumns(frame: PolarsFrame): PolarsFrame {
  const plain = frame.clone();
  plain.columns = frame.columns.map((_name, at) => `c${at}`);
  return plain;
}

/**
 * The columns of these names, in this order. Given as one list, which polars takes although its types do not say so: of arguments
 * there can be too many.
 */
export function selectColumns(frame: PolarsFrame, names: readonly string[]): PolarsFrame {
  return frame.select(names as unknown as string);
}

/** The Int64 columns with values beyond 2^53, which JavaScript numbers would round. */
export function longInts(frame: PolarsFrame): string[] {
  const places = frame.dtypes.flatMap(({ variant }, at) => (variant === "Int64" ? [at] : []));
  if (places.length === 0) return [];
  const ints = pl.col(places.map((at) => `c${at}`));
  const plain = numberedColumns(frame);
  const [least, most] = [ints.min(), ints.max()].map((expr) => plain.select(expr).row(0) as Array<number | null>);
  const names = frame.columns;
  const isLong = (value: number | null | undefined) => typeof value === "number" && !Number.isSafeInteger(value);
  return places.filter((_place, at) => isLong(least?.[at]) || isLong(most?.[at])).map((at) => names[at] as string);
}
