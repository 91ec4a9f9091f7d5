import type { ExprNode } from "../frames/polarsPlan.js";

/**
 * Functions whose value in a row follows from that row, if their further arguments are literals; and those ("columns") that
 * take columns there too. Every other function gathers: `isIn` of a column, for example, tests the whole column.
 */
const FUNCTIONS: Readonly<Record<string, "literals" | "columns">> = {
  ...named("", "literals", "Abs Negate Floor Ceil Round Sign Exp Log Trigonometry"),
  ...named("", "columns", "FillNull Coalesce Clip Pow MinHorizontal MaxHorizontal SumHorizontal"),
  ...named("Boolean.", "literals", "IsNull IsNotNull IsNan IsNotNan IsFinite IsInfinite Not IsIn"),
  ...named("Boolean.", "columns", "IsBetween AllHorizontal AnyHorizontal"),
  ...named("StringExpr.", "literals", "Contains StartsWith EndsWith Replace Slice ZFill PadStart PadEnd Split Extract"),
  ...named(
    "StringExpr.",
    "literals",
    "StripChars StripCharsStart StripCharsEnd LenBytes LenChars Lowercase Uppercase Strptime",
  ),
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

/** Types that a value is cast to by itself: a Categorical depends on the values before it. */
const CASTS = /^(?:String|Boolean|U?Int\d+|Float\d+|Date|Datetime|Time|Duration)$/;

function named<K extends string>(family: string, kind: K, names: string): Record<string, K> {
  return Object.fromEntries(names.split(" ").map((name) => [family + name, kind]));
}

/**
 * Whether the value of each row follows from that row alone, so that an expression can run on some rows at a time. Only what is
 * known to be so is: a node of another kind, or an argument of another kind, is not.
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

/** What a row's value of a node is computed from in the same row; `undefined` where nothing is known of that. */
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

/** "FillNull" or "Boolean.IsIn"; what says how a function works is left out. */
function functionName(node: ExprNode): string {
  if (typeof node === "string") return node;
  const [family, which] = variant(node);
  if (!["Boolean", "StringExpr", "TemporalExpr", "ListExpr"].includes(family)) return family;
  const [name, how] = typeof which === "string" ? [which, undefined] : variant(which as ExprNode);
  // Without a format polars guesses one from the first value that it sees.
  const guesses = name === "Strptime" && (how as [unknown, { format: unknown }])[1].format === null;
  return guesses ? "" : `${family}.${name}`;
}

/** A literal that is one value. A literal series has a value for each row of the whole. */
function isScalar(node: ExprNode): boolean {
  const [kind, value] = variant(node);
  return kind === "Literal" && ["Scalar", "Dyn"].includes(variant(value as ExprNode)[0]);
}

function isCast(dtype: ExprNode): boolean {
  const [, type] = variant(dtype);
  return CASTS.test(typeof type === "string" ? type : variant(type as ExprNode)[0]);
}

/** The one member of a node: its kind, and what is inside. */
function variant(node: ExprNode): readonly [string, unknown] {
  const members = typeof node === "object" && node !== null ? Object.entries(node) : [];
  return members.length === 1 ? (members[0] as [string, unknown]) : ["", undefined];
}

/** The columns that an expression names, and whether it selects columns in another way as well. */
export function columnsOf(node: ExprNode): { readonly names: readonly string[]; readonly selects: boolean } {
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

/**
 * What an expression that takes one column as it is takes, and what it calls it; `undefined` for one that computes
 * anything, or that selects columns by their types.
 */
export function passedColumn(node: ExprNode): { readonly from?: string; readonly to?: string } | undefined {
  const [kind, value] = variant(node);
  if (kind === "Column") return { from: value as string, to: value as string };
  if (kind === "Selector") return JSON.stringify(value).includes('"ByDType"') ? undefined : {};
  if (kind !== "Alias") return undefined;
  const [from, to] = value as [ExprNode, string];
  const column = variant(from);
  return column[0] === "Column" ? { from: column[1] as string, to } : undefined;
}
