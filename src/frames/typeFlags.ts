import type { MemberType } from "../pages/rows.js";
import { dateText, stringifyExact } from "./exactJson.js";

/**
 * The types of value seen in a column, as bits. The type of the column follows from this set alone, so it does not depend on
 * the order of the values.
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

/** The flags of list items are stored above the flags of the values. */
const ITEM_SHIFT = 8;
const VALUE_MASK = 2 ** ITEM_SHIFT - 1;

/** The flags of a list whose items have these flags. */
function listOf(items: number): number {
  return TypeFlags.list | ((items & VALUE_MASK) << ITEM_SHIFT);
}

/** The flags of the items in the lists of a column. */
export function itemFlags(flags: number): number {
  return (flags >> ITEM_SHIFT) & VALUE_MASK;
}

const LONG_INTS = TypeFlags.int | TypeFlags.longInt;
const FLOATS = TypeFlags.int | TypeFlags.float;

/** The narrowest type that can hold every value of these types; text can hold all. */
export function columnType(all: number): ColumnType {
  const flags = all & VALUE_MASK;
  if (flags === 0) return "string";
  if ((flags & ~LONG_INTS) === 0) return "int";
  if ((flags & ~FLOATS) === 0) return "float";
  if (flags === TypeFlags.bool) return "bool";
  if (flags === TypeFlags.datetime) return "datetime";
  if (flags === TypeFlags.list) return "list";
  return "string";
}

export function flagOf(member: MemberType): number {
  return member === "null" ? 0 : TypeFlags[member];
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const ISO_TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?:(?<=\.\d{6})0+)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** The type flag of a value; 0 for null, and for "" in a column declared as anything but text. */
export function cellFlag(value: unknown, declared: number): number {
  switch (typeof value) {
    case "string":
      if (declared !== TypeFlags.datetime)
        return value === "" && declared !== TypeFlags.string && declared !== 0 ? 0 : TypeFlags.string;
      if (value === "") return 0;
      return parseTimestamp(value) === undefined ? TypeFlags.string : TypeFlags.datetime;
    case "number":
      if (!Number.isFinite(value)) return Number.isNaN(value) ? 0 : TypeFlags.hugeNumber;
      if (!Number.isInteger(value)) return TypeFlags.float;
      return Number.isSafeInteger(value) ? TypeFlags.int : TypeFlags.float;
    case "bigint":
      if (value > INT64_MAX || value < INT64_MIN) return TypeFlags.hugeNumber;
      return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER ? TypeFlags.longInt : TypeFlags.int;
    case "boolean":
      return TypeFlags.bool;
    default:
      if (value === null || value === undefined) return 0;
      if (value instanceof Date) {
        const text = dateText(value);
        if (text === null) return 0;
        return declared === TypeFlags.string || parseTimestamp(text) === undefined
          ? TypeFlags.string
          : TypeFlags.datetime;
      }
      if (!Array.isArray(value)) return TypeFlags.string;
      return listOf((value as unknown[]).reduce((flags: number, item) => flags | itemFlag(item), 0));
  }
}

/** The type flag of a list item. The items of nested lists are not inspected. */
function itemFlag(item: unknown): number {
  return Array.isArray(item) ? TypeFlags.list : cellFlag(item, 0);
}

/** A value as it appears in a text column: strings unchanged, everything else as JSON. */
export function cellText(value: unknown): string {
  if (typeof value === "string") return value.toWellFormed();
  if (value instanceof Date) return dateText(value) ?? "";
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/**
 * Normalizes a timestamp for polars, with seconds and an offset. A date alone means midnight; a missing offset means UTC. Returns
 * `undefined` for any other string, and for timestamps finer than a microsecond, the precision of a column.
 * @example
 * parseTimestamp("2024-04-27"); //=> "2024-04-27T00:00:00Z"
 * parseTimestamp("2024-02-30"); //=> undefined
 * parseTimestamp("2024-04-27T00:00:00.1234567Z"); //=> undefined
 */
export function parseTimestamp(text: string): string | undefined {
  const match = ISO_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day, time = "00:00:00", offset = "Z"] = match as unknown as [string, string, string?, string?];
  const normalized = `${day}T${time.length === 5 ? `${time}:00` : time}${offset}`;
  // Date.parse turns 30 February into 1 March, so the day is checked separately.
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return exists && time.slice(0, 2) !== "24" && !Number.isNaN(Date.parse(normalized)) ? normalized : undefined;
}

/**
 * The milliseconds since 1970 of a time in a column of text, as a column of timestamps has them: UTC without an offset, in whatever zone this runs, and
 * "5" is no year. pandas and SQL write a space before the time.
 */
export function timeOf(text: string): number | null {
  const timestamp = parseTimestamp(text.replace(/^([\d-]{10}) /, "$1T"));
  return timestamp === undefined ? null : Date.parse(timestamp);
}
