import { boolean, checkedOptions, invalid, oneOf } from "../errors/validators.js";
import type { PolarsExpr } from "../frames/polars.js";

/** A polars expression, or the name of a column. */
export type ExprOrName = PolarsExpr | string;

/** Options of {@link ArchiveScan.sort}, as in polars. */
export interface SortOptions {
  /** Sort in descending order; a list has one value per key. Default false. */
  descending?: boolean | readonly boolean[] | undefined;
  /** Put nulls last, in either direction. Default false. */
  nullsLast?: boolean | undefined;
  /** Accepted for compatibility with polars: rows with equal keys are always ordered by id. */
  maintainOrder?: boolean | undefined;
}

/** Which row to keep of several equal ones; "none" keeps only rows that have no equal. */
export type UniqueKeep = "first" | "last" | "any" | "none";

/** Options of {@link ArchiveScan.unique}, as in polars. */
export interface UniqueOptions {
  /** Columns to compare. Default: all. */
  subset?: string | readonly string[] | undefined;
  /** Which row to keep of several equal ones. Default "first". */
  keep?: UniqueKeep | undefined;
  /** Accepted for compatibility with polars: rows always keep their order. */
  maintainOrder?: boolean | undefined;
}

/** A key of a sort. */
export interface SortKey {
  readonly by: ExprOrName;
  readonly descending: boolean;
}

/** A sort after checking. */
export interface SortPlan {
  readonly keys: readonly SortKey[];
  readonly nullsLast: boolean;
}

const SORT_OPTIONS: readonly string[] = ["descending", "nullsLast", "maintainOrder"];
const UNIQUE_OPTIONS: readonly string[] = ["subset", "keep", "maintainOrder"];
const KEEPS: readonly UniqueKeep[] = ["first", "last", "any", "none"];

/**
 * Reads the arguments of `sort` in each of their forms: by position, keys and options, or options that include the keys.
 *
 * @throws ValidationError
 */
export function sortArguments(
  by: ExprOrName | readonly ExprOrName[] | (SortOptions & { by: ExprOrName | readonly ExprOrName[] }),
  descending: boolean | readonly boolean[] | SortOptions | undefined,
  nullsLast: boolean | undefined,
  maintainOrder: boolean | undefined,
): SortPlan {
  if (isOptions(by)) {
    const given = by as SortOptions & { by: ExprOrName };
    const { by: keys, ...options } = checkedOptions(given, ["by", ...SORT_OPTIONS], "option of sort");
    return sortPlan(keys, options);
  }
  if (isOptions(descending)) {
    return sortPlan(by as ExprOrName, checkedOptions(descending as SortOptions, SORT_OPTIONS, "option of sort"));
  }
  return sortPlan(by as ExprOrName, { descending: descending as boolean, nullsLast, maintainOrder });
}

function sortPlan(
  by: ExprOrName | readonly ExprOrName[] | undefined,
  { descending = false, nullsLast = false, maintainOrder = true }: SortOptions,
): SortPlan {
  if (by === undefined) throw invalid("by", by, 'Give a column or several, for example by: ["person", "begintime"].');
  const all = [by].flat() as ExprOrName[];
  if (typeof descending !== "boolean" && descending.length !== all.length) {
    throw invalid("descending", descending, `Give true or false, or one for each of the ${all.length} keys.`);
  }
  boolean("maintainOrder", maintainOrder);
  return {
    keys: all.map((key, at) => ({
      by: key,
      descending: boolean("descending", typeof descending === "boolean" ? descending : descending[at]),
    })),
    nullsLast: boolean("nullsLast", nullsLast),
  };
}

/**
 * Reads the arguments of `unique` in each of their forms: by position, columns and options, or options alone.
 *
 * @throws ValidationError
 */
export function uniqueArguments(
  subset: string | readonly string[] | UniqueOptions | undefined,
  keep: UniqueKeep | UniqueOptions | undefined,
  maintainOrder: boolean | undefined,
): { readonly subset: readonly string[] | undefined; readonly keep: UniqueKeep } {
  if (isOptions(subset)) return uniqueArguments(undefined, subset as UniqueOptions, undefined);
  if (isOptions(keep)) {
    const options = checkedOptions(keep as UniqueOptions, UNIQUE_OPTIONS, "option of unique");
    return uniqueArguments((subset as string) ?? options.subset, options.keep, options.maintainOrder);
  }
  boolean("maintainOrder", maintainOrder ?? true);
  return {
    subset: subset === undefined ? undefined : ([subset].flat() as string[]),
    keep: oneOf("keep", keep ?? "first", KEEPS),
  };
}

/** Whether a value is a polars expression, of any copy of polars. */
export function isExpr(value: unknown): value is PolarsExpr {
  return typeof (value as Partial<PolarsExpr> | null | undefined)?.and === "function";
}

/** A plain object: neither a list nor an expression. */
function isOptions(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExpr(value);
}
