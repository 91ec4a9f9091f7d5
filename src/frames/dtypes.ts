import type { MemberType } from "../pages/rows.js";
import { parseTimestamp } from "../util/period.js";
import { dateText, stringifyExact } from "./exactJson.js";
import { numberedColumns, selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";

type Dtype = PolarsFrame["dtypes"][number];

const SCALARS =
  "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 Bool String Categorical Date Time".split(" ");

/** The names of the dtypes of a frame: `Int64`, `Datetime(us,UTC)`, `List(Float64)`. */
export function dtypeNames(frame: PolarsFrame): string[] {
  return frame.dtypes.map((dtype, at) => {
    if (dtype.variant !== "Duration") return dtypeName(String(dtype));
    // Every duration has the dtype Duration(ms); only the printed frame shows its unit.
    const text = String(selectColumns(numberedColumns(frame).head(0), [`c${at}`]));
    return `Duration(${/duration\[(.)s\]/.exec(text)?.[1]?.replace("μ", "u")}s)`;
  });
}

function dtypeName(text: string): string {
  const name = /^DataType\((.*)\)$/s.exec(text)?.[1] ?? text;
  const items = /^List\((.*)\)$/s.exec(name)?.[1];
  return items === undefined ? name : `List(${dtypeName(items)})`;
}

/** The dtype of a name; undefined if no column can be cast to it. */
export function dtypeNamed(name: string): Dtype | undefined {
  if (SCALARS.includes(name)) return pl[name as "Int8"] as unknown as Dtype;
  const [, kind, unit, zone] = /^(Datetime|Duration)\((ms|us|ns)(?:,([\w/+-]*))?\)$/.exec(name) ?? [];
  if (kind === "Duration") return pl.Duration(unit as "ms");
  if (kind === "Datetime") return pl.Datetime(unit as "ms", zone || undefined);
  const [, items] = /^List\((.*)\)$/s.exec(name) ?? [];
  const inner = items === undefined ? undefined : dtypeNamed(items);
  return inner && pl.List(inner);
}

/**
 * Casts columns to dtypes. A column with a value that does not fit keeps its dtype.
 *
 * @param names the name of a dtype for each column; undefined to keep its dtype
 */
export function withDtypes(frame: PolarsFrame, names: ReadonlyArray<string | undefined>): PolarsFrame {
  const numbered = numberedColumns(frame);
  const casts = dtypeNames(frame).flatMap((from, at) => {
    const to = names[at] ?? from;
    const dtype = from === to ? undefined : dtypeNamed(to);
    return dtype === undefined ? [] : castOrSame(numbered.getColumn(`c${at}`), from, dtype);
  });
  const castFrame = casts.length === 0 ? numbered : numbered.withColumns(...casts);
  castFrame.columns = frame.columns;
  return castFrame;
}

function castOrSame(column: pl.Series, from: string, dtype: Dtype): pl.Series {
  try {
    const isJson = from === "String" && dtype.variant === "List";
    return isJson ? column.str.jsonDecode(dtype).rename(column.name) : column.cast(dtype, true);
  } catch {
    // A value does not fit.
    return column;
  }
}

/**
 * The types of the values in a column, as bits. They alone determine the type of the column, so the order of the values does not matter.
 */
export const TypeFlags = {
  int: 1,
  /** An integer beyond 2^53, which a float column would round. */
  longInt: 2,
  /** A number that neither Int64 nor Float64 holds. */
  hugeNumber: 4,
  float: 8,
  bool: 16,
  string: 32,
  datetime: 64,
  list: 128,
} as const;

export type ColumnType = "string" | "int" | "float" | "bool" | "datetime" | "list";

/** The type in which a chunk stores a column until the full result is known. Lists are stored as JSON text. */
export type StoredType = Exclude<ColumnType, "list">;

/** The flags of list items are the bits above those of the values. */
const ITEM_SHIFT = 8;
const VALUE_MASK = 2 ** ITEM_SHIFT - 1;

/** The flags of the items in the lists of a column. */
export function itemFlags(flags: number): number {
  return flags >> ITEM_SHIFT;
}

const INTS = TypeFlags.int | TypeFlags.longInt;
const FLOATS = TypeFlags.int | TypeFlags.float;

/** The narrowest type that can hold every value of these types; text can hold all. */
export function columnType(allFlags: number): ColumnType {
  const flags = allFlags & VALUE_MASK;
  if (flags === 0) return "string";
  if ((flags & ~INTS) === 0) return "int";
  if ((flags & ~FLOATS) === 0) return "float";
  if (flags === TypeFlags.bool) return "bool";
  if (flags === TypeFlags.datetime) return "datetime";
  return flags === TypeFlags.list ? "list" : "string";
}

export function flagOf(member: MemberType): number {
  return member === "null" ? 0 : TypeFlags[member];
}

/** The type flags of a value; 0 for null, and for "" in a column declared as anything but text. */
export function cellFlag(value: unknown, declared = 0): number {
  switch (typeof value) {
    case "string":
      if (value === "" && declared !== 0 && declared !== TypeFlags.string) return 0;
      return declared === TypeFlags.datetime && parseTimestamp(value) ? TypeFlags.datetime : TypeFlags.string;
    case "number":
      if (Number.isNaN(value)) return 0;
      if (!Number.isFinite(value)) return TypeFlags.hugeNumber;
      return Number.isSafeInteger(value) ? TypeFlags.int : TypeFlags.float;
    case "bigint":
      if (BigInt.asIntN(64, value) !== value) return TypeFlags.hugeNumber;
      return Number.isSafeInteger(Number(value)) ? TypeFlags.int : TypeFlags.longInt;
    case "boolean":
      return TypeFlags.bool;
  }
  if (value === null || value === undefined) return 0;
  if (value instanceof Date) {
    const text = dateText(value);
    if (text === null) return 0;
    return declared === TypeFlags.string ? TypeFlags.string : cellFlag(text, TypeFlags.datetime);
  }
  if (!Array.isArray(value)) return TypeFlags.string;
  // The items of nested lists are not inspected.
  const items = value.reduce(
    (flags: number, item) => flags | (Array.isArray(item) ? TypeFlags.list : cellFlag(item)),
    0,
  );
  return TypeFlags.list | (items << ITEM_SHIFT);
}

/** A value as it appears in a text column: strings unchanged, everything else as JSON. */
export function cellText(value: unknown): string {
  if (typeof value === "string") return value.toWellFormed();
  if (value instanceof Date) return dateText(value) ?? "";
  return /^(?:number|bigint|boolean)$/.test(typeof value) ? String(value) : stringifyExact(value);
}
