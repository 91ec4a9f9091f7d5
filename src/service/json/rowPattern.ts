import type { MemberType, RowShape } from "./rowShape.js";

const TEXT = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
// Days that exist in every year; 29 February is left to the slow way.
const DAY = String.raw`(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`;

// Fifteen digits are exact in every number type that the value can meet on its way.
const VALUES: Readonly<Record<MemberType, string>> = {
  string: `(?:${TEXT}|null)`,
  int: String.raw`(?:-?(?:0|[1-9]\d{0,14})|null)(?=[,}])`,
  float: String.raw`(?:(?=[^,}]{1,15}[,}])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|null)`,
  bool: "(?:true|false|null)",
  datetime: String.raw`(?:"[1-9]\d{3}-${DAY}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"|null)`,
  null: "null",
};

/** Rows come in few layouts: more patterns than this would cost more than they save. */
const MAX_PATTERNS = 8;
/** Of more members, or of names this long together, the engine refuses the expression or takes long to prepare it. */
const MAX_MEMBERS = 200;
const LONGEST_NAMES = 10_000;

/** A layout in which rows have come. */
export interface RowPattern {
  /** Matches a whole row. */
  readonly row: RegExp;
  /** Such rows have an id. */
  readonly hasId: boolean;
  /** The names of their members in order, in quotes, as they stand on the wire: in latin1, whose characters are bytes. */
  readonly names: readonly string[];
}

const known = new WeakMap<RowShape, Map<string, RowPattern>>();

/** The layouts in which rows of a shape have come so far. */
export function rowPatterns(shape: RowShape): RowPattern[] {
  return [...(known.get(shape)?.values() ?? [])];
}

/**
 * Remembers a layout: rows that have these members of the shape, in this order.
 *
 * @param members places in the shape
 */
export function learnPattern(shape: RowShape, members: readonly number[]): void {
  if (members.length > MAX_MEMBERS) return;
  const patterns = known.get(shape) ?? new Map<string, RowPattern>();
  const layout = members.join();
  if (patterns.has(layout) || patterns.size === MAX_PATTERNS) return;
  const wanted = members.map((at) => shape.names[at] as string);
  // In any other row the name of the id can be found by its bytes: it cannot be the end of another one.
  if (wanted.some((name) => name.includes('"')) || wanted.join("").length > LONGEST_NAMES) return;
  const hasId = wanted.includes("id");
  const names = members.map((at) => Buffer.from(JSON.stringify(shape.names[at])).toString("latin1"));
  known.set(shape, patterns.set(layout, { row: rowPattern(shape, members), hasId, names }));
}

/**
 * Matches a whole row, compact and with these members in this order, each of its kind: the engine of regular
 * expressions reads bytes several times faster than a loop does. For text in latin1, whose characters are bytes.
 */
function rowPattern({ names, types }: RowShape, members: readonly number[]): RegExp {
  const parts = members.map((at) => {
    const name = Buffer.from(JSON.stringify(names[at])).toString("latin1");
    return `${name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}:${VALUES[types[at] as MemberType]}`;
  });
  return new RegExp(String.raw`\{${parts.join(",")}\}`, "y");
}
