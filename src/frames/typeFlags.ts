import type { MemberType } from "../pages/rowShape.js";

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

/** The type of a finished column. */
export type ColumnType = "string" | "int" | "float" | "bool" | "datetime" | "list";

/** The flags of list items are stored above the flags of the values. */
const ITEM_SHIFT = 8;
const VALUE_MASK = 2 ** ITEM_SHIFT - 1;

/** The flags of a list whose items have these flags. */
export function listOf(items: number): number {
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

/** The flag of a member of this type. */
export function flagOf(member: MemberType): number {
  return member === "null" ? 0 : TypeFlags[member];
}
