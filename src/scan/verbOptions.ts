import { boolean, checkedOptions, invalid, oneOf } from "../errors/validators.js";
import type { PolarsExpr } from "../frames/polars.js";
import { type SortKey, type Step, sortStep, uniqueStep } from "./step.js";

type ExprOrName = PolarsExpr | string;

/** Options of a sort, as polars has them. */
export interface SortOptions {
  /** Downwards; one for each key if need be. Default false. */
  descending?: boolean | readonly boolean[] | undefined;
  /** Null after every value. Default false. */
  nullsLast?: boolean | undefined;
  /** Accepted because polars has it: equal rows are always in one order, by id. */
  maintainOrder?: boolean | undefined;
}

/** All arguments of a sort in one object, as polars takes them. */
export interface SortArguments extends SortOptions {
  by: ExprOrName | readonly ExprOrName[];
}

/** Which of several equal rows stays. */
export type UniqueKeep = "first" | "last" | "any" | "none";

/** Options of unique, as polars has them. */
export interface UniqueOptions {
  /** The columns that rows are compared by. Default: all. */
  subset?: string | readonly string[] | undefined;
  /** Which of several equal rows stays. Default "first". */
  keep?: UniqueKeep | undefined;
  /** Accepted because polars has it: rows always keep their order. */
  maintainOrder?: boolean | undefined;
}

const SORT_OPTIONS = ["descending", "nullsLast", "maintainOrder"];
const KEEPS: readonly UniqueKeep[] = ["first", "last", "any", "none"];

/** @throws ValidationError for arguments that sort does not take */
export function sortVerb(
  by: ExprOrName | readonly ExprOrName[] | SortArguments,
  descending: boolean | readonly boolean[] | SortOptions,
  nullsLast: boolean,
): Step {
  if (isOptions(by) && "by" in by) {
    const { by: keys, ...options } = checkedOptions(by as SortArguments, ["by", ...SORT_OPTIONS], "option of sort");
    return sortVerb(keys as ExprOrName, options, false);
  }
  if (isOptions(descending)) {
    const options = checkedOptions(descending as SortOptions, SORT_OPTIONS, "option of sort");
    return sortVerb(by, options.descending ?? false, options.nullsLast ?? false);
  }
  const all = [by].flat() as ExprOrName[];
  const down = descending as boolean | readonly boolean[];
  if (typeof down !== "boolean" && down.length !== all.length) {
    throw invalid("descending", down, `Give true or false, or one for each of the ${all.length} keys.`);
  }
  const keys = all.map(
    (key, at): SortKey => ({
      by: key,
      descending: boolean("descending", typeof down === "boolean" ? down : down[at]),
    }),
  );
  return sortStep(keys, boolean("nullsLast", nullsLast));
}

/** @throws ValidationError for arguments that unique does not take */
export function uniqueVerb(
  subset: string | readonly string[] | UniqueOptions | undefined,
  keep: UniqueKeep | UniqueOptions,
): Step {
  if (isOptions(subset)) return uniqueVerb(undefined, subset as UniqueOptions);
  if (isOptions(keep)) {
    const options = checkedOptions(keep as UniqueOptions, ["subset", "keep", "maintainOrder"], "option of unique");
    return uniqueVerb((subset as string) ?? options.subset, options.keep ?? "first");
  }
  const names = subset === undefined ? undefined : ([subset].flat() as string[]);
  return uniqueStep(names, oneOf("keep", keep, KEEPS));
}

/** An object that is neither a list nor an expression. */
function isOptions(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !("_expr" in value);
}
