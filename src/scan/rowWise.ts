import type { ExprNode } from "../frames/polarsPlan.js";
import { isObject } from "../util/isObject.js";

/** Where the inputs of a node are whose value in a row depends on that row of its inputs alone. */
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  Column: [],
  Alias: ["0"],
  RenameAlias: ["expr"],
  BinaryExpr: ["left", "right"],
  Cast: ["expr"],
  Ternary: ["predicate", "truthy", "falsy"],
};

/** Types whose casts are row-wise. A Categorical depends on the values before it. */
const CASTS = /^\{"Literal":(?:"(?:String|Boolean|U?Int\d+|Float\d+|Date|Time)"|\{"(?:Datetime|Duration)")/;

/** Functions whose value in a row depends on that row alone, by family. Every other function may need all rows. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  "": "Abs Negate Floor Ceil Round Sign Exp Log Trigonometry FillNull Coalesce Clip Pow MinHorizontal MaxHorizontal SumHorizontal",
  Boolean: "IsNull IsNotNull IsNan IsNotNan IsFinite IsInfinite Not IsIn IsBetween AllHorizontal AnyHorizontal",
  StringExpr:
    "Contains StartsWith EndsWith Replace Slice ZFill PadStart PadEnd Split Extract ConcatHorizontal StripChars StripCharsStart " +
    "StripCharsEnd LenBytes LenChars Lowercase Uppercase Strptime",
  TemporalExpr:
    "Year Month Day Hour Minute Second Nanosecond OrdinalDay Week WeekDay ToString TimeStamp Truncate Round ConvertTimeZone " +
    "ReplaceTimeZone",
  ListExpr: "Length Get Contains Join Sum",
};

/** Functions whose other arguments may be columns, too: `isIn` of a column, for example, tests against the whole column. */
const OF_COLUMNS = /^(?:FillNull|Coalesce|Clip|Pow|IsBetween|\w*Horizontal)$/;

/**
 * Whether an expression depends only on its own row, so that it can run page by page. An allowlist: unknown nodes and arguments
 * are not row-wise.
 */
export function isRowWise(node: ExprNode): boolean {
  const open: unknown[] = [node];
  while (open.length > 0) {
    const next = open.pop();
    const [[kind, value] = ["", undefined]] = Object.entries(next ?? {}) as Array<
      [string, { [input: string]: unknown }]
    >;
    if (kind === "Function") {
      const inputs = value?.input as readonly unknown[];
      if (!isRowFunction(value?.function, inputs)) return false;
      open.push(...inputs);
    } else if (Object.hasOwn(INPUTS, kind)) {
      if (kind === "Cast" && !CASTS.test(JSON.stringify(value?.dtype))) return false;
      open.push(...(INPUTS[kind] as readonly string[]).map((input) => value?.[input]));
    } else if (!isScalar(next)) return false;
  }
  return true;
}

function isRowFunction(node: unknown, inputs: readonly unknown[]): boolean {
  const text = JSON.stringify(node);
  const [first = "", second = ""] = [...text.matchAll(/"(\w+)"/g)].map((match) => match[1] as string);
  const [family, name] = Object.hasOwn(FUNCTIONS, first) ? [first, second] : ["", first];
  // Without a format, polars infers one from the first value.
  if (!FUNCTIONS[family]?.split(" ").includes(name) || text.includes('"format":null')) return false;
  return OF_COLUMNS.test(name) || inputs.slice(1).every(isScalar);
}

/** A literal with a single value. A literal series has one value per row of the frame. */
function isScalar(node: unknown): boolean {
  const { Literal: literal } = Object(node) as { readonly Literal?: unknown };
  return isObject(literal) && ("Scalar" in literal || "Dyn" in literal);
}

/** Whether an expression has one value per row of the frame. */
export function hasColumn(node: ExprNode): boolean {
  return JSON.stringify(node)?.includes('{"Column":') ?? false;
}
