/**
 * What a verb did: `"rows"` were chosen, their `"order"` or their `"shape"` changed, `"columns"` were chosen, changed or added, rows were
 * summarized (`"summary"`), or rows or columns of another frame were `"joined"`.
 */
export type StepEffect = "rows" | "order" | "shape" | "columns" | "summary" | "joined";

/** One verb that was applied to a result. */
export interface Step {
  /** The name of the method or function: `"filter"`, `"groupBy"`, `"withMembers"`. */
  readonly verb: string;
  /** What it did to the rows or columns. */
  readonly effect: StepEffect;
  /** Its arguments in words, shortened; absent without any: `"party"`. */
  readonly detail?: string;
  /** The steps of the frame that was joined, if it had any. */
  readonly other?: readonly Step[];
}

/** The verbs of frames and lazy frames. Those of "none" return the same rows and columns; those of "group" return groups. */
const VERBS = {
  rows: "filter where head tail limit slice sample unique dropNulls first last fetch fetchSync partitionBy",
  order: "sort reverse",
  shape: "explode unpivot transpose upsample",
  columns:
    "select drop withColumn withColumns withColumnRenamed rename withRowCount withRowIndex hstack replaceAtIdx fillNull interpolate shift shiftAndFill unnest add sub div mul rem plus minus divideBy multiplyBy modulo",
  summary: "describe max mean median min nullCount pivot quantile std sum var",
  joined: "join joinAsof vstack extend concat",
  none: "clone lazy collect collectSync cache rechunk shrinkToFit",
  group: "groupBy groupByRolling groupByDynamic",
} as const;

/** What each verb does. */
export const EFFECTS: ReadonlyMap<string, keyof typeof VERBS> = new Map(
  (Object.keys(VERBS) as (keyof typeof VERBS)[]).flatMap((effect) =>
    VERBS[effect].split(" ").map((verb) => [verb, effect] as const),
  ),
);

const MAX_DETAIL = 200;

/** A step with its arguments in words. */
export function stepOf(verb: string, effect: StepEffect, args: readonly unknown[], other?: readonly Step[]): Step {
  const detail = wordsOf(args).slice(0, MAX_DETAIL);
  // One level: a frame that is joined to itself again and again would double its steps each time.
  const flat = other?.map(({ other: _nested, ...step }) => step);
  return { verb, effect, ...(detail !== "" && { detail }), ...(flat?.length && { other: flat }) };
}

/** The step of a verb that is written as it is called: `head(40)`. */
export function stepFromText(text: string): Step {
  const [, verb = text, detail = ""] = /^(\w+)\((.*)\)$/s.exec(text) ?? [];
  const effect = EFFECTS.get(verb) ?? "shape";
  return stepOf(verb, effect === "group" ? "summary" : effect === "none" ? "shape" : effect, [detail]);
}

/** Names, numbers, expressions and options; frames, series and functions have no words. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return "";
  const listed = (words: readonly string[]) => words.filter((each) => each !== "").join(", ");
  if (Array.isArray(value)) return listed(value.slice(0, MAX_DETAIL).map(wordsOf));
  const tag: unknown = (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  // Of expressions and series it is a method.
  if (typeof tag === "function" && tag.call(value) === "Expr") return String(value);
  if (tag !== undefined) return "";
  return listed(
    Object.entries(value).map(([name, each]) => {
      const words = wordsOf(each);
      return words === "" ? "" : `${name} ${words}`;
    }),
  );
}
