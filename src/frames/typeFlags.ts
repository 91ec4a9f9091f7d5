import type { MemberType } from "../service/json/rowShape.js";

/**
 * The flags of value seen in a column, as bits: what a column becomes follows from the set alone, so it is the same
 * whatever order the values come in.
 */
export const TypeFlags = {
  int: 1,
  /** A whole number beyond 2^53, which a float column would round. */
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

/** The flags of the items of lists lie above the flags of the values. */
const ITEMS = 8;
const OWN = 2 ** ITEMS - 1;

/** The bits of a list with items of these flags. */
export function listOf(items: number): number {
  return TypeFlags.list | ((items & OWN) << ITEMS);
}

/** The flags of the items in the lists of a column. */
export function itemFlags(flags: number): number {
  return (flags >> ITEMS) & OWN;
}

const LONG_INTS = TypeFlags.int | TypeFlags.longInt;
const FLOATS = TypeFlags.int | TypeFlags.float;

/** The narrowest type that holds every kind of value in the set; text holds everything. */
export function columnType(all: number): ColumnType {
  const flags = all & OWN;
  if (flags === 0) return "string";
  if ((flags & ~LONG_INTS) === 0) return "int";
  if ((flags & ~FLOATS) === 0) return "float";
  if (flags === TypeFlags.bool) return "bool";
  if (flags === TypeFlags.datetime) return "datetime";
  if (flags === TypeFlags.list) return "list";
  return "string";
}

/** The bit of a declared or learned member. */
export function flagOf(member: MemberType): number {
  return member === "null" ? 0 : TypeFlags[member];
}
