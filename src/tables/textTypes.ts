import type { DuckDBConnection } from "@duckdb/node-api";
import type { TextType } from "./fields.js";
import { partsOf } from "./tableFrame.js";

/** Types that text may stand for, the first ones preferred, and the bit of each. */
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
 * The types that a text may stand for without a change of its value, as bits. Numbers with a leading zero or plus sign are text (ZIP codes,
 * telephone numbers), and so are integers that a type would round.
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

/** The types of text that is not known, and of such text in quotes. */
const UNKNOWN = (Object.keys(TYPES) as TextType[]).filter((type) => type !== "TIME");
const UNKNOWN_QUOTED = UNKNOWN.filter((type) => (TYPES[type] & DATES) !== 0);

/** A column of text. */
export interface TextColumn {
  readonly name: string;
  /** The types that it is known to have, the preferred ones first; none if it is known to be text; undefined if it is not known. */
  readonly known: readonly TextType[] | undefined;
}

/**
 * Expressions for the columns of a table whose texts all stand for one type. Empty text is null in them.
 *
 * @param table a table expression of SQL
 * @param isQuoted whether a number was written as text: then it stays text, unless it is known
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
      // A column without values is text, unless it is known.
      const others = possible === ANY ? [] : isQuoted ? UNKNOWN_QUOTED : UNKNOWN;
      const type = [...known, ...others].find((each) => (TYPES[each] & possible) !== 0);
      return type === undefined ? [] : [[name, `nullif(trim(${name}), '')::${type}`] as const];
    }),
  );
}
