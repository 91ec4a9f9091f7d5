import type { ExprNode } from "../frames/polarsPlan.js";

/** A comparison of a column with a value that the service can apply too. Timestamps are milliseconds since 1970. */
export interface Comparison {
  readonly column: string;
  readonly op: "Eq" | "Gt" | "GtEq" | "Lt" | "LtEq";
  readonly value: { readonly timestamp: number } | { readonly number: number } | { readonly text: string };
}

const FLIPPED: Readonly<Record<string, Comparison["op"]>> = {
  Eq: "Eq",
  Gt: "Lt",
  GtEq: "LtEq",
  Lt: "Gt",
  LtEq: "GtEq",
};

/** The comparisons that hold for every row that passes a predicate. Parts that are not understood are skipped. */
export function comparisonsOf(node: ExprNode): Comparison[] {
  const found: Comparison[] = [];
  const open: ExprNode[] = [node];
  while (open.length > 0) {
    const binary = member(open.pop(), "BinaryExpr");
    if (binary === undefined) continue;
    const { left, op, right } = binary as { left: ExprNode; op: string; right: ExprNode };
    if (op === "And" || op === "LogicalAnd") open.push(right, left);
    else found.push(...(comparison(left, op, right) ?? comparison(right, FLIPPED[op] ?? "", left) ?? []));
  }
  return found;
}

function comparison(left: ExprNode, op: string, right: ExprNode): Comparison[] | undefined {
  const column = member(left, "Column");
  const value = literalOf(right);
  if (typeof column !== "string" || value === undefined || !(op in FLIPPED)) return undefined;
  return [{ column, op: op as Comparison["op"], value }];
}

const PER_MILLISECOND: Readonly<Record<string, bigint>> = {
  Milliseconds: 1n,
  Microseconds: 1000n,
  Nanoseconds: 1_000_000n,
};

function literalOf(node: ExprNode): Comparison["value"] | undefined {
  const cast = member(node, "Cast");
  if (cast !== undefined) {
    // Casting a literal to the type of its column does not change the comparison; other casts might.
    const { expr, dtype } = cast as { expr?: ExprNode; dtype?: unknown };
    const isLiteral = member(expr, "Literal") !== undefined;
    return isLiteral && /Datetime|"U?Int64"|"String"/.test(JSON.stringify(dtype)) ? literalOf(expr) : undefined;
  }
  const literal = member(node, "Literal") as ExprNode;
  const scalar = member(literal, "Scalar") ?? member(member(literal, "Dyn") as ExprNode, "Int");
  if (typeof scalar === "number") return { number: scalar };
  const [[type, value] = ["", undefined]] = Object.entries((scalar ?? {}) as object);
  if (/^(U?Int\d+|Float\d+)$/.test(type) && typeof value === "number") return { number: value };
  if (type === "String" && typeof value === "string") return { text: value };
  if (type !== "Datetime" || !Array.isArray(value)) return undefined;
  const [count, unit] = value as [number | string, string];
  const per = PER_MILLISECOND[unit];
  return per === undefined ? undefined : { timestamp: milliseconds(BigInt(count), per) };
}

/** Whole milliseconds; a fraction of the next one counts as half, which is enough to compare. */
function milliseconds(count: bigint, per: bigint): number {
  const part = ((count % per) + per) % per;
  return Number((count - part) / per) + (part === 0n ? 0 : 0.5);
}

function member(node: ExprNode, name: string): unknown {
  return typeof node === "object" && node !== null ? node[name] : undefined;
}
