import type { DuckDBConnection } from "@duckdb/node-api";
import { withDtypes } from "../frames/dtypes.js";
import type { PolarsFrame } from "../frames/polars.js";
import { partsOf } from "./tableFrame.js";

/** Types that text may represent, in order of preference, and their bits. */
const BITS = {
  BIGINT: 1,
  UBIGINT: 2,
  DOUBLE: 4,
  BOOLEAN: 8,
  DATE: 16,
  TIMESTAMP: 32,
  TIMESTAMP_NS: 64,
  TIMESTAMPTZ: 128,
  TIME: 256,
} as const;

type TextType = keyof typeof BITS;

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

export function withFields(frame: PolarsFrame, fields: Fields): PolarsFrame {
  if (fields.size === 0) return frame;
  const dtypes = frame.columns.map((name) => {
    const { type = "", dtype } = fields.get(name) ?? {};
    return dtype ?? TYPES[type]?.[0];
  });
  return withDtypes(frame, dtypes);
}

const ANY = 511;
const DATES = BITS.DATE | BITS.TIMESTAMP | BITS.TIMESTAMP_NS | BITS.TIMESTAMPTZ;

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
  when ${matches(String.raw`0|-?[1-9]\d*`)} then ${holds("bigint", BITS.BIGINT)} | ${holds("ubigint", BITS.UBIGINT)}
    | if(coalesce(abs(try_cast(v as hugeint)) <= 9007199254740992, false), ${BITS.DOUBLE}, 0)
  when ${matches(String.raw`-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?`)} then if(isfinite(try_cast(v as double)), ${BITS.DOUBLE}, 0)
  when lower(v) in ('nan', 'inf', '-inf', 'infinity', '-infinity') then ${BITS.DOUBLE}
  when lower(v) in ('true', 'false') then ${BITS.BOOLEAN}
  when ${matches(DAY)} then ${holds("date", DATES)}
  when ${matches(`${DAY}[T ]${TIME}`)} then ${holds("timestamp", DATES - BITS.DATE)}
  when ${matches(`${DAY}[T ]${TIME}${ZONE}`)} then ${holds("timestamptz", BITS.TIMESTAMPTZ)}
  when ${matches(String.raw`${DAY}[T ]\d\d:\d\d:\d\d\.\d{7,9}`)} then ${holds("timestamp_ns", BITS.TIMESTAMP_NS)}
  when ${matches(TIME)} then ${holds("time", BITS.TIME)}
  else 0 end`;

/** The possible types of undescribed text, and of such text in quotes. */
const UNKNOWN = (Object.keys(BITS) as TextType[]).filter((type) => type !== "TIME");
const UNKNOWN_QUOTED = UNKNOWN.filter((type) => (BITS[type] & DATES) !== 0);

export interface TextColumn {
  readonly name: string;
  /** The described types, in order of preference: none if it is really text; undefined if unknown. */
  readonly known: readonly TextType[] | undefined;
}

/**
 * Expressions for the columns whose texts all represent one type. They turn empty text into null.
 *
 * @param table an SQL table expression
 * @param isQuoted whether all text was quoted: then numbers remain text, unless described otherwise
 */
export async function typedText(
  connection: DuckDBConnection,
  table: string,
  columns: readonly TextColumn[],
  isQuoted: boolean,
): Promise<Map<string, string>> {
  const open = columns.filter(({ known }) => known?.length !== 0);
  if (open.length === 0) return new Map();
  await connection.run(MACRO);
  const bits = new Map<string, number>();
  for (const names of partsOf(open.map(({ name }) => name))) {
    const found = await connection.runAndReadAll(
      `select name, bit_and(types_of(trim(v))) from (unpivot (select ${names.join()} from ${table})
      on columns(*) into name name value v) group by name`,
    );
    for (const [name, value] of found.getRows()) bits.set(String(name), Number(value));
  }
  return new Map(
    open.flatMap(({ name, known = [] }) => {
      const possible = bits.get(name) ?? ANY;
      // A column without values is text, unless described otherwise.
      const others = possible === ANY ? [] : isQuoted ? UNKNOWN_QUOTED : UNKNOWN;
      const type = [...known, ...others].find((each) => (BITS[each] & possible) !== 0);
      return type === undefined ? [] : [[name, `nullif(trim(${name}), '')::${type}`] as const];
    }),
  );
}
