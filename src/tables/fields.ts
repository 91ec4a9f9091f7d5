import { withDtypes } from "../frames/dtypes.js";
import type { PolarsFrame } from "../frames/polars.js";

/** A type of DuckDB that text may stand for. */
export type TextType =
  | "BIGINT"
  | "UBIGINT"
  | "DOUBLE"
  | "BOOLEAN"
  | "DATE"
  | "TIMESTAMP"
  | "TIMESTAMP_NS"
  | "TIMESTAMPTZ"
  | "TIME";

/** A column of a file as `datapackage.json` describes it. */
export interface Field {
  readonly name: string;
  /** In the notation of Data Package: `integer`, `datetime`, … */
  readonly type: string;
  /** In that of polars, unless the type says it. */
  readonly dtype?: string;
}

/** By name. */
export type Fields = ReadonlyMap<string, Field>;

/** The dtypes that types stand for, and the types of the text in files. */
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

/** The types that the text of a field is known to have, none if it is text; undefined if it is not known. */
export function textTypes(field: Field | undefined): readonly TextType[] | undefined {
  if (field === undefined) return undefined;
  const [, ...types] = TYPES[field.type] ?? ["String"];
  if (field.dtype?.startsWith("Datetime(ns")) return ["TIMESTAMP_NS", ...types];
  return field.dtype?.endsWith(",)") ? ["TIMESTAMP", ...types] : types;
}

/** The dtype of a field of a frame, if it is not the one that its type stands for. */
export function unusualDtype(type: string, dtype: string): Pick<Field, "dtype"> {
  return TYPES[type]?.[0] === dtype || type === "object" ? {} : { dtype };
}

/** Gives the columns of a frame the dtypes that they have in the description. */
export function withFields(frame: PolarsFrame, fields: Fields): PolarsFrame {
  if (fields.size === 0) return frame;
  const dtypes = frame.columns.map((name) => {
    const { type = "", dtype } = fields.get(name) ?? {};
    return dtype ?? TYPES[type]?.[0];
  });
  return withDtypes(frame, dtypes);
}
