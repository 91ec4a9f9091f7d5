import { boolean, checkedOptions, invalid, oneOf } from "../errors/validators.js";
import { groupStep, polarsStep } from "../frames/lineage/polarsStep.js";
import type { Step } from "../frames/lineage/step.js";
import { refuseOtherPolars } from "../frames/otherPolars.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { exprNode } from "../frames/polarsPlan.js";
import { invalidPredicate, isExpr } from "../frames/predicate.js";
import { type WhereConditions, whereOf } from "../frames/where.js";
import { columnsOf, isRowWise } from "./rowWise.js";

/** A polars expression, or the name of a column. */
export type ExprOrName = PolarsExpr | string;

/** Options of {@link ArchiveScan.sort}, as in polars. */
export interface SortOptions {
  /** Sort in descending order; a list gives one value per key. Default false. */
  descending?: boolean | readonly boolean[] | undefined;
  /** Put nulls last, in either direction. Default false. */
  nullsLast?: boolean | undefined;
}

/** Options of {@link ArchiveScan.unique}, as in polars. */
export interface UniqueOptions {
  /** Which of several equal rows to keep; "none" keeps only rows without duplicates. Default "first". */
  keep?: "first" | "last" | "any" | "none" | undefined;
}

/** One verb of a scan, and what the planner knows about it. */
export interface Verb {
  /** Its entry in the provenance; its text is that of `explain()` and errors, too. */
  readonly step: Step;
  /** "rowWise" runs page by page, "slice" counts rows, "gather" needs all rows before it. */
  readonly kind: "rowWise" | "slice" | "gather";
  /** Applies the verb to a frame. */
  apply(lazy: LazyFrame): LazyFrame;
  /** For filters: the conditions of `where({…})`. */
  readonly conditions?: WhereConditions;
  /** For slices: how many rows to skip, and then to keep. */
  readonly slice?: { readonly offset: number; readonly length: number };
  /** Columns that must exist, where polars does not ask for them. */
  readonly needs?: readonly string[];
  /** Only the rows themselves tell whether it can run. */
  readonly isOpaque?: true;
  /** Columns whose values or types affect the result. */
  readonly reads?: readonly string[];
}

export function filterVerb(predicate: PolarsExpr): Verb {
  if (!isExpr(predicate)) throw invalidPredicate(predicate);
  const node = exprNode(predicate);
  return {
    step: polarsStep("filter", [predicate]),
    kind: isRowWise(node) ? "rowWise" : "gather",
    apply: (lazy) => lazy.filter(predicate),
    conditions: whereOf(predicate) ?? {},
    reads: columnsOf(node),
  };
}

export function columnsVerb(verb: "select" | "withColumns", exprs: readonly ExprOrName[]): Verb {
  refuseOtherPolars(...exprs);
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : expr));
  const nodes = columns.map(exprNode);
  const isSelect = verb === "select";
  // An expression without columns yields a single value, not one per row.
  const hasColumns = nodes.every((node) => columnsOf(node).length > 0);
  return {
    step: polarsStep(verb, exprs),
    kind: nodes.every(isRowWise) && (!isSelect || hasColumns) ? "rowWise" : "gather",
    apply: (lazy) => (isSelect ? lazy.select([...columns]) : lazy.withColumns(...columns)),
    reads: nodes.filter((node) => typeof node === "object" && !("Column" in node)).flatMap(columnsOf),
  };
}

/** A verb as polars has it. */
export function polarsVerb(
  kind: Verb["kind"],
  verb: "drop" | "rename" | "tail",
  args: readonly unknown[],
  needs: readonly string[] = [],
): Verb {
  const apply = (lazy: LazyFrame) => (lazy[verb] as (...args: unknown[]) => LazyFrame)(...args);
  return { step: polarsStep(verb, args), kind, apply, needs };
}

export function sliceVerb(offset: number, length: number): Verb {
  return {
    step: offset === 0 ? polarsStep("head", [length]) : polarsStep("slice", [offset, length]),
    kind: offset < 0 ? "gather" : "slice",
    apply: (lazy) => lazy.slice(offset, length),
    slice: { offset, length },
  };
}

/** Prefix of temporary columns during a sort; no service column begins with it. */
const SORT = "\0sort";

/** Sorts by keys that are all computed on the unsorted rows: `shift` or `cumSum` would differ on sorted rows. */
export function sortVerb(by: readonly ExprOrName[], given: SortOptions | undefined): Verb {
  const { descending = false, nullsLast = false } = checkedOptions(
    given,
    ["descending", "nullsLast"],
    "option of sort",
  );
  const isKeys = by.length > 0 && by.every((key) => typeof key === "string" || isExpr(key));
  if (!isKeys) throw invalid("by", by[0], 'Give a column or a list, for example sort(["person", "begintime"]).');
  if (Array.isArray(descending) && descending.length !== by.length)
    throw invalid("descending", descending, `Give true or false, or one for each of the ${by.length} keys.`);
  const directions = by.map((_key, at) =>
    boolean("descending", Array.isArray(descending) ? descending[at] : descending),
  );
  const areNullsLast = boolean("nullsLast", nullsLast);
  const keys = by.map((key, at) => (typeof key === "string" ? pl.col(key) : key).prefix(`${SORT}${at} `));
  return {
    step: polarsStep(
      "sort",
      by.map((key, at) => `${key}${directions[at] ? " descending" : ""}`),
    ),
    kind: "gather",
    apply(lazy) {
      const keyed = lazy.withColumns(...keys);
      const added = keyed.columns.filter((name) => name.startsWith(SORT));
      // A stable sort per key, the most important last: polars has one direction per sort.
      const sorted = directions.reduceRight((rows, isDescending, at) => {
        const names = added.filter((name) => name.startsWith(`${SORT}${at} `));
        return rows.sort({ by: names, descending: isDescending, nullsLast: areNullsLast, maintainOrder: true });
      }, keyed);
      return sorted.drop([...added]);
    },
  };
}

export function uniqueVerb(columns: string | readonly string[] | undefined, options: UniqueOptions | undefined): Verb {
  const checked = checkedOptions(options, ["keep"], "option of unique");
  const keep = oneOf("keep", checked.keep ?? "first", ["first", "last", "any", "none"]);
  const subset = columns == null ? undefined : [columns].flat();
  return {
    step: polarsStep("unique", subset === undefined ? [] : [subset]),
    kind: "gather",
    apply: (lazy) => lazy.unique({ subset: subset as string[], keep, maintainOrder: true }),
    needs: subset ?? [],
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
