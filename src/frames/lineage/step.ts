import { types } from "node:util";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/isObject.js";
import { exprWords, isExpr } from "./exprWords.js";

declare module "../../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for derived frames: the results that the rows come from, each once. */
    sources?: readonly Provenance[];
    /** Only for frames made from several frames: what was combined, in order. The first of the `steps` says how. */
    inputs?: readonly Lineage[];
    /** Only for derived frames: the verbs since the rows were fetched or combined, in order. */
    steps?: readonly Step[];
  }
}

/** Where the rows of a frame come from, and what was done to them. */
export interface Lineage {
  /** The results that the rows come from, each once. */
  readonly sources: readonly Provenance[];
  /** What was combined, if several frames were; each has the steps of its own. */
  readonly inputs?: readonly Lineage[];
  /** The verbs since then, in order. */
  readonly steps: readonly Step[];
}

/**
 * What a verb did: `"rows"` were chosen, their `"order"` or their `"shape"` changed, `"columns"` were chosen, changed or added, rows were
 * summarized (`"summary"`), or rows or columns of another frame were `"joined"`.
 */
export type StepEffect = "rows" | "order" | "shape" | "columns" | "summary" | "joined";

/** An argument of a step: a value, or an expression in words. */
export type StepValue =
  | string
  | number
  | boolean
  | null
  | readonly StepValue[]
  | { readonly [name: string]: StepValue };

/** One verb that was applied to a result. */
export interface Step {
  /** The name of the method or function: `"filter"`, `"groupBy"`, `"withMembers"`. */
  readonly verb: string;
  /** What it did to the rows or columns. */
  readonly effect: StepEffect;
  /** Its arguments by name, expressions in words; absent without any: `{ predicate: "length > 60" }`. */
  readonly arguments?: Readonly<Record<string, StepValue>>;
  /** The number of rows before and after it; absent for lazy frames, which do not know. */
  readonly rows?: readonly [before: number, after: number];
}

/** The verbs of frames and lazy frames with their parameters. Those of "none" return the same rows and columns; those of "group" return groups. */
const VERBS = {
  rows: "filter(predicate) where(predicate) head(length) tail(length) limit(length) slice(offset,length) sample(n,frac,withReplacement,seed) unique(subset,keep,maintainOrder) dropNulls(...columns) first() last() fetch(length) fetchSync(length) partitionBy(by)",
  order: "sort(by,descending,nullsLast,maintainOrder) reverse()",
  shape: "explode(...columns) unpivot(index,on) transpose() upsample(timeColumn,every,by)",
  columns:
    "select(...columns) drop(...columns) withColumn(column) withColumns(...columns) withColumnRenamed(from,to) rename(names) withRowCount(name) withRowIndex(name,offset) hstack(columns) insertAtIdx(index,column) replaceAtIdx(index,column) fillNull(value) interpolate() shift(periods) shiftAndFill(periods,fillValue) unnest(columns) add() sub() div() mul() rem() plus() minus() divideBy() multiplyBy() modulo()",
  summary: "describe() max() mean() median() min() nullCount() pivot(values) quantile(quantile) std() sum() var()",
  joined: "join() joinAsof() vstack() extend() concat()",
  none: "clone lazy collect collectSync cache rechunk shrinkToFit",
  group: "groupBy(...by) groupByRolling() groupByDynamic()",
} as const;

export const EFFECTS = new Map<string, keyof typeof VERBS>();
const PARAMETERS = new Map<string, readonly string[]>();
for (const [effect, verbs] of Object.entries(VERBS) as Array<[keyof typeof VERBS, string]>) {
  for (const verb of verbs.split(" ")) {
    const [name = verb, parameters = ""] = verb.split(/[()]/);
    EFFECTS.set(name, effect);
    PARAMETERS.set(name, parameters.split(",").filter(Boolean));
  }
}

/**
 * A step with its arguments by name. Members of plain objects are named arguments; frames and functions are none.
 *
 * @param args the arguments of a verb of polars in order, or of a function of this package as one object
 * @param rows the number of rows before and after it
 */
export function stepOf(
  verb: string,
  effect: StepEffect,
  args: readonly unknown[],
  rows?: readonly [before: number, after: number],
): Step {
  const named: Record<string, StepValue> = {};
  const add = (name: string, value: unknown) => {
    const known = stepValue(value);
    if (known !== undefined) named[name] = known;
  };
  const names = PARAMETERS.get(verb) ?? [];
  const rest = names.findIndex((name) => name.startsWith("..."));
  args.forEach((value, at) => {
    const name = names[at] ?? `argument ${at + 1}`;
    const isNamed = isPlain(value) && names[at] !== "names";
    if (isNamed) for (const [key, member] of Object.entries(value)) add(key, member);
    else if (rest < 0 || at < rest) add(name, value);
  });
  const values = rest < 0 ? [] : args.slice(rest).filter((value) => !isPlain(value));
  if (values.length > 0) add((names[rest] as string).slice(3), values.flat(Number.POSITIVE_INFINITY));
  return { verb, effect, ...(Object.keys(named).length > 0 && { arguments: named }), ...(rows && { rows }) };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isObject(value) &&
    !(Symbol.toStringTag in value) &&
    !isExpr(value) &&
    !types.isDate(value) &&
    !types.isRegExp(value)
  );
}

const MAX_VALUES = 100;
const MAX_TEXT = 10_000;

/** A value of a step; undefined for frames, functions and what has no value. */
function stepValue(value: unknown, depth = 0): StepValue | undefined {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "bigint" || types.isRegExp(value)) return String(value);
  if (typeof value !== "object") return undefined;
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (isExpr(value)) {
    const words = exprWords(value);
    if (words.length <= MAX_TEXT) return words;
    const end = words.lastIndexOf(" ", MAX_TEXT);
    return `${words.slice(0, end < 0 ? MAX_TEXT : end)} …`;
  }
  if (depth > 4) return undefined;
  if (Array.isArray(value))
    return value.slice(0, MAX_VALUES).flatMap((each) => stepValue(each, depth + 1) ?? []) as StepValue[];
  if (isSeries(value)) return value.name;
  if (!isPlain(value)) return undefined;
  const members = Object.entries(value).map(([name, each]) => [name, stepValue(each, depth + 1)] as const);
  return Object.fromEntries(members.filter(([, each]) => each !== undefined)) as { [name: string]: StepValue };
}

function isSeries(value: object): value is { readonly name: string } {
  const tag: unknown = (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return tag === "Series" || (typeof tag === "function" && tag.call(value) === "Series");
}

/** The arguments of a step in words: `length 3`, or a single list without its name. */
export function argumentWords({ arguments: given = {} }: Step): string {
  const entries = Object.entries(given);
  return entries
    .map(([name, value]) => (entries.length === 1 ? wordsOf(value) : `${name} ${wordsOf(value)}`))
    .join(", ");
}

function wordsOf(value: StepValue): string {
  if (Array.isArray(value)) return value.map((each) => wordsOf(each as StepValue)).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name} ${wordsOf(each as StepValue)}`)
    .join(", ");
}

export function polarsStep(verb: string, args: readonly unknown[], rows?: readonly [number, number]): Step {
  return stepOf(verb, (EFFECTS.get(verb) as StepEffect) ?? "shape", args, rows);
}
