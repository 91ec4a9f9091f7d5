import { inspect, types } from "node:util";
import type { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { isObject } from "../../util/objects.js";
import { clip } from "../../util/text.js";
import { polarsType, refuseOtherPolars } from "../otherPolars.js";
import type { PolarsExpr } from "../polars.js";
import { whereOf } from "../where.js";
import { MAX_TEXT, type Step } from "./derived.js";

/** Phrases for frequent verbs; # stands for the arguments. */
const PHRASES: Readonly<Record<string, string>> = {
  filter: "filtered by #",
  where: "filtered by #",
  head: "cut to the first # rows",
  tail: "cut to the last # rows",
  sample: "sampled at random (#)",
  unique: "deduplicated by #",
  select: "reduced to #",
  drop: "stripped of #",
  withColumn: "extended by #",
  withColumns: "extended by #",
  rename: "renamed (#)",
  sort: "sorted by #",
  groupBy: "grouped by #",
  join: "joined with other rows (#)",
  concat: "combined",
  vstack: "combined",
};

/**
 * A step of a verb of polars.
 *
 * @param args the arguments of the verb; frames and functions among them are left out
 * @param rows the number of rows before and after it
 */
export function polarsStep(verb: string, args: readonly unknown[], rows?: Step["rows"]): Step {
  const shownArgs = args.length === 0 && /^(?:head|tail)$/.test(verb) ? [5] : args;
  const words = wordsOf(verb === "sort" && args[1] === true ? [args[0], "descending"] : shownArgs).join(", ");
  const phrase = (Object.hasOwn(PHRASES, verb) && PHRASES[verb]) || `passed to ${verb} (#)`;
  const text = words === "" ? phrase.replace(/ (?:by |to |of )?\(?#\)?/, "") : phrase.replace("#", () => words);
  return { verb, text, ...(rows && { rows }) };
}

/** The step of a verb of groups: their keys, and the aggregates. */
export function groupStep(verb: string, by: readonly unknown[], aggs: readonly unknown[], rows?: Step["rows"]): Step {
  const step = polarsStep(verb, by, rows);
  return { ...step, text: `${step.text} (${wordsOf(aggs).join(", ")})` };
}

const MAX_VALUES = 20;

/** The values of an argument in words; nothing for frames and functions. */
function wordsOf(value: unknown, depth = 0): readonly string[] {
  if (Array.isArray(value)) {
    const more = value.length > MAX_VALUES ? [`${value.length - MAX_VALUES} more`] : [];
    return [...value.slice(0, MAX_VALUES).flatMap((each) => wordsOf(each, depth + 1)), ...more];
  }
  if (typeof value === "function" || value === undefined || depth > 3) return [];
  if (!isObject(value) || types.isRegExp(value)) return [String(value)];
  if (types.isDate(value)) return [Number.isNaN(value.getTime()) ? "an invalid date" : value.toISOString()];
  const type = polarsType(value);
  if (type === "Series") return [String(value.name)];
  if (type === "Expr") return [clip(exprText(value as unknown as PolarsExpr), MAX_TEXT)];
  if (type !== undefined) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const words = wordsOf(each, depth + 1);
    if (words.length === 0 || name === "by" || name === "subset") return words;
    return [`${name} ${words.join(", ")}`];
  });
}

/** An expression as polars prints it; the conditions of `where` as they were given. */
function exprText(expr: PolarsExpr): string {
  const conditions = whereOf(expr);
  return conditions === undefined ? String(expr) : inspect(conditions, { breakLength: Number.POSITIVE_INFINITY });
}

/**
 * Whether a value is a polars expression.
 *
 * @throws ValidationError for one of another copy of nodejs-polars
 */
export function isExpr(value: unknown): value is PolarsExpr {
  refuseOtherPolars(value);
  return typeof (value as Partial<PolarsExpr> | null | undefined)?.and === "function" && "alias" in (value as object);
}

/** The error for a condition that is not an expression, such as `pl.col("length") > 60`, which JavaScript evaluates to a boolean. */
export function invalidPredicate(condition: unknown): ValidationError {
  const hint =
    'Give an expression, for example filter(pl.col("length").gt(60)) or filter(where({ length: { gt: 60 } })).';
  return invalid("predicate", condition, hint);
}
