import { invalid } from "../errors/validators.js";
import { type PolarsFrame, pl } from "./polars.js";

export interface ResultColumn {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Dates are given as `2024-04-27`, timestamps as milliseconds since 1970. */
  readonly dtype: pl.Series["dtype"] | typeof pl.Utf8;
}

/**
 * A small frame. Polars makes it from rows: an object of a Series costs more than a hundred of its values.
 *
 * @throws ValidationError if a column of groups has the name of another one
 */
export function resultFrame(columns: readonly ResultColumn[]): PolarsFrame {
  const names = columns.map(({ name }) => name);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw invalid("by", repeated, "The result has a column of that name. Rename yours.");
  const cells = columns.map(cellsOf);
  // Names like "1" and "__proto__" mean something else in an object: they are set at the end.
  const height = Math.max(0, ...cells.map(({ length }) => length));
  const rows = Array.from({ length: height }, (_, row) =>
    Object.fromEntries(cells.map((column, at) => [`c${at}`, column[row]])),
  );
  const schema = Object.fromEntries(columns.map(({ dtype }, at) => [`c${at}`, dtype]));
  const frame = pl.readRecords(rows, { schema }) as PolarsFrame;
  frame.columns = names;
  return frame;
}

/** Columns of the same type, from the members of rows. */
export function columnsOf<R extends object>(
  rows: readonly R[],
  dtype: ResultColumn["dtype"],
  ...names: (keyof R & string)[]
): ResultColumn[] {
  return names.map((name) => ({ name, values: rows.map((row) => row[name] ?? null), dtype }));
}

/** The values as polars takes them for the dtype. */
function cellsOf({ values, dtype }: ResultColumn): readonly unknown[] {
  const cells = (convert: (value: never) => unknown) =>
    values.map((value) => ((value ?? null) === null ? null : convert(value as never)));
  switch ((dtype as pl.Series["dtype"]).variant) {
    case "Date":
      return cells((day: string) => Date.parse(day) / 86_400_000);
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
