import type { MemberType, RowShape } from "./rowShape.js";

const STRING = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
// Days that exist in every year. 29 February is left to the byte scanner.
const DAY = String.raw`(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`;

// Fifteen digits are exact in every number type that may hold the value.
const VALUES: Readonly<Record<MemberType, string>> = {
  string: `(?:${STRING}|null)`,
  int: String.raw`(?:-?(?:0|[1-9]\d{0,14})|null)(?=[,}])`,
  float: String.raw`(?:(?=[^,}]{1,15}[,}])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|null)`,
  bool: "(?:true|false|null)",
  datetime: String.raw`(?:"[1-9]\d{3}-${DAY}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"|null)`,
  null: "null",
};

/** Rows have few layouts. More patterns than this would cost more than they save. */
const MAX_PATTERNS = 8;
/** With more members or more characters in their names, the engine rejects the expression or compiles it slowly. */
const MAX_MEMBERS = 200;
const MAX_NAME_CHARACTERS = 10_000;

/** A layout of rows: their members, in order. */
export interface RowPattern {
  /** Matches a whole row. */
  readonly row: RegExp;
  /** Whether these rows have an id. */
  readonly hasId: boolean;
  /** The quoted names of the members, in order, decoded as latin1 so that each character is a byte. */
  readonly names: readonly string[];
}

const known = new WeakMap<RowShape, Map<string, RowPattern>>();

/** The layouts of a shape that were seen so far. */
export function rowPatterns(shape: RowShape): RowPattern[] {
  return [...(known.get(shape)?.values() ?? [])];
}

/**
 * Remembers a layout: rows with these members of the shape, in this order.
 *
 * @param members indexes into the shape
 */
export function learnPattern(shape: RowShape, members: readonly number[]): void {
  if (members.length > MAX_MEMBERS) return;
  const patterns = known.get(shape) ?? new Map<string, RowPattern>();
  const layout = members.join();
  if (patterns.has(layout) || patterns.size === MAX_PATTERNS) return;
  const layoutNames = members.map((at) => shape.names[at] as string);
  // A name with a quote could end in `"id":`, and the scanner locates the id by these bytes.
  if (layoutNames.some((name) => name.includes('"')) || layoutNames.join("").length > MAX_NAME_CHARACTERS) return;
  const hasId = layoutNames.includes("id");
  const names = members.map((at) => Buffer.from(JSON.stringify(shape.names[at])).toString("latin1"));
  known.set(shape, patterns.set(layout, { row: rowPattern(shape, members), hasId, names }));
}

/**
 * An expression for a whole compact row with these members in this order, each of its type. The regular-expression engine
 * is several times faster than a loop over bytes. It applies to latin1 text, so that each character is a byte.
 */
function rowPattern({ names, types }: RowShape, members: readonly number[]): RegExp {
  const parts = members.map((at) => {
    const name = Buffer.from(JSON.stringify(names[at])).toString("latin1");
    return `${name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}:${VALUES[types[at] as MemberType]}`;
  });
  return new RegExp(String.raw`\{${parts.join(",")}\}`, "y");
}
