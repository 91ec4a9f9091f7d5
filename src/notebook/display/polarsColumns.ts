import { type PolarsFrame, pl } from "../../frames/polars.js";

/** Whether a value is a polars frame, of any copy of the library. */
export function isPolarsFrame(value: unknown): value is PolarsFrame {
  return isObject(value) && pl.DataFrame.isDataFrame(value);
}

/** Whether a value is a polars series. */
export function isPolarsSeries(value: unknown): value is pl.Series {
  return isObject(value) && pl.Series.isSeries(value);
}

/** Whether a value is a lazy polars frame. */
export function isPolarsLazy(value: unknown): value is pl.LazyDataFrame {
  return isObject(value) && pl.LazyDataFrame.isLazyDataFrame(value);
}

/**
 * The column names. A frame is a proxy that returns a column even for `columns` or `getColumn` if one has that name, and names
 * come from the wire. Own keys and their descriptors work for any name.
 */
export function columnNames(frame: PolarsFrame): string[] {
  return Reflect.ownKeys(frame) as string[];
}

/** One column, whatever its name. */
export function columnOf(frame: PolarsFrame, name: string): pl.Series {
  return Object.getOwnPropertyDescriptor(frame, name)?.value as pl.Series;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
