import { boolean, checkedOptions, invalid } from "../errors/validators.js";
import { groupStep, polarsStep } from "../frames/lineage/polarsStep.js";
import type { Step } from "../frames/lineage/step.js";
import { refuseOtherPolars } from "../frames/otherPolars.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { exprNode } from "../frames/polarsPlan.js";
import { invalidPredicate, isExpr } from "../frames/predicate.js";
import { type WhereConditions, whereOf } from "../frames/where.js";
import { hasColumn, isRowWise } from "./rowWise.js";

/** A polars expression, or the name of a column. */
export type ExprOrName = PolarsExpr | string;

/** Options of {@link ArchiveScan.sort}, as in polars. */
export interface SortOptions {
  /** Sort all keys in descending order. Default false. */
  descending?: boolean | undefined;
  /** Put nulls last. Default false. */
  nullsLast?: boolean | undefined;
}

/** One verb of a scan, and what the planner knows about it. */
export interface Verb {
  /** Its entry in the provenance; its text is that of `explain()` and errors, too. */
  readonly step: Step;
  /** "rowWise" and "head" run page by page, "gather" needs all rows before it. */
  readonly kind: "rowWise" | "head" | "gather";
  /** Applies the verb to a frame. */
  apply(lazy: LazyFrame): LazyFrame;
  /** For filters: the conditions of `where({…})`. */
  readonly conditions?: WhereConditions;
  /** For "head": how many rows to keep. */
  readonly rows?: number;
  /** Only the rows themselves tell whether it can run. */
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

/** Any function on the frame of all rows. */
export function pipeVerb(build: Verb["apply"]): Verb {
  return { step: polarsStep("pipe", [build.name || "a function"]), kind: "gather", apply: build, isOpaque: true };
}
