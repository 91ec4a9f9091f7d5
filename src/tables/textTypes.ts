import type { DuckDBConnection } from "@duckdb/node-api";
import type { TextType } from "./fields.js";
import { partsOf } from "./tableFrame.js";

/** Types that text may represent, in order of preference, and their bits. */
const TYPES = {
  BIGINT: 1,
  UBIGINT: 2,
  DOUBLE: 4,
  BOOLEAN: 8,
  DATE: 16,
  TIMESTAMP: 32,
  TIMESTAMP_NS: 64,
  TIMESTAMPTZ: 128,
  TIME: 256,
} as const satisfies Readonly<Record<TextType, number>>;

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

/** The possible types of undescribed text, and of such text in quotes. */
const UNKNOWN = (Object.keys(TYPES) as TextType[]).filter((type) => type !== "TIME");
const UNKNOWN_QUOTED = UNKNOWN.filter((type) => (TYPES[type] & DATES) !== 0);

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
      const type = [...known, ...others].find((each) => (TYPES[each] & possible) !== 0);
      return type === undefined ? [] : [[name, `nullif(trim(${name}), '')::${type}`] as const];
    }),
  );
}
