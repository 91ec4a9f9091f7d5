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

/** A sort after checking. */
export interface SortPlan {
  readonly keys: ReadonlyArray<{ readonly by: ExprOrName; readonly descending: boolean }>;
  readonly nullsLast: boolean;
}

export interface UniquePlan {
  /** The columns to compare; undefined for all. */
  readonly subset: readonly string[] | undefined;
  readonly keep: UniqueKeep;
}

/**
 * Reads the arguments of `sort` in each of their forms: by position, keys and options, options that include the keys, or several keys.
 *
 * @throws ValidationError
 */
export function sortPlan(args: readonly unknown[]): SortPlan {
  const [first, second, nullsLast, maintainOrder] = args;
  const given = isOptions(first)
    ? first
    : args.length > 1 && args.every((each) => typeof each === "string" || isExpr(each))
      ? { by: args }
      : isOptions(second)
        ? { by: first, ...second }
        : { by: first, descending: second, nullsLast, maintainOrder };
  const options = checkedOptions<SortOptions & { by?: ExprOrName | readonly ExprOrName[] }>(
    given,
    ["by", "descending", "nullsLast", "maintainOrder"],
    "option of sort",
  );
  const { by, descending = false } = options;
  if (by === undefined) throw invalid("by", by, 'Give a column or several, for example by: ["person", "begintime"].');
  const keys = [by].flat() as ExprOrName[];
  if (typeof descending !== "boolean" && descending.length !== keys.length) {
    throw invalid("descending", descending, `Give true or false, or one for each of the ${keys.length} keys.`);
  }
  boolean("maintainOrder", options.maintainOrder ?? true);
  return {
    keys: keys.map((key, at) => ({
      by: key,
      descending: boolean("descending", typeof descending === "boolean" ? descending : descending[at]),
    })),
    nullsLast: boolean("nullsLast", options.nullsLast ?? false),
  };
}

/**
 * Reads the arguments of `unique` in each of their forms: by position, columns and options, or options alone.
 *
 * @throws ValidationError
 */
export function uniquePlan(first: unknown, second: unknown, maintainOrder: unknown): UniquePlan {
  const given = isOptions(first)
    ? first
    : { subset: first, ...(isOptions(second) ? second : { keep: second, maintainOrder }) };
  const options = checkedOptions<UniqueOptions>(given, ["subset", "keep", "maintainOrder"], "option of unique");
  boolean("maintainOrder", options.maintainOrder ?? true);
  return {
    subset: options.subset === undefined ? undefined : ([options.subset].flat() as string[]),
    keep: oneOf("keep", options.keep ?? "first", ["first", "last", "any", "none"]),
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
