// The public types of files rest on these: they must not need the types of DuckDB.

import type { DuckDBConnection } from "@duckdb/node-api";
import { withDtypes } from "../frames/dtypes.js";
import type { PolarsFrame } from "../frames/polars.js";

/** DuckDB types that text may represent, in order of preference, and their bits. */
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

/** The default dtype of each type, and the types of its text in files. */
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

/** The possible types of the text of a field: none if it is really text; undefined if unknown. */
export function textTypes(field: Field | undefined): readonly TextType[] | undefined {
  if (field === undefined) return undefined;
  const [, ...types] = TYPES[field.type] ?? ["String"];
  if (field.dtype?.startsWith("Datetime(ns")) return ["TIMESTAMP_NS", ...types];
  return field.dtype?.endsWith(",)") ? ["TIMESTAMP", ...types] : types;
}

/** The dtype of a field, if it is not the default of its type. */
export function unusualDtype(type: string, dtype: string): Pick<Field, "dtype"> {
  return TYPES[type]?.[0] === dtype || type === "object" ? {} : { dtype };
}

/** Casts the columns of a frame to the described dtypes. */
export function withFields(frame: PolarsFrame, fields: Fields): PolarsFrame {
  if (fields.size === 0) return frame;
  const dtypes = frame.columns.map((name) => {
    const { type = "", dtype } = fields.get(name) ?? {};
    return dtype ?? TYPES[type]?.[0];
  });
  return withDtypes(frame, dtypes);
}

const ANY = 511;
const DATES = TEXT_TYPES.DATE | TEXT_TYPES.TIMESTAMP | TEXT_TYPES.TIMESTAMP_NS | TEXT_TYPES.TIMESTAMPTZ;

const matches = (pattern: string) => `regexp_full_match(v, '${pattern}')`;
const holds = (type: string, bits: number) => `if(try_cast(v as ${type}) is null, 0, ${bits})`;
const DAY = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d(:\d\d(\.\d{1,6}0*)?)?`;
const ZONE = String.raw` ?(Z|UTC|[+-]\d\d(:?\d\d)?)`;

/**
 * The types that can represent a text without changing its value, as bits. Numbers with a leading zero or plus sign remain text (ZIP
 * codes, telephone numbers), and so do integers that would be rounded.
 */
const MACRO = `create or replace macro types_of(v) as case
  when v = '' then ${ANY}
  when ${matches(String.raw`0|-?[1-9]\d*`)} then ${holds("bigint", TEXT_TYPES.BIGINT)} | ${holds("ubigint", TEXT_TYPES.UBIGINT)}
    | if(coalesce(abs(try_cast(v as hugeint)) <= 9007199254740992, false), ${TEXT_TYPES.DOUBLE}, 0)
  when ${matches(String.raw`-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?`)} then if(isfinite(try_cast(v as double)), ${TEXT_TYPES.DOUBLE}, 0)
  when lower(v) in ('nan', 'inf', '-inf', 'infinity', '-infinity') then ${TEXT_TYPES.DOUBLE}
  when lower(v) in ('true', 'false') then ${TEXT_TYPES.BOOLEAN}
  when ${matches(DAY)} then ${holds("date", DATES)}
  when ${matches(`${DAY}[T ]${TIME}`)} then ${holds("timestamp", DATES - TEXT_TYPES.DATE)}
  when ${matches(`${DAY}[T ]${TIME}${ZONE}`)} then ${holds("timestamptz", TEXT_TYPES.TIMESTAMPTZ)}
  when ${matches(String.raw`${DAY}[T ]\d\d:\d\d:\d\d\.\d{7,9}`)} then ${holds("timestamp_ns", TEXT_TYPES.TIMESTAMP_NS)}
  when ${matches(TIME)} then ${holds("time", TEXT_TYPES.TIME)}
  else 0 end`;

export const NUMBER_TYPES: readonly TextType[] = ["BIGINT", "UBIGINT", "DOUBLE"];
/** Of undescribed text. A time without a zone is in UTC, like those of the service; only nanoseconds need a type without one. */
export const DATE_TYPES: readonly TextType[] = ["DATE", "TIMESTAMPTZ", "TIMESTAMP_NS"];

/** A column of text, and the types that its text may represent, in order of preference. */
export interface TextColumn {
  readonly name: string;
  /** Of a described column: none if it is really text. */
  readonly described?: readonly TextType[] | undefined;
  /** Of any other column. */
  readonly possible: readonly TextType[];
}

/**
 * The types of the columns whose texts all represent one type, by name.
 *
 * @param table an SQL table expression
 */
export async function typesOfText(
  connection: DuckDBConnection,
  table: string,
  columns: readonly TextColumn[],
): Promise<Map<string, TextType>> {
  const open = columns.filter(({ described, possible }) => (described ?? possible).length > 0);
  if (open.length === 0) return new Map();
  await connection.run(MACRO);
  const rows = await connection.runAndReadAll(
    `select name, bit_and(types_of(trim(v))) from (unpivot (select ${open.map(({ name }) => name).join()} from ${table})
    on columns(*) into name name value v) group by name`,
  );
  const bits = new Map(rows.getRows().map(([name, value]) => [String(name), Number(value)]));
  return new Map(
    open.flatMap(({ name, described = [], possible }) => {
      const types = bits.get(name) ?? ANY;
      // A column without values is text, unless described otherwise.
      const candidates = types === ANY ? described : [...described, ...possible];
      const type = candidates.find((each) => (TEXT_TYPES[each] & types) !== 0);
      return type === undefined ? [] : [[name, type] as const];
    }),
  );
}

/** An SQL expression for a column of text with a type. Empty text is null. */
export function castText(name: string, type: TextType): string {
  return `nullif(trim(${name}), '')::${type}`;
}
