import { unknownColumn } from "../errors/validators.js";
import type { OperationName } from "../service/operations/operations.js";
import { checkPolarsFrame, frameRecords } from "./engine.js";
import { type PolarsFrame, pl } from "./polars.js";
import type { FrameRow } from "./toRecords.js";

/** The types of columns that functions of this package add. */
type AddedColumns = Record<"rate" | "low" | "high" | "count" | "denominator" | "clusters", number | null> &
  Record<"difference" | "ratio" | "p" | "p_adjusted", number | null> &
  Record<"search", string> &
  Record<"pattern" | "term" | "sentence" | "party" | "state" | "chamber", string | null> &
  Record<"day" | "week" | "month" | "quarter" | "year", Date | null>;

type DeclaredValue<K extends string> = {
  [N in OperationName]: K extends keyof FrameRow<N> ? FrameRow<N>[K] : never;
}[OperationName];

/** The type of the values of a column with a known name. */
export type ColumnValue<K extends string> = K extends keyof AddedColumns
  ? AddedColumns[K]
  : [DeclaredValue<K>] extends [never]
    ? unknown
    : DeclaredValue<K>;

/**
 * Returns the values of a column as a plain array: numbers, strings, booleans, Dates, and null. Integers beyond 2^53 make all values
 * bigint. For columns that are not of this package, give the type: `valuesOf<number>(frame, "share")`.
 *
 * @example
 * const frame = await archive.mentions("climate", { limit: 50 });
 * const lengths = valuesOf(frame, "length"); // (number | null)[]
 * lengths.length; //=> 50
 */
export function valuesOf<K extends string>(frame: PolarsFrame, name: K): ColumnValue<K>[];
export function valuesOf<T>(frame: PolarsFrame, name: string): (T | null)[];
export function valuesOf(frame: PolarsFrame, name: string): unknown[] {
  checkPolarsFrame(frame);
  if (!frame.columns.includes(name)) throw unknownColumn(String(name), frame.columns);
  return frameRecords(pl.DataFrame([frame.getColumn(name)])).map((row) => row[name]);
}
