import { invalid } from "../errors/validators.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { type ExprNode, exprNode, inUtc } from "../frames/polarsPlan.js";
import { columnsOf, isRowWise, passedColumn } from "./rowWise.js";
import { type Term, termsOf } from "./terms.js";

/** One verb of a scan. */
export interface Step {
  /** How it reads in a plan. */
  readonly text: string;
  /** "rows" runs page by page, "slice" counts rows, "gather" needs everything before it. */
  readonly kind: "rows" | "slice" | "gather";
  /** Runs on a frame; for a slice too, where everything was gathered before. */
  apply(lazy: LazyFrame): LazyFrame;
  /** What a filter says of every row that passes it. */
  readonly terms?: readonly Term[];
  /** The rows that a slice passes over and lets through. */
  readonly slice?: { readonly offset: number; readonly length: number };
  /** The columns a sort goes by, and whether downwards. */
  readonly sort?: ReadonlyArray<{ readonly column: string; readonly descending: boolean }>;
  /** Columns that the verb makes, changes or takes away; "all" where that is not known. A filter changes none. */
  readonly changes?: readonly string[] | "all";
  /** Columns that the verb needs; undefined for one that is opaque. */
  readonly needs?: readonly string[] | undefined;
  /** Columns whose values decide what the verb does, by their types too. One that only passes them on reads none. */
  readonly reads?: readonly string[] | "all";
  /** Columns as they are, under another name: from each new name to the one before. */
  readonly renames?: Readonly<Record<string, string>>;
  /** No column is left but those that the verb names. */
  readonly closes?: boolean;
  /** Columns that are gone afterwards. */
  readonly removes?: readonly string[];
}

export function filterStep(predicate: PolarsExpr): Step {
  if (typeof (predicate as Partial<PolarsExpr> | null | undefined)?.and !== "function") {
    throw invalid("predicate", predicate, 'Give an expression, for example filter(pl.col("length").gt(60)).');
  }
  const expr = inUtc(predicate);
  const node = exprNode(expr);
  const { names, selects } = columnsOf(node);
  return {
    text: `filter(${expr})`,
    kind: isRowWise(node) ? "rows" : "gather",
    apply: (lazy) => lazy.filter(expr),
    terms: termsOf(node),
    changes: [],
    needs: names,
    reads: selects ? "all" : names,
  };
}

export function exprsStep(verb: "select" | "withColumns", exprs: ReadonlyArray<PolarsExpr | string>): Step {
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : inUtc(expr)));
  const nodes = columns.map(exprNode);
  const used = nodes.map(columnsOf);
  const hasColumns = used.every(({ names, selects }) => names.length > 0 || selects);
  const passed = nodes.map(passedColumn);
  const computed = used.filter((_columns, at) => passed[at] === undefined);
  const isSelect = verb === "select";
  return {
    text: `${verb}(${columns.map(String).join(", ")})`,
    // An expression without columns is one value, not one for each row.
    kind: nodes.every(isRowWise) && (!isSelect || hasColumns) ? "rows" : "gather",
    apply: (lazy) => (isSelect ? lazy.select([...columns]) : lazy.withColumns(...columns)),
    changes: nodes.every(isPlainColumn) && isSelect ? [] : "all",
    needs: used.flatMap(({ names }) => names),
    reads: computed.some(({ selects }) => selects) ? "all" : computed.flatMap(({ names }) => names),
    renames: Object.fromEntries(passed.flatMap((one) => (one?.from === undefined ? [] : [[one.to, one.from]]))),
    closes: isSelect && !used.some(({ selects }) => selects),
  };
}

/** A column as it is, under its own name. */
function isPlainColumn(node: ExprNode): boolean {
  return typeof node === "object" && ("Column" in node || "Selector" in node);
}

export function dropStep(names: readonly string[]): Step {
  return {
    text: `drop(${names.join(", ")})`,
    kind: "rows",
    apply: (lazy) => lazy.drop([...names]),
    changes: names,
    needs: names,
    removes: names,
  };
}

export function renameStep(mapping: Readonly<Record<string, string>>): Step {
  const names = Object.keys(mapping);
  const made = new Set(Object.values(mapping));
  return {
    text: `rename(${Object.entries(mapping)
      .map(([from, to]) => `${from} → ${to}`)
      .join(", ")})`,
    kind: "rows",
    apply: (lazy) => lazy.rename({ ...mapping }),
    changes: "all",
    needs: names,
    renames: Object.fromEntries(Object.entries(mapping).map(([from, to]) => [to, from])),
    removes: names.filter((name) => !made.has(name)),
  };
}

export function sliceStep(offset: number, length: number): Step {
  return {
    text: offset === 0 ? `head(${length})` : `slice(${offset}, ${length})`,
    kind: offset < 0 ? "gather" : "slice",
    apply: (lazy) => lazy.slice(offset, length),
    slice: { offset, length },
    changes: [],
    needs: [],
  };
}

export interface SortKey {
  readonly by: PolarsExpr | string;
  readonly descending: boolean;
}

export function sortStep(keys: readonly SortKey[], nullsLast: boolean): Step {
  const named = keys.flatMap(({ by, descending }) => (typeof by === "string" ? [{ column: by, descending }] : []));
  const utc = keys.map(({ by, descending }) => ({ by: typeof by === "string" ? by : [inUtc(by)], descending }));
  return {
    text: `sort(${keys.map(({ by, descending }) => `${by}${descending ? " descending" : ""}`).join(", ")})`,
    kind: "gather",
    apply(lazy) {
      // The last key first, each sort stable: polars takes no direction for each key. Equal rows go by id, so that the
      // order does not hang on that of the pages.
      const ties = lazy.columns.includes("id") ? [{ by: "id", descending: false }] : [];
      return [...utc, ...ties].reduceRight(
        (sorted, { by, descending }) => sorted.sort(by as string, descending, nullsLast, true),
        lazy,
      );
    },
    sort: named.length === keys.length ? named : [],
    needs: namesOf(keys.map(({ by }) => by)),
  };
}

/** @param keys the columns that rows are compared by; undefined for all */
export function uniqueStep(keys: readonly string[] | undefined, keep: "first" | "last" | "any" | "none"): Step {
  return {
    text: `unique(${keys?.join(", ") ?? ""})`,
    kind: "gather",
    apply: (lazy) => lazy.unique({ subset: keys && [...keys], keep, maintainOrder: true }),
    needs: keys ?? [],
  };
}

export function groupStep(by: ReadonlyArray<PolarsExpr | string>, aggregates: readonly PolarsExpr[]): Step {
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

/** What a function makes of the frame of all rows. Nothing is known of what it needs. */
export function pipeStep(build: Step["apply"]): Step {
  return { text: `pipe(${build.name || "…"})`, kind: "gather", apply: build };
}

function namesOf(columns: ReadonlyArray<PolarsExpr | string>): string[] {
  return columns.flatMap((one) => (typeof one === "string" ? [one] : columnsOf(exprNode(one)).names));
}
