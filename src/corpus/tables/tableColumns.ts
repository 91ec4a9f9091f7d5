import { mapText, TIMESTAMP_FORMAT } from "../../frames/frameColumns.js";
import { dt, type PolarsFrame, pl } from "../../frames/polars.js";
import { TIMESTAMP } from "../../frames/resultFrame.js";
import { cellText } from "../../frames/typeFlags.js";
import type { MemberType } from "../../pages/rows.js";
import { type DeclaredColumns, operations } from "../../service/operations/operations.js";
import { byCodeUnit } from "../../util/byCodeUnit.js";

/** A dtype of polars. */
export type DataType = PolarsFrame["dtypes"][number];

/** The columns of a table and their dtypes, in order. */
export type TableColumns = ReadonlyMap<string, DataType>;

const DTYPES: Readonly<Record<MemberType, DataType>> = {
  int: pl.Int64,
  float: pl.Float64,
  bool: pl.Bool,
  string: pl.String,
  datetime: TIMESTAMP,
  null: pl.String,
};

/** The columns of an operation, with the dtypes of their values. */
export function declaredColumns(columns: DeclaredColumns): TableColumns {
  return new Map(Object.entries(columns).map(([name, type]) => [name, DTYPES[type]]));
}

/** The columns of mentions that the service declares. `id` and `begintime` come first. */
export const DECLARED: TableColumns = declaredColumns(operations.mentions.columns);

/** The columns that a corpus adds to mentions: days in UTC. */
export const DAY_COLUMNS = ["first_seen", "changed", "vanished"] as const;

const STORED = new Set([pl.String, pl.Int64, pl.Float64, pl.Bool, DTYPES.datetime].map(String));
/** Names and dtypes of the columns of a file, as its manifest has them. */
export type RawSchema = ReadonlyArray<readonly [name: string, dtype: string]>;

/** Names that the corpus needs itself: its own columns, and those of the directories. Some readers ignore case. */
const TAKEN = new Set<string>([...DAY_COLUMNS, "year", "month"]);

/**
 * The rows with the names and dtypes that a table can hold: a name of the corpus gets a trailing `_`, lists and anything
 * else that is neither text, number, boolean nor timestamp becomes text.
 */
export function storable(frame: PolarsFrame): PolarsFrame {
  const names = frame.columns;
  const dtypes = frame.dtypes.map(String);
  const text = names.filter((_name, at) => !STORED.has(dtypes[at] as string));
  const result = text.reduce((rows, name) => mapText(rows, name, cellText), frame);
  const stored = names.map(storedName);
  if (stored.every((name, at) => name === names[at])) return result;
  const renamed = result.clone();
  renamed.columns = stored;
  return renamed;
}

/** The name of a column of the service in a corpus. Expressions of polars would take `*` and `^…$` for patterns. */
export function storedName(name: string): string {
  return /^[~^*]/.test(name) ? `_${name}` : isTaken(name) ? `${name}_` : name;
}

/** The name of a dtype, without its class: `Int64`. */
export function dtypeName(dtype: unknown): string {
  return /^DataType\((.*)\)$/s.exec(String(dtype))?.[1] ?? String(dtype);
}

function isTaken(name: string): boolean {
  return TAKEN.has(name.toLowerCase().replace(/(?<!_)_+$/, ""));
}

/**
 * The columns of files together: the declared ones first, the others by name, so that the order of the files is irrelevant. What has
 * several dtypes widens: numbers to Float64, anything else to text.
 */
export function unionSchema(schemas: Iterable<RawSchema>): Map<string, string> {
  const union = new Map([...DECLARED].map(([name, dtype]) => [name, dtypeName(dtype)]));
  const others = new Map<string, string>();
  for (const schema of new Set(schemas))
    for (const [name, dtype] of schema) {
      const columns = union.has(name) ? union : others;
      const known = columns.get(name) ?? dtype;
      const areNumbers = [known, dtype].every((one) => one === "Int64" || one === "Float64");
      columns.set(name, known === dtype ? dtype : areNumbers ? "Float64" : "String");
    }
  return new Map([...union, ...[...others].sort(([a], [b]) => byCodeUnit(a, b))]);
}

const BY_NAME = new Map([...Object.values(DTYPES), pl.Date].map((dtype) => [dtypeName(dtype), dtype]));
const conversions = new Map<string, pl.Expr | undefined>();

/** The expressions that give a file the columns of a union. An expression takes about a millisecond to create. */
export function widening(own: RawSchema, union: ReadonlyMap<string, string>): pl.Expr[] {
  const present = new Map(own);
  return [...union].flatMap(([name, dtype]) => {
    const from = present.get(name);
    if (from === dtype) return [];
    const key = JSON.stringify([name, from, dtype]);
    const expr = conversions.get(key) ?? converted(name, from, dtype);
    conversions.set(key, expr);
    return [expr];
  });
}

function converted(name: string, from: string | undefined, to: string): pl.Expr {
  const dtype = BY_NAME.get(to) ?? pl.String;
  const column = pl.col(name);
  if (from === undefined) return pl.lit(null).cast(dtype).alias(name);
  if (to !== "String") return column.cast(dtype);
  if (from.startsWith("Datetime")) return dt(column).strftime(TIMESTAMP_FORMAT).alias(name);
  // A whole number in a column of floats was sent without a point.
  return from === "Float64" ? column.cast(pl.String).str.replace("\\.0$", "").alias(name) : column.cast(pl.String);
}
