import type { DuckDBConnection } from "@duckdb/node-api";
import { type TextType, TEXT_TYPES as TYPES } from "./fields.js";

const ANY = 511;
const DATES = TYPES.DATE | TYPES.TIMESTAMP | TYPES.TIMESTAMP_NS | TYPES.TIMESTAMPTZ;

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
  when ${matches(String.raw`0|-?[1-9]\d*`)} then ${holds("bigint", TYPES.BIGINT)} | ${holds("ubigint", TYPES.UBIGINT)}
    | if(coalesce(abs(try_cast(v as hugeint)) <= 9007199254740992, false), ${TYPES.DOUBLE}, 0)
  when ${matches(String.raw`-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?`)} then if(isfinite(try_cast(v as double)), ${TYPES.DOUBLE}, 0)
  when lower(v) in ('nan', 'inf', '-inf', 'infinity', '-infinity') then ${TYPES.DOUBLE}
  when lower(v) in ('true', 'false') then ${TYPES.BOOLEAN}
  when ${matches(DAY)} then ${holds("date", DATES)}
  when ${matches(`${DAY}[T ]${TIME}`)} then ${holds("timestamp", DATES - TYPES.DATE)}
  when ${matches(`${DAY}[T ]${TIME}${ZONE}`)} then ${holds("timestamptz", TYPES.TIMESTAMPTZ)}
  when ${matches(String.raw`${DAY}[T ]\d\d:\d\d:\d\d\.\d{7,9}`)} then ${holds("timestamp_ns", TYPES.TIMESTAMP_NS)}
  when ${matches(TIME)} then ${holds("time", TYPES.TIME)}
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
      const type = candidates.find((each) => (TYPES[each] & types) !== 0);
      return type === undefined ? [] : [[name, type] as const];
    }),
  );
}

/** An SQL expression for a column of text with a type. Empty text is null. */
export function castText(name: string, type: TextType): string {
  return `nullif(trim(${name}), '')::${type}`;
}
