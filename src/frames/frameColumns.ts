import { type PolarsFrame, pl } from "./polars.js";

/** The values of a column; nulls if the frame does not have the column. */
export function columnCells(frame: PolarsFrame, name: string): readonly unknown[] {
  if (!frame.columns.includes(name)) return new Array(frame.height).fill(null);
  const column = frame.getColumn(name);
  // polars throws for decimals.
  return [...(column.dtype.variant === "Decimal" ? column.cast(pl.Float64) : column).toArray()];
}

/** The format of timestamps as text: `2024-04-27T02:35:35Z`, with a fraction unless it is zero. */
export const TIMESTAMP_FORMAT = "%Y-%m-%dT%H:%M:%S%.fZ";

/** The values of a column as text; `undefined` becomes null. */
export function textSeries(column: pl.Series, text: (value: unknown) => string | undefined): pl.Series {
  const values = [...column.toArray()].map((value: unknown) => (value === null ? null : (text(value) ?? null)));
  return pl.Series(column.name, values, pl.Utf8);
}

/** Renames the columns to `c0`, `c1`, …. Names come from the service: an expression would treat `*` and `^…$` as patterns. */
export function numberedColumns(frame: PolarsFrame): PolarsFrame {
  const numbered = frame.clone();
  numbered.columns = frame.columns.map((_name, at) => `c${at}`);
  return numbered;
}

/**
 * Selects columns by name, in this order. The names are passed as one array, which polars accepts although its types do not
 * declare it: thousands of names could exceed the limit on arguments.
 */
export function selectColumns(frame: PolarsFrame, names: readonly string[]): PolarsFrame {
  return frame.select(names as unknown as string);
}

/** The names of the Int64 columns with values beyond 2^53, which JavaScript numbers would round. */
export function longInts(frame: PolarsFrame): string[] {
  const indexes = frame.dtypes.flatMap(({ variant }, at) => (variant === "Int64" ? [at] : []));
  if (indexes.length === 0) return [];
  const ints = pl.col(indexes.map((at) => `c${at}`));
  const numbered = numberedColumns(frame);
  const [minima, maxima] = [ints.min(), ints.max()].map((expr) => numbered.select(expr).row(0) as Array<number | null>);
  const names = frame.columns;
  const isLong = (value: number | null | undefined) => typeof value === "number" && !Number.isSafeInteger(value);
  return indexes.filter((_index, at) => isLong(minima?.[at]) || isLong(maxima?.[at])).map((at) => names[at] as string);
}

/** Appends the columns of another frame with the same number of rows. */
export function appendColumns(frame: PolarsFrame, columns: PolarsFrame): PolarsFrame {
  return frame.hstack(columns.getColumns()) as unknown as PolarsFrame;
}
