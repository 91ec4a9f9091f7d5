import type { DuckDBConnection } from "@duckdb/node-api";
import { type TextType, TEXT_TYPES as TYPES } from "./fields.js";

const ANY = 511;
const DATES = TYPES.DATE | TYPES.TIMESTAMP | TYPES.TIMESTAMP_NS | TYPES.TIMESTAMPTZ;

const matches = (pattern: string) => `regexp_full_match(v, '${pattern}')`;
const castable = (type: string, bits: number) => `if(try_cast(v as ${type}) is null, 0, ${bits})`;
const DAY = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d(:\d\d(\.\d{1,6}0*)?)?`;
const ZONE = String.raw` ?(Z|UTC|[+-]\d\d(:?\d\d)?)`;

/**
 * The types that can represent a text without changing its value, as bits. Numbers with a leading zero or plus sign remain text (ZIP
 * codes, telephone numbers), and so do integers that would be rounded.
 */
const MACRO = `create or replace macro types_of(v) as case
  when v = '' then ${ANY}
  when ${matches(String.raw`0|-?[1-9]\d*`)} then ${castable("bigint", TYPES.BIGINT)} | ${castable("ubigint", TYPES.UBIGINT)}
    | if(coalesce(abs(try_cast(v as hugeint)) <= 9007199254740992, false), ${TYPES.DOUBLE}, 0)
  when ${matches(String.raw`-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?`)} then if(isfinite(try_cast(v as double)), ${TYPES.DOUBLE}, 0)
  when lower(v) in ('nan', 'inf', '-inf', 'infinity', '-infinity') then ${TYPES.DOUBLE}
  when lower(v) in ('true', 'false') then ${TYPES.BOOLEAN}
  when ${matches(DAY)} then ${castable("date", DATES)}
  when ${matches(`${DAY}[T ]${TIME}`)} then ${castable("timestamp", DATES - TYPES.DATE)}
  when ${matches(`${DAY}[T ]${TIME}${ZONE}`)} then ${castable("timestamptz", TYPES.TIMESTAMPTZ)}
  when ${matches(String.raw`${DAY}[T ]\d\d:\d\d:\d\d\.\d{7,9}`)} then ${castable("timestamp_ns", TYPES.TIMESTAMP_NS)}
  when ${matches(TIME)} then ${castable("time", TYPES.TIME)}
  else 0 end`;

export const NUMBER_TYPES: readonly TextType[] = ["BIGINT", "UBIGINT", "DOUBLE"];
/** A timestamp without a time zone is read as UTC, like those of the service. DuckDB has nanoseconds only without a zone. */
export const DATE_TYPES: readonly TextType[] = ["DATE", "TIMESTAMPTZ", "TIMESTAMP_NS"];

export interface TextColumn {
  readonly name: string;
  /** The types of a column that `datapackage.json` describes: none for text. */
  readonly describedTypes?: readonly TextType[] | undefined;
  /** The types to infer for any other column, in order of preference. */
  readonly candidates: readonly TextType[];
}

/** Infers the types of columns from all of their values. Text columns are not in the result. @param table an SQL table expression */
export async function inferTypes(
  connection: DuckDBConnection,
  table: string,
  columns: readonly TextColumn[],
): Promise<Map<string, TextType>> {
  const castableColumns = columns.filter(({ describedTypes, candidates }) => (describedTypes ?? candidates).length > 0);
  if (castableColumns.length === 0) return new Map();
  await connection.run(MACRO);
  const rows = await connection.runAndReadAll(
    `select name, bit_and(types_of(trim(v))) from (unpivot (select ${castableColumns.map(({ name }) => name).join()} from ${table})
    on columns(*) into name name value v) group by name`,
  );
  const bits = new Map(rows.getRows().map(([name, value]) => [String(name), Number(value)]));
  return new Map(
    castableColumns.flatMap(({ name, describedTypes = [], candidates }) => {
      const types = bits.get(name) ?? ANY;
      // A column without values is text, unless described otherwise.
      const allowed = types === ANY ? describedTypes : [...describedTypes, ...candidates];
      const type = allowed.find((each) => (TYPES[each] & types) !== 0);
      return type === undefined ? [] : [[name, type] as const];
    }),
  );
}

/** An SQL expression that casts a text column. Empty text becomes null. */
export function castText(name: string, type: TextType): string {
  return `nullif(trim(${name}), '')::${type}`;
}
