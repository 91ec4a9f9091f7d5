import { boolean, checkedOptions, invalid } from "../errors/validators.js";
import type { Step } from "../frames/lineage/derived.js";
import { groupStep, invalidPredicate, isExpr, polarsStep } from "../frames/lineage/polarsStep.js";
import { refuseOtherPolars } from "../frames/otherPolars.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { type ExprNode, exprNode } from "../frames/polarsPlan.js";
import { type WhereConditions, whereOf } from "../frames/where.js";
import { isObject } from "../util/objects.js";

/** A polars expression, or the name of a column. */
export type ExprOrName = PolarsExpr | string;

/** Options of {@link ArchiveScan.sort}, as in polars. */
export interface SortOptions {
  /** Sort all keys in descending order. Default false. */
  descending?: boolean | undefined;
  /** Put nulls last. Default false. */
  nullsLast?: boolean | undefined;
}

/** One verb of a scan, with what the planner needs to know about it. */
export interface Verb {
  /** Its entry in the provenance, which `explain()` and errors quote. */
  readonly step: Step;
  /** "rowWise" and "head" run page by page, "gather" needs all rows before it. */
  readonly kind: "rowWise" | "head" | "gather";
  /** Applies the verb to a frame. */
  apply(lazy: LazyFrame): LazyFrame;
  /** For filters: the conditions of `where({…})`. */
  readonly conditions?: WhereConditions;
  /** For "head": how many rows to keep. */
  readonly rows?: number;
  /** A function of the user: whether it can run cannot be checked without rows. */
  readonly isOpaque?: true;
}

export function filterVerb(predicate: PolarsExpr): Verb {
  if (!isExpr(predicate)) throw invalidPredicate(predicate);
  const node = exprNode(predicate);
  return {
    step: polarsStep("filter", [predicate]),
    kind: isRowWise(node) ? "rowWise" : "gather",
    apply: (lazy) => lazy.filter(predicate),
    conditions: whereOf(predicate) ?? {},
  };
}

export function columnsVerb(verb: "select" | "withColumns", exprs: readonly ExprOrName[]): Verb {
  refuseOtherPolars(...exprs);
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : expr));
  const nodes = columns.map(exprNode);
  const isSelect = verb === "select";
  // An expression without columns yields a single value, not one per row.
  const hasColumns = nodes.every(hasColumn);
  return {
    step: polarsStep(verb, exprs),
    kind: nodes.every(isRowWise) && (!isSelect || hasColumns) ? "rowWise" : "gather",
    apply: (lazy) => (isSelect ? lazy.select([...columns]) : lazy.withColumns(...columns)),
  };
}

export function headVerb(rows: number): Verb {
  return { step: polarsStep("head", [rows]), kind: "head", apply: (lazy) => lazy.head(rows), rows };
}

export function sortVerb(by: readonly ExprOrName[], options: SortOptions | undefined): Verb {
  const checked = checkedOptions(options, ["descending", "nullsLast"], "option of sort");
  const isKeys = by.length > 0 && by.every((key) => typeof key === "string" || isExpr(key));
  if (!isKeys) throw invalid("by", by[0], 'Give a column or a list, for example sort(["person", "begintime"]).');
  const descending = boolean("descending", checked.descending ?? false);
  const nullsLast = boolean("nullsLast", checked.nullsLast ?? false);
  return {
    step: polarsStep("sort", [by, ...(descending ? ["descending"] : [])]),
    kind: "gather",
    apply: (lazy) => lazy.sort({ by: [...by] as PolarsExpr[], descending, nullsLast, maintainOrder: true }),
  };
}

export function groupVerb(by: readonly ExprOrName[], aggregates: readonly PolarsExpr[]): Verb {
  refuseOtherPolars(...by, ...aggregates);
  return {
    step: groupStep("groupBy", by, aggregates),
    kind: "gather",
    apply: (lazy) => lazy.groupBy([...by] as string[], true).agg(...aggregates),
  };
}

export function pipeVerb(build: Verb["apply"]): Verb {
  return { step: polarsStep("pipe", [build.name || "a function"]), kind: "gather", apply: build, isOpaque: true };
}

/** The members with the inputs of row-wise nodes: those whose value in a row depends on that row of the inputs alone. */
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

/** Row-wise functions, by family. Every other function may need all rows. */
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

/** Functions that are row-wise in all arguments. `isIn` of a column, by contrast, tests against the whole column. */
const ROW_WISE_IN_ALL = /^(?:FillNull|Coalesce|Clip|Pow|IsBetween|\w*Horizontal)$/;

/**
 * Whether an expression depends only on its own row, so that it can run page by page. An allowlist: unknown nodes and arguments
 * are not row-wise.
 */
function isRowWise(node: ExprNode): boolean {
  const pending: unknown[] = [node];
  while (pending.length > 0) {
    const next = pending.pop();
    const [[kind, value] = ["", undefined]] = Object.entries(next ?? {}) as Array<
      [string, { [input: string]: unknown }]
    >;
    if (kind === "Function") {
      const inputs = value?.input as readonly unknown[];
      if (!isRowFunction(value?.function, inputs)) return false;
      pending.push(...inputs);
    } else if (Object.hasOwn(INPUTS, kind)) {
      if (kind === "Cast" && !CASTS.test(JSON.stringify(value?.dtype))) return false;
      pending.push(...(INPUTS[kind] as readonly string[]).map((input) => value?.[input]));
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
  return ROW_WISE_IN_ALL.test(name) || inputs.slice(1).every(isScalar);
}

/** A literal with a single value. A literal series has one value per row of the frame. */
function isScalar(node: unknown): boolean {
  const { Literal: literal } = Object(node) as { readonly Literal?: unknown };
  return isObject(literal) && ("Scalar" in literal || "Dyn" in literal);
}

/** Whether an expression has one value per row of the frame. */
function hasColumn(node: ExprNode): boolean {
  return JSON.stringify(node)?.includes('{"Column":') ?? false;
}
