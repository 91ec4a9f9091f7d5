import type { ExprNode } from "../frames/polarsPlan.js";

/**
 * Functions whose value in a row depends on that row alone: only if their other arguments are literals ("literals"), or with column
 * arguments too ("columns"). Every other function needs all rows: `isIn` of a column, for example, tests against the whole column.
 */
const FUNCTIONS: Readonly<Record<string, "literals" | "columns">> = {
  ...named("", "literals", "Abs Negate Floor Ceil Round Sign Exp Log Trigonometry"),
  ...named("", "columns", "FillNull Coalesce Clip Pow MinHorizontal MaxHorizontal SumHorizontal"),
  ...named("Boolean.", "literals", "IsNull IsNotNull IsNan IsNotNan IsFinite IsInfinite Not IsIn"),
  ...named("Boolean.", "columns", "IsBetween AllHorizontal AnyHorizontal"),
  ...named("StringExpr.", "literals", "Contains StartsWith EndsWith Replace Slice ZFill PadStart PadEnd Split Extract"),
  ...named("StringExpr.", "literals", "StripChars StripCharsStart StripCharsEnd LenBytes LenChars Lowercase Uppercase"),
  ...named("StringExpr.", "literals", "Strptime"),
  ...named("StringExpr.", "columns", "ConcatHorizontal"),
  ...named("TemporalExpr.", "literals", "Year Month Day Hour Minute Second Nanosecond OrdinalDay Week WeekDay"),
  ...named("TemporalExpr.", "literals", "ToString TimeStamp Truncate Round ConvertTimeZone ReplaceTimeZone"),
  ...named("ListExpr.", "literals", "Length Get Contains Join Sum"),
};

const OPERATORS = new Set(
  "Eq EqValidity NotEq NotEqValidity Lt LtEq Gt GtEq Plus Minus Multiply Divide RustDivide TrueDivide FloorDivide Modulus And Or Xor LogicalAnd LogicalOr".split(
    " ",
  ),
);

/** Types whose casts are row-wise. A Categorical depends on the values before it. */
const CASTS = /^(?:String|Boolean|U?Int\d+|Float\d+|Date|Datetime|Time|Duration)$/;

function named<K extends string>(family: string, kind: K, names: string): Record<string, K> {
  return Object.fromEntries(names.split(" ").map((name) => [family + name, kind]));
}

/**
 * Whether an expression depends only on its own row, so that it can run page by page. An allowlist: unknown nodes and arguments
 * are not row-wise.
 */
export function isRowWise(node: ExprNode): boolean {
  const open: ExprNode[] = [node];
  while (open.length > 0) {
    const inputs = rowInputs(open.pop());
    if (inputs === undefined) return false;
    open.push(...inputs);
  }
  return true;
}

/** The input nodes of a row-wise node; undefined if the node is not known to be row-wise. */
function rowInputs(node: ExprNode): readonly ExprNode[] | undefined {
  const [kind, value] = variant(node);
  const inner = (value ?? {}) as { readonly [member: string]: ExprNode };
  switch (kind) {
    case "Column":
    case "Selector":
      return [];
    case "Literal":
      return isScalar(node) ? [] : undefined;
    case "BinaryExpr":
      return OPERATORS.has(String(inner.op)) ? [inner.left, inner.right] : undefined;
    case "Cast":
      return isCast(inner.dtype) ? [inner.expr] : undefined;
    case "Alias":
      return [inner[0]];
    case "KeepName":
      return [value as ExprNode];
    case "RenameAlias":
      return [inner.expr];
    case "Ternary":
      return [inner.predicate, inner.truthy, inner.falsy];
    case "Function":
      return functionInputs(inner.function, inner.input as unknown as readonly ExprNode[]);
    default:
      return undefined;
  }
}

function functionInputs(named: ExprNode, input: readonly ExprNode[]): readonly ExprNode[] | undefined {
  const name = functionName(named);
  const kind = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (kind === undefined) return undefined;
  return kind === "columns" || input.slice(1).every(isScalar) ? input : undefined;
}

/** "FillNull" or "Boolean.IsIn", without the options of the function. */
function functionName(node: ExprNode): string {
  if (typeof node === "string") return node;
  const [family, which] = variant(node);
  if (!["Boolean", "StringExpr", "TemporalExpr", "ListExpr"].includes(family)) return family;
  const [name, how] = typeof which === "string" ? [which, undefined] : variant(which as ExprNode);
  // Without a format, polars infers one from the first value.
  const guesses = name === "Strptime" && (how as [unknown, { format: unknown }])[1].format === null;
  return guesses ? "" : `${family}.${name}`;
}

/** A literal with a single value. A literal series has one value per row of the frame. */
function isScalar(node: ExprNode): boolean {
  const [kind, value] = variant(node);
  return kind === "Literal" && ["Scalar", "Dyn"].includes(variant(value as ExprNode)[0]);
}

function isCast(dtype: ExprNode): boolean {
  const [, type] = variant(dtype);
  return CASTS.test(typeof type === "string" ? type : variant(type as ExprNode)[0]);
}

/** The kind and contents of a node: its only member. */
function variant(node: ExprNode): readonly [string, unknown] {
  const members = typeof node === "object" && node !== null ? Object.entries(node) : [];
  return members.length === 1 ? (members[0] as [string, unknown]) : ["", undefined];
}

/** The columns that an expression names, and whether it selects others by pattern or type. */
export function columnsNamed(node: ExprNode): { readonly names: readonly string[]; readonly selects: boolean } {
  const names: string[] = [];
  let selects = false;
  const open: unknown[] = [node];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    for (const [name, value] of Object.entries(part).reverse()) {
      if (name === "Column" && typeof value === "string") names.push(value);
      else if (name === "ByName") names.push(...((value as { names?: string[] }).names ?? []));
      else if (name === "Selector" && variant(value as ExprNode)[0] !== "ByName") selects = true;
      if (name !== "Literal") open.push(value);
    }
  }
  return { names, selects };
}
