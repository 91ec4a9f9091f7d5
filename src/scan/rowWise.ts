import type { ExprNode } from "../frames/polarsPlan.js";

/** Functions whose value in a row depends on that row alone. Every other function may need all rows. */
const FUNCTIONS = new Set(
  [
    "Abs Negate Floor Ceil Round Sign Exp Log Trigonometry FillNull Coalesce Clip Pow MinHorizontal MaxHorizontal SumHorizontal",
    "IsNull IsNotNull IsNan IsNotNan IsFinite IsInfinite Not IsIn IsBetween AllHorizontal AnyHorizontal",
    "StringExpr.Contains StartsWith EndsWith Replace StringExpr.Slice ZFill PadStart PadEnd Split Extract ConcatHorizontal",
    "StripChars StripCharsStart StripCharsEnd LenBytes LenChars Lowercase Uppercase Strptime",
    "Year Month Day Hour Minute Second Nanosecond OrdinalDay Week WeekDay ToString TimeStamp Truncate TemporalExpr.Round",
    "ConvertTimeZone ReplaceTimeZone ListExpr.Length ListExpr.Get ListExpr.Contains ListExpr.Join ListExpr.Sum",
  ].flatMap((names) => names.split(" ")),
);

/** Functions whose other arguments may be columns, too: `isIn` of a column, for example, tests against the whole column. */
const OF_COLUMNS = /^(?:FillNull|Coalesce|Clip|Pow|IsBetween|\w*Horizontal)$/;

const OPERATORS = /^(?:(?:Not)?Eq(?:Validity)?|[LG]t(?:Eq)?|Plus|Minus|Multiply|\w*Divide|Modulus|\w*And|\w*Or|Xor)$/;

/** Types whose casts are row-wise. A Categorical depends on the values before it. */
const CASTS = /^(?:String|Boolean|U?Int\d+|Float\d+|Date|Datetime|Time|Duration)$/;

const FAMILIES = new Set(["Boolean", "StringExpr", "TemporalExpr", "ListExpr"]);

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
      return OPERATORS.test(String(inner.op)) ? [inner.left, inner.right] : undefined;
    case "Cast":
      return CASTS.test(variant(variant(inner.dtype)[1] as ExprNode)[0]) ? [inner.expr] : undefined;
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

function functionInputs(node: ExprNode, inputs: readonly ExprNode[]): readonly ExprNode[] | undefined {
  const [family, which] = variant(node);
  const [name, options] = FAMILIES.has(family) ? variant(which as ExprNode) : [family, undefined];
  if (!FUNCTIONS.has(name) && !FUNCTIONS.has(`${family}.${name}`)) return undefined;
  // Without a format, polars infers one from the first value.
  if (name === "Strptime" && (options as [unknown, { format: unknown }])[1].format === null) return undefined;
  return OF_COLUMNS.test(name) || inputs.slice(1).every(isScalar) ? inputs : undefined;
}

/** A literal with a single value. A literal series has one value per row of the frame. */
function isScalar(node: ExprNode): boolean {
  const [kind, value] = variant(node);
  return kind === "Literal" && ["Scalar", "Dyn"].includes(variant(value as ExprNode)[0]);
}

/** The kind and contents of a node: its only member, or its name. */
function variant(node: ExprNode): readonly [string, unknown] {
  if (typeof node === "string") return [node, undefined];
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
