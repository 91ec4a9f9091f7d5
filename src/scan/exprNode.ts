import type { pl as Polars } from "nodejs-polars";
import { pl } from "../frames/polars.js";

/** A polars expression. */
export type PolarsExpr = Polars.Expr;

/** An expression as polars writes it to JSON; `undefined` for one that polars cannot write, which nobody can look into. */
export type ExprNode = { readonly [name: string]: unknown } | string | undefined;

/** What is inside an expression. The form is polars' own and may change, so whatever is not known is left alone. */
export function exprNode(expr: PolarsExpr): ExprNode {
  try {
    return JSON.parse(String((expr as unknown as { serialize(format: "json"): Buffer }).serialize("json"))) as ExprNode;
  } catch {
    return undefined;
  }
}

/**
 * The expression with every moment that came from a JavaScript Date in UTC, which is what it is. Without that polars
 * refuses to compare it with the columns of a frame, whose moments are in UTC.
 */
export function inUtc(expr: PolarsExpr): PolarsExpr {
  const node = exprNode(expr);
  if (node === undefined) return expr;
  let changed = false;
  const text = JSON.stringify(node, (name, value: unknown) => {
    if (name !== "Datetime" || !Array.isArray(value) || value.length !== 3 || value[2] !== null) return value;
    changed = true;
    return [value[0], value[1], { inner: "UTC" }];
  });
  if (!changed) return expr;
  try {
    return pl.Expr.deserialize(Buffer.from(text), "json") as PolarsExpr;
  } catch {
    return expr;
  }
}

const FUNCTIONS = new Set(["Abs", "Negate", "FillNull", "Round", "Floor", "Ceil", "Clip", "Sign", "Coalesce"]);
const NOT_BY_ROW: Readonly<Record<string, ReadonlySet<string>>> = {
  Boolean: new Set(["Any", "All", "IsUnique", "IsDuplicated", "IsFirstDistinct", "IsLastDistinct"]),
  StringExpr: new Set(["ConcatVertical", "JsonDecode", "Strptime", "ToDecimal"]),
  TemporalExpr: new Set(),
};

/** Whether each row's value follows from that row alone, so that the expression can run page by page. */
export function isByRow(node: ExprNode): boolean {
  if (typeof node !== "object") return false;
  const [[name, value] = ["", undefined], ...more] = Object.entries(node);
  if (more.length > 0) return false;
  const inner = value as Record<string, ExprNode> & { readonly [at: number]: ExprNode };
  switch (name) {
    case "Column":
    case "Literal":
    case "Selector":
      return true;
    case "BinaryExpr":
      return isByRow(inner.left) && isByRow(inner.right);
    case "Cast":
      return isByRow(inner.expr);
    case "Alias":
      return isByRow(inner[0]);
    case "Ternary":
      return isByRow(inner.predicate) && isByRow(inner.truthy) && isByRow(inner.falsy);
    case "Function":
      return isRowFunction(inner.function) && (inner.input as unknown as ExprNode[]).every(isByRow);
    default:
      return false;
  }
}

function isRowFunction(node: ExprNode): boolean {
  if (typeof node === "string") return FUNCTIONS.has(node);
  const [[family, which] = ["", undefined]] = Object.entries(node ?? {});
  const name = typeof which === "string" ? which : (Object.keys((which ?? {}) as object)[0] ?? "");
  if (family in NOT_BY_ROW) return !NOT_BY_ROW[family]?.has(name);
  return FUNCTIONS.has(family);
}

/** The columns that an expression names. */
export function columnsOf(node: ExprNode): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === "Column" && typeof value === "string") return [value];
    if (name === "ByName") return [...((value as { names?: string[] }).names ?? [])];
    return Array.isArray(value) ? value.flatMap((item) => columnsOf(item as ExprNode)) : columnsOf(value as ExprNode);
  });
}

/** Whether an expression names any column at all: one that does not is a single value. */
export function hasColumns(node: ExprNode): boolean {
  return JSON.stringify(node ?? "").match(/"(Column|Selector)":/) !== null;
}
