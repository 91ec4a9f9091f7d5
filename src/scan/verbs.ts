import { boolean, checkedOptions, invalid, oneOf } from "../errors/validators.js";
import { groupStep, polarsStep } from "../frames/lineage/polarsStep.js";
import type { Step } from "../frames/lineage/step.js";
import { refuseOtherPolars } from "../frames/otherPolars.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { type ExprNode, exprNode } from "../frames/polarsPlan.js";
import { invalidPredicate, isExpr } from "../frames/predicate.js";
import { type WhereConditions, whereOf } from "../frames/where.js";
import { isObject } from "../util/isObject.js";
import { columnsNamed, isRowWise } from "./rowWise.js";

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
  /** Columns whose values or types affect the result; "all" if unknown. */
  readonly reads?: readonly string[] | "all";
  /** Verbs after it know columns by other names. */
  readonly renames?: true;
}

export function filterVerb(predicate: PolarsExpr): Verb {
  if (!isExpr(predicate)) throw invalidPredicate(predicate);
  const node = exprNode(predicate);
  const { names, selects } = columnsNamed(node);
  return {
    step: polarsStep("filter", [predicate]),
    kind: isRowWise(node) ? "rowWise" : "gather",
    apply: (lazy) => lazy.filter(predicate),
    conditions: whereOf(predicate) ?? {},
    reads: selects ? "all" : names,
  };
}

export function columnsVerb(verb: "select" | "withColumns", exprs: readonly ExprOrName[]): Verb {
  refuseOtherPolars(...exprs);
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : expr));
  const nodes = columns.map(exprNode);
  const used = nodes.map(columnsNamed);
  const hasColumns = used.every(({ names, selects }) => names.length > 0 || selects);
  const isColumn = (node: ExprNode) => typeof node === "object" && "Column" in node;
  const computed = used.filter((_columns, at) => !isColumn(nodes[at]));
  const isSelect = verb === "select";
  return {
    step: polarsStep(verb, exprs),
    // An expression without columns yields a single value, not one per row.
    kind: nodes.every(isRowWise) && (!isSelect || hasColumns) ? "rowWise" : "gather",
    apply: (lazy) => (isSelect ? lazy.select([...columns]) : lazy.withColumns(...columns)),
    reads: computed.some(({ selects }) => selects) ? "all" : computed.flatMap(({ names }) => names),
  };
}

export function dropVerb(names: readonly string[]): Verb {
  return { step: polarsStep("drop", names), kind: "rowWise", apply: (lazy) => lazy.drop([...names]), needs: names };
}

export function renameVerb(mapping: Readonly<Record<string, string>>): Verb {
  return {
    step: polarsStep("rename", [mapping]),
    kind: "rowWise",
    apply: (lazy) => lazy.rename({ ...mapping }),
    needs: Object.keys(mapping),
    renames: true,
  };
}

export function sliceVerb(offset: number, length: number): Verb {
  return {
    step: offset === 0 ? polarsStep("head", [length]) : polarsStep("slice", [offset, length]),
    kind: offset < 0 ? "gather" : "slice",
    apply: (lazy) => lazy.slice(offset, length),
    slice: { offset, length },
  };
}

export function tailVerb(length: number): Verb {
  // head(0) gives the same result without a request.
  if (length === 0) return sliceVerb(0, 0);
  return { step: polarsStep("tail", [length]), kind: "gather", apply: (lazy) => lazy.tail(length) };
}

/** Prefix of temporary columns during a sort; no service column begins with it. */
const SORT = "\0sort";

/** Sorts by all keys at once, computed on the unsorted rows: `shift` or `cumSum` would differ on sorted rows. */
export function sortVerb(given: readonly unknown[]): Verb {
  const last = given.length > 1 && isObject(given.at(-1)) && !isExpr(given.at(-1)) ? (given.at(-1) as SortOptions) : {};
  const by = given.filter((each) => each !== last && each !== undefined).flat() as ExprOrName[];
  const options = checkedOptions(last, ["descending", "nullsLast"], "option of sort");
  const { descending = false } = options;
  const nullsLast = boolean("nullsLast", options.nullsLast ?? false);
  const isKeys = by.length > 0 && by.every((key) => typeof key === "string" || isExpr(key));
  if (!isKeys) throw invalid("by", by[0], 'Give a column or several, for example sort("person", "begintime").');
  if (Array.isArray(descending) && descending.length !== by.length)
    throw invalid("descending", descending, `Give true or false, or one for each of the ${by.length} keys.`);
  const directions = by.map((_key, at) =>
    boolean("descending", Array.isArray(descending) ? descending[at] : descending),
  );
  const keys = by.map((key, at) => (typeof key === "string" ? pl.col(key) : key).prefix(`${SORT}${at} `));
  const words = by.map((key, at) => `${key}${directions[at] ? " descending" : ""}`);
  return {
    step: polarsStep("sort", words),
    kind: "gather",
    apply(lazy) {
      const row = `${SORT}row`;
      const keyed = lazy.withColumns(...keys).withRowIndex(row);
      const added = keyed.columns.filter((name) => name.startsWith(SORT));
      const sorts = directions.flatMap((isDescending, at) =>
        added.filter((name) => name.startsWith(`${SORT}${at} `)).map((name) => ({ name, isDescending })),
      );
      // Break ties by id, so that the order does not depend on page boundaries, and then by row: polars has no stable sort with a
      // direction per key.
      const ties = lazy.columns.includes("id") ? ["id", row] : [row];
      const all = [...sorts, ...ties.map((name) => ({ name, isDescending: false }))];
      const order = pl.argSortBy(
        all.flatMap(({ name }) => [pl.col(name).isNull(), pl.col(name)]),
        all.flatMap(({ isDescending }) => [!nullsLast, isDescending]),
      );
      const place = `${SORT}order`;
      const sorted = keyed.withColumns(order.alias(place)).select(pl.all().gather(pl.col(place)));
      return sorted.drop([...added, place]);
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
