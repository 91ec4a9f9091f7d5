import { boolean, checkedOptions, invalid, oneOf } from "../errors/validators.js";
import { invalidPredicate, isExpr } from "../frames/lineage/exprWords.js";
import { type Step, stepOf } from "../frames/lineage/step.js";
import { type LazyFrame, type PolarsExpr, pl } from "../frames/polars.js";
import { exprNode, inUtc } from "../frames/polarsPlan.js";
import { isObject } from "../util/isObject.js";
import { type Comparison, comparisonsOf } from "./pushdown.js";
import { columnsNamed, isRowWise, passedColumn } from "./rowWise.js";

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
  /** Its text in `explain()` and errors. */
  readonly text: string;
  /** Its entry in the provenance. */
  readonly step: Step;
  /** "rowWise" runs page by page, "slice" counts rows, "gather" needs all rows before it. */
  readonly kind: "rowWise" | "slice" | "gather";
  /** Applies the verb to a frame. Slices use this only after a gathering verb. */
  apply(lazy: LazyFrame): LazyFrame;
  /** For filters: comparisons that hold for every row that passes. */
  readonly comparisons?: readonly Comparison[];
  /** For slices: how many rows to skip, and then to keep. */
  readonly slice?: { readonly offset: number; readonly length: number };
  /** It does not change the rows it keeps, so a comparison after it also holds for the service's rows. */
  readonly keepsValues?: boolean;
  /** Columns that must exist; undefined if unknown. */
  readonly needs?: readonly string[];
  /** Columns whose values or types affect the result; "all" if unknown. Columns only passed through do not count. */
  readonly reads?: readonly string[] | "all";
  /** Renamed columns, by their new names. */
  readonly renames?: Readonly<Record<string, string>>;
}

export function filterVerb(predicate: PolarsExpr): Verb {
  if (!isExpr(predicate)) throw invalidPredicate(predicate);
  const expr = inUtc(predicate);
  const node = exprNode(expr);
  const { names, selects } = columnsNamed(node);
  const keepsValues = isRowWise(node);
  return {
    text: `filter(${expr})`,
    step: stepOf("filter", "rows", [expr]),
    kind: keepsValues ? "rowWise" : "gather",
    apply: (lazy) => lazy.filter(expr),
    comparisons: comparisonsOf(node),
    keepsValues,
    needs: names,
    reads: selects ? "all" : names,
  };
}

export function columnsVerb(verb: "select" | "withColumns", exprs: readonly ExprOrName[]): Verb {
  const columns = exprs.map((expr) => (typeof expr === "string" ? pl.col(expr) : inUtc(expr)));
  const nodes = columns.map(exprNode);
  const used = nodes.map(columnsNamed);
  const hasColumns = used.every(({ names, selects }) => names.length > 0 || selects);
  const passed = nodes.map(passedColumn);
  const computed = used.filter((_columns, at) => passed[at] === undefined);
  const isSelect = verb === "select";
  return {
    text: `${verb}(${columns.map(String).join(", ")})`,
    step: stepOf(verb, "columns", columns),
    // An expression without columns yields a single value, not one per row.
    kind: nodes.every(isRowWise) && (!isSelect || hasColumns) ? "rowWise" : "gather",
    apply: (lazy) => (isSelect ? lazy.select([...columns]) : lazy.withColumns(...columns)),
    keepsValues:
      isSelect && nodes.every((node) => typeof node === "object" && ("Column" in node || "Selector" in node)),
    needs: used.flatMap(({ names }) => names),
    reads: computed.some(({ selects }) => selects) ? "all" : computed.flatMap(({ names }) => names),
    renames: Object.fromEntries(passed.flatMap((one) => (one?.from === undefined ? [] : [[one.to, one.from]]))),
  };
}

export function dropVerb(names: readonly string[]): Verb {
  return {
    text: `drop(${names.join(", ")})`,
    step: stepOf("drop", "columns", names),
    kind: "rowWise",
    apply: (lazy) => lazy.drop([...names]),
    keepsValues: true,
    needs: names,
  };
}

export function renameVerb(mapping: Readonly<Record<string, string>>): Verb {
  const names = Object.keys(mapping);
  return {
    text: `rename(${Object.entries(mapping)
      .map(([from, to]) => `${from} → ${to}`)
      .join(", ")})`,
    step: stepOf("rename", "columns", [mapping]),
    kind: "rowWise",
    apply: (lazy) => lazy.rename({ ...mapping }),
    needs: names,
    renames: Object.fromEntries(Object.entries(mapping).map(([from, to]) => [to, from])),
  };
}

export function sliceVerb(offset: number, length: number): Verb {
  return {
    text: offset === 0 ? `head(${length})` : `slice(${offset}, ${length})`,
    step: offset === 0 ? stepOf("head", "rows", [length]) : stepOf("slice", "rows", [offset, length]),
    kind: offset < 0 ? "gather" : "slice",
    apply: (lazy) => lazy.slice(offset, length),
    slice: { offset, length },
    needs: [],
  };
}

export function tailVerb(length: number): Verb {
  // head(0) gives the same result without a request.
  if (length === 0) return sliceVerb(0, 0);
  const step = stepOf("tail", "rows", [length]);
  return { text: `tail(${length})`, step, kind: "gather", apply: (lazy) => lazy.tail(length), needs: [] };
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
  const keys = by.map((key, at) => ({
    by: key,
    descending: boolean("descending", Array.isArray(descending) ? descending[at] : descending),
  }));
  const computed = keys.map(({ by }, at) => (typeof by === "string" ? pl.col(by) : inUtc(by)).prefix(`${SORT}${at} `));
  return {
    step: stepOf("sort", "order", [by, ...(descending === false ? [] : [descending])]),
    text: `sort(${keys.map(({ by, descending }) => `${by}${descending ? " descending" : ""}`).join(", ")})`,
    kind: "gather",
    apply(lazy) {
      const row = `${SORT}row`;
      const place = `${SORT}order`;
      const hasId = lazy.columns.includes("id");
      const keyed = lazy.withColumns(...computed).withRowIndex(row);
      const added = keyed.columns.filter((name) => name.startsWith(SORT));
      const sorts = keys.flatMap(({ descending }, at) =>
        added.filter((name) => name.startsWith(`${SORT}${at} `)).map((name) => ({ name, descending })),
      );
      // Break ties by id, so that the order does not depend on page boundaries, and then by row: polars has no stable sort with a
      // direction per key.
      const all = [...sorts, ...(hasId ? ["id", row] : [row]).map((name) => ({ name, descending: false }))];
      const order = pl.argSortBy(
        all.flatMap(({ name }) => [pl.col(name).isNull(), pl.col(name)]),
        all.flatMap(({ descending }) => [!nullsLast, descending]),
      );
      return keyed
        .withColumns(order.alias(place))
        .select(pl.all().gather(pl.col(place)))
        .drop([...added, place]);
    },
    needs: namesOf(keys.map(({ by }) => by)),
  };
}

export function uniqueVerb(columns: string | readonly string[] | undefined, options: UniqueOptions | undefined): Verb {
  const checked = checkedOptions(options, ["keep"], "option of unique");
  const keep = oneOf("keep", checked.keep ?? "first", ["first", "last", "any", "none"]);
  const subset = columns == null ? undefined : [columns].flat();
  return {
    text: `unique(${subset?.join(", ") ?? ""})`,
    step: stepOf("unique", "rows", [{ subset, keep }]),
    kind: "gather",
    apply: (lazy) => lazy.unique({ subset: subset as string[], keep, maintainOrder: true }),
    needs: subset ?? [],
  };
}

export function groupVerb(by: readonly ExprOrName[], aggregates: readonly PolarsExpr[]): Verb {
  const keys = by.map((key) => (typeof key === "string" ? key : inUtc(key)));
  const exprs = aggregates.map(inUtc);
  return {
    step: stepOf("groupBy", "summary", [{ by: keys, aggregates: exprs }]),
    text: `groupBy(${keys.map(String).join(", ")}).agg(${exprs.map(String).join(", ")})`,
    kind: "gather",
    apply: (lazy) => lazy.groupBy([...keys] as string[], true).agg(...exprs),
    needs: namesOf([...keys, ...exprs]),
  };
}

/** Any function on the frame of all rows. The columns it needs are unknown. */
export function pipeVerb(build: Verb["apply"]): Verb {
  const step = stepOf("pipe", "shape", build.name === "" ? [] : [{ function: build.name }]);
  return { text: `pipe(${build.name || "…"})`, step, kind: "gather", apply: build };
}

function namesOf(columns: readonly ExprOrName[]): string[] {
  return columns.flatMap((one) => (typeof one === "string" ? [one] : columnsNamed(exprNode(one)).names));
}
