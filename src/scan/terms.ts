import type { ExprNode } from "../frames/polarsPlan.js";

/** A comparison of a column with a value, as it can be told to a service. Moments are milliseconds since 1970. */
export interface Term {
  readonly column: string;
  readonly op: "Eq" | "Gt" | "GtEq" | "Lt" | "LtEq";
  readonly value: { readonly moment: number } | { readonly number: number } | { readonly text: string };
}

const FLIPPED: Readonly<Record<string, Term["op"]>> = { Eq: "Eq", Gt: "Lt", GtEq: "LtEq", Lt: "Gt", LtEq: "GtEq" };

/** The comparisons that hold for every row that passes a predicate. Parts that are not understood are left out. */
export function termsOf(node: ExprNode): Term[] {
  const terms: Term[] = [];
  const open: ExprNode[] = [node];
  while (open.length > 0) {
    const binary = member(open.pop(), "BinaryExpr");
    if (binary === undefined) continue;
    const { left, op, right } = binary as { left: ExprNode; op: string; right: ExprNode };
    if (op === "And" || op === "LogicalAnd") open.push(right, left);
    else terms.push(...(term(left, op, right) ?? term(right, FLIPPED[op] ?? "", left) ?? []));
  }
  return terms;
}

function term(left: ExprNode, op: string, right: ExprNode): Term[] | undefined {
  const column = member(left, "Column");
  const value = literalOf(right);
  if (typeof column !== "string" || value === undefined || !(op in FLIPPED)) return undefined;
  return [{ column, op: op as Term["op"], value }];
}

const PER_MILLISECOND: Readonly<Record<string, bigint>> = {
  Milliseconds: 1n,
  Microseconds: 1000n,
  Nanoseconds: 1_000_000n,
};

function literalOf(node: ExprNode): Term["value"] | undefined {
  const cast = member(node, "Cast");
  if (cast !== undefined) {
    // A cast of a value to the type of its column changes nothing that matters here; any other might.
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
  return per === undefined ? undefined : { moment: milliseconds(BigInt(count), per) };
}

/** Whole milliseconds, with half a one for any part of the next. */
function milliseconds(count: bigint, per: bigint): number {
  const part = ((count % per) + per) % per;
  return Number((count - part) / per) + (part === 0n ? 0 : 0.5);
}

function member(node: ExprNode, name: string): unknown {
  return typeof node === "object" && node !== null ? node[name] : undefined;
}
