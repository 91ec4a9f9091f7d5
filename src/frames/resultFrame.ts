import { invalid } from "../errors/validators.js";
import { DAY } from "../util/period.js";
import { type PolarsFrame, pl } from "./polars.js";

export interface ResultColumn {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Dates are given as `2024-04-27`, timestamps as milliseconds since 1970. */
  readonly dtype: pl.Series["dtype"] | typeof pl.Utf8;
}

/**
 * Builds a small frame from columns. It passes rows to polars, because creating a Series costs more than a hundred values.
 *
 * @throws ValidationError if two columns have the same name, as with `by: "count"`
 */
export function resultFrame(columns: readonly ResultColumn[]): PolarsFrame {
  const names = columns.map(({ name }) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) < at);
  if (duplicate !== undefined) throw invalid("by", duplicate, "The result has a column of that name. Rename yours.");
  const cells = columns.map(cellsOf);
  // Names are set at the end: "1" and "__proto__" have another meaning as members of an object.
  const height = Math.max(0, ...cells.map(({ length }) => length));
  const rows = Array.from({ length: height }, (_, row) =>
    Object.fromEntries(cells.map((column, at) => [`c${at}`, column[row]])),
  );
  const schema = Object.fromEntries(columns.map(({ dtype }, at) => [`c${at}`, dtype]));
  const frame = pl.readRecords(rows, { schema }) as PolarsFrame;
  frame.columns = names;
  return frame;
}

/** Columns of one dtype, from the members of rows. */
export function columnsOf<R extends object>(
  rows: readonly R[],
  dtype: ResultColumn["dtype"],
  ...names: (keyof R & string)[]
): ResultColumn[] {
  return names.map((name) => ({ name, values: rows.map((row) => row[name] ?? null), dtype }));
}

/** The values in the form that polars expects for the dtype. */
function cellsOf({ values, dtype }: ResultColumn): readonly unknown[] {
  const cells = (convert: (value: never) => unknown) =>
    values.map((value) => ((value ?? null) === null ? null : convert(value as never)));
  switch ((dtype as pl.Series["dtype"]).variant) {
    case "Date":
      return cells((day: string) => Date.parse(day) / DAY);
    case "Datetime":
      return cells((ms: number) => new Date(ms));
    case "Int64":
      return cells(BigInt);
    default:
      return values;
  }
}

/** The dtype of timestamps in frames of this package. */
export const TIMESTAMP = pl.Datetime("us", "UTC");
