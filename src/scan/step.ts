import type { pl as Polars } from "nodejs-polars";
import { pl } from "../frames/polars.js";
import { columnsOf, type ExprNode, exprNode, hasColumns, inUtc, isByRow, type PolarsExpr } from "./exprNode.js";
import { type Term, termsOf } from "./terms.js";

/** A polars lazy frame. */
export type LazyFrame = Polars.LazyDataFrame;

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
  /** Columns that the verb needs. */
  readonly needs?: readonly string[];
}

export function filterStep(predicate: PolarsExpr): Step {
  const expr = inUtc(predicate);
  const node = exprNode(expr);
  return {
    text: `filter(${expr})`,
    kind: isByRow(node) ? "rows" : "gather",
    apply: (lazy) => lazy.filter(expr),
    terms: termsOf(node),
    changes: [],
    needs: columnsOf(node),
  };
}

export function exprsStep(verb: "select" | "withColumns", exprs: ReadonlyArray<PolarsExpr | string>): Step {
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : inUtc(expr)));
  const nodes = columns.map(exprNode);
  return {
    text: `${verb}(${columns.map(String).join(", ")})`,
    kind: nodes.every((node) => isByRow(node) && (verb === "withColumns" || hasColumns(node))) ? "rows" : "gather",
    apply: (lazy) => (verb === "select" ? lazy.select([...columns]) : lazy.withColumns(...columns)),
    changes: nodes.every(isPlainColumn) && verb === "select" ? [] : "all",
    needs: nodes.flatMap(columnsOf),
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
  };
}

export function renameStep(mapping: Readonly<Record<string, string>>): Step {
  const names = Object.keys(mapping);
  return {
    text: `rename(${Object.entries(mapping)
      .map(([from, to]) => `${from} → ${to}`)
      .join(", ")})`,
    kind: "rows",
    apply: (lazy) => lazy.rename({ ...mapping }),
    changes: "all",
    needs: names,
  };
}

export function sliceStep(offset: number, length: number): Step {
  return {
    text: offset === 0 ? `head(${length})` : `slice(${offset}, ${length})`,
    kind: offset < 0 ? "gather" : "slice",
    apply: (lazy) => lazy.slice(offset, length),
    slice: { offset, length },
    changes: [],
  };
}

export interface SortKey {
  readonly by: PolarsExpr | string;
  readonly descending: boolean;
}

export function sortStep(keys: readonly SortKey[], nullsLast: boolean): Step {
  const named = keys.flatMap(({ by, descending }) => (typeof by === "string" ? [{ column: by, descending }] : []));
  return {
    text: `sort(${keys.map(({ by, descending }) => `${by}${descending ? " descending" : ""}`).join(", ")})`,
    kind: "gather",
    apply(lazy) {
      // The last key first, each sort stable: polars takes no direction for each key. Equal rows go by id, so that the
      // order does not hang on that of the pages.
      const ties: SortKey[] = lazy.columns.includes("id") ? [{ by: "id", descending: false }] : [];
      return [...keys, ...ties].reduceRight(
        (sorted, { by, descending }) =>
          sorted.sort(typeof by === "string" ? by : [inUtc(by)], descending, nullsLast, true),
        lazy,
      );
    },
    sort: named.length === keys.length ? named : [],
  };
}

/** Any other verb, which runs when everything before it is there. */
export function gatherStep(text: string, apply: Step["apply"]): Step {
  return { text, kind: "gather", apply };
}
