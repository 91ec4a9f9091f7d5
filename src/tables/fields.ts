// Public types use these, so no type of DuckDB may appear here: its declarations need esModuleInterop.

import { withDtypes } from "../frames/dtypes.js";
import type { PolarsFrame } from "../frames/polars.js";

/** DuckDB types that text may represent, and their bits. */
export const TEXT_TYPES = {
  BIGINT: 1,
  UBIGINT: 2,
  DOUBLE: 4,
  BOOLEAN: 8,
  DATE: 16,
  TIMESTAMP: 32,
  TIMESTAMP_NS: 64,
  TIMESTAMPTZ: 128,
  TIME: 256,
};

export type TextType = keyof typeof TEXT_TYPES;

/** A column of a file, as described in `datapackage.json`. */
export interface Field {
  readonly name: string;
  /** The Data Package type: `integer`, `datetime`, … */
  readonly type: string;
  /** The polars dtype, unless it follows from the type. */
  readonly dtype?: string;
}

/** By column name. */
export type Fields = ReadonlyMap<string, Field>;

/** The default dtype of each Data Package type, and the DuckDB types of its text. */
const TYPES: Readonly<Record<string, readonly [dtype: string, ...text: readonly TextType[]]>> = {
  integer: ["Int64", "BIGINT", "UBIGINT"],
  number: ["Float64", "DOUBLE"],
  boolean: ["Bool", "BOOLEAN"],
  string: ["String"],
  date: ["Date", "DATE"],
  time: ["Time", "TIME"],
  datetime: ["Datetime(us,UTC)", "TIMESTAMPTZ"],
  array: ["List(String)"],
};

/** The possible DuckDB types of a field: none for text; undefined if the field is not described. */
export function textTypes(field: Field | undefined): readonly TextType[] | undefined {
  if (field === undefined) return undefined;
  const [, ...types] = TYPES[field.type] ?? ["String"];
  if (field.dtype?.startsWith("Datetime(ns")) return ["TIMESTAMP_NS", ...types];
  return field.dtype?.endsWith(",)") ? ["TIMESTAMP", ...types] : types;
}

/** The dtype of a field, unless it is the default of its type. */
export function nonDefaultDtype(type: string, dtype: string): Pick<Field, "dtype"> {
  return TYPES[type]?.[0] === dtype || type === "object" ? {} : { dtype };
}

/** Casts the columns of a frame to the dtypes of their fields. */
export function castToFields(frame: PolarsFrame, fields: Fields): PolarsFrame {
  if (fields.size === 0) return frame;
  const dtypes = frame.columns.map((name) => {
    const { type = "", dtype } = fields.get(name) ?? {};
    return dtype ?? TYPES[type]?.[0];
  });
  return withDtypes(frame, dtypes);
}
