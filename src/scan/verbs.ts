import { invalid } from "../errors/validators.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { type ExprNode, exprNode, inUtc } from "../frames/polarsPlan.js";
import { type Comparison, comparisonsOf } from "./comparisons.js";
import { columnsOf, isRowWise, passedColumn } from "./rowWise.js";
import { isExpr, type SortPlan, type UniqueKeep } from "./verbArguments.js";

/** One verb of a scan, and what the planner knows about it. */
export interface Verb {
  /** How it reads in `explain()` and in errors. */
  readonly text: string;
  /** "rowWise" runs page by page, "slice" counts rows, "gather" needs all rows before it. */
  readonly kind: "rowWise" | "slice" | "gather";
  /** Applies the verb to a frame. A slice is applied this way only after a verb that gathers. */
  apply(lazy: LazyFrame): LazyFrame;
  /** Of a filter: comparisons that hold for every row that passes. Undefined for other verbs. */
  readonly comparisons?: readonly Comparison[];
  /** Of a slice: how many rows it skips and then lets through. */
  readonly slice?: { readonly offset: number; readonly length: number };
  /** Of a sort: its keys, if all of them are plain columns. */
  readonly sort?: ReadonlyArray<{ readonly column: string; readonly descending: boolean }>;
  /** Columns that it creates, changes or removes; "all" if unknown. */
  readonly changes?: readonly string[] | "all";
  /** Columns that must exist; undefined if unknown. */
  readonly needs?: readonly string[] | undefined;
  /** Columns whose values or types decide the result; "all" if unknown. Columns that are only passed on do not count. */
  readonly reads?: readonly string[] | "all";
  /** Columns passed on under another name: from new names to old ones. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Only the columns that it names remain. */
  readonly closes?: boolean;
  /** Columns that it removes. */
  readonly removes?: readonly string[];
}

export function filterVerb(predicate: PolarsExpr): Verb {
  if (!isExpr(predicate)) {
    throw invalid("predicate", predicate, 'Give an expression, for example filter(pl.col("length").gt(60)).');
  }
  const expr = inUtc(predicate);
  const node = exprNode(expr);
  const { names, selects } = columnsOf(node);
  return {
    text: `filter(${expr})`,
    kind: isRowWise(node) ? "rowWise" : "gather",
    apply: (lazy) => lazy.filter(expr),
    comparisons: comparisonsOf(node),
    changes: [],
    needs: names,
    reads: selects ? "all" : names,
  };
}

/** `select` and `withColumns`. */
export function columnsVerb(verb: "select" | "withColumns", exprs: ReadonlyArray<PolarsExpr | string>): Verb {
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : inUtc(expr)));
  const nodes = columns.map(exprNode);
  const used = nodes.map(columnsOf);
  const hasColumns = used.every(({ names, selects }) => names.length > 0 || selects);
  const passed = nodes.map(passedColumn);
  const computed = used.filter((_columns, at) => passed[at] === undefined);
  const isSelect = verb === "select";
  return {
    text: `${verb}(${columns.map(String).join(", ")})`,
    // An expression without columns is a single value, not one per row.
    kind: nodes.every(isRowWise) && (!isSelect || hasColumns) ? "rowWise" : "gather",
    apply: (lazy) => (isSelect ? lazy.select([...columns]) : lazy.withColumns(...columns)),
    changes: nodes.every(isPlainColumn) && isSelect ? [] : "all",
    needs: used.flatMap(({ names }) => names),
    reads: computed.some(({ selects }) => selects) ? "all" : computed.flatMap(({ names }) => names),
    renames: Object.fromEntries(passed.flatMap((one) => (one?.from === undefined ? [] : [[one.to, one.from]]))),
    closes: isSelect && !used.some(({ selects }) => selects),
  };
}

/** An unchanged column under its own name. */
function isPlainColumn(node: ExprNode): boolean {
  return typeof node === "object" && ("Column" in node || "Selector" in node);
}

export function dropVerb(names: readonly string[]): Verb {
  return {
    text: `drop(${names.join(", ")})`,
    kind: "rowWise",
    apply: (lazy) => lazy.drop([...names]),
    changes: names,
    needs: names,
    removes: names,
  };
}

export function renameVerb(mapping: Readonly<Record<string, string>>): Verb {
  const names = Object.keys(mapping);
  const newNames = new Set(Object.values(mapping));
  return {
    text: `rename(${Object.entries(mapping)
      .map(([from, to]) => `${from} → ${to}`)
      .join(", ")})`,
    kind: "rowWise",
    apply: (lazy) => lazy.rename({ ...mapping }),
    changes: "all",
    needs: names,
    renames: Object.fromEntries(Object.entries(mapping).map(([from, to]) => [to, from])),
    removes: names.filter((name) => !newNames.has(name)),
  };
}

export function sliceVerb(offset: number, length: number): Verb {
  return {
    text: offset === 0 ? `head(${length})` : `slice(${offset}, ${length})`,
    kind: offset < 0 ? "gather" : "slice",
    apply: (lazy) => lazy.slice(offset, length),
    slice: { offset, length },
    changes: [],
    needs: [],
  };
}

export function tailVerb(length: number): Verb {
  // No rows are no rows, from whichever end: that needs no request.
  if (length === 0) return sliceVerb(0, 0);
  return { text: `tail(${length})`, kind: "gather", apply: (lazy) => lazy.tail(length), changes: [], needs: [] };
}

/** In the names of columns that exist during a sort only. No column of a service begins with it. */
const SORT = "\0sort";

export function sortVerb({ keys, nullsLast }: SortPlan): Verb {
  const named = keys.flatMap(({ by, descending }) => (typeof by === "string" ? [{ column: by, descending }] : []));
  const computed = keys.flatMap(({ by }, at) => (typeof by === "string" ? [] : [inUtc(by).prefix(`${SORT}${at} `)]));
  return {
    text: `sort(${keys.map(({ by, descending }) => `${by}${descending ? " descending" : ""}`).join(", ")})`,
    kind: "gather",
    apply(lazy) {
      // All keys are computed on the rows as they came: `shift` or `cumSum` would differ in sorted rows.
      const { columns } = lazy;
      const row = `${SORT}row`;
      const keyed = lazy.withColumns(...computed).withRowIndex(row);
      const added = keyed.columns.filter((name) => !columns.includes(name));
      const sorts = keys.flatMap(({ by, descending }, at) => {
        const names = typeof by === "string" ? [by] : added.filter((name) => name.startsWith(`${SORT}${at} `));
        return names.map((name) => ({ name, descending }));
      });
      // Ties go by id, so that the order does not depend on how rows were split into pages, and then by row: polars has no stable
      // sort with a direction for each key.
      const ties = (columns.includes("id") ? ["id", row] : [row]).map((name) => ({ name, descending: false }));
      const all = [...sorts, ...ties];
      const order = pl.argSortBy(
        all.flatMap(({ name }) => [pl.col(name).isNull(), pl.col(name)]),
        all.flatMap(({ descending }) => [!nullsLast, descending]),
      );
      const at = `${SORT}order`;
      return keyed
        .withColumns(order.alias(at))
        .select(pl.all().gather(pl.col(at)))
        .drop([...added, at]);
    },
    sort: named.length === keys.length ? named : [],
    needs: namesOf(keys.map(({ by }) => by)),
  };
}

/** @param subset the columns to compare; undefined for all */
export function uniqueVerb(subset: readonly string[] | undefined, keep: UniqueKeep): Verb {
  return {
    text: `unique(${subset?.join(", ") ?? ""})`,
    kind: "gather",
    apply: (lazy) => lazy.unique({ subset: subset && [...subset], keep, maintainOrder: true }),
    needs: subset ?? [],
  };
}

export function groupVerb(by: ReadonlyArray<PolarsExpr | string>, aggregates: readonly PolarsExpr[]): Verb {
  const keys = by.map((key) => (typeof key === "string" ? key : inUtc(key)));
  const exprs = aggregates.map(inUtc);
  return {
    text: `groupBy(${keys.map(String).join(", ")}).agg(${exprs.map(String).join(", ")})`,
    kind: "gather",
    apply: (lazy) => lazy.groupBy([...keys] as string[], true).agg(...exprs),
    needs: namesOf([...keys, ...exprs]),
    closes: true,
  };
}

/** Any function on the frame of all rows. Nothing is known about the columns that it needs. */
export function pipeVerb(build: Verb["apply"]): Verb {
  return { text: `pipe(${build.name || "…"})`, kind: "gather", apply: build };
}

function namesOf(columns: ReadonlyArray<PolarsExpr | string>): string[] {
  return columns.flatMap((one) => (typeof one === "string" ? [one] : columnsOf(exprNode(one)).names));
}
