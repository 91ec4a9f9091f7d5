import type { MemberType } from "../pages/rows.js";
import { parseTimestamp } from "../util/timestamp.js";
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

/** The flags of the items in the lists of a column. */
export function itemFlags(flags: number): number {
  return flags >> ITEM_SHIFT;
}

const INTS = TypeFlags.int | TypeFlags.longInt;
const FLOATS = TypeFlags.int | TypeFlags.float;

/** The narrowest type that can hold every value of these types; text can hold all. */
export function columnType(all: number): ColumnType {
  const flags = all & VALUE_MASK;
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
