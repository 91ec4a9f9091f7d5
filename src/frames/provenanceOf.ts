import { invalid } from "../errors/validators.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { isPromise } from "../util/isObject.js";
import { derived } from "./lineage/derived.js";
import { invalidPredicate } from "./lineage/exprWords.js";
import { EFFECTS, type StepEffect, stepOf } from "./lineage/step.js";
import { checkPeriods } from "./perPeriod.js";
import type { PolarsFrame } from "./polars.js";
import { handleVerbs } from "./polarsVerbs.js";

/**
 * Returns the provenance of a result: the query, the service and the time, the number of pages and requests, and the verdict
 * (`"complete"`, `"capped"` by an option, or `"stopped"`).
 *
 * It follows polars frames through their verbs: a filtered, grouped or joined frame has the `sources` that its rows come from, the
 * `steps` since then, and the `inputs` if several frames were combined. Counts are then sums over the sources, and the verdict is the
 * worst one.
 *
 * @param result a frame, response body or list of rows returned by a client, or a polars frame or lazy frame made from one
 * @returns `undefined` for anything else, such as a series
 * @throws ValidationError for a promise: `await` is missing
 * @example
 * const frame = await archive.bills("budget", { maxItems: 500 });
 * provenanceOf(frame)?.verdict; //=> "complete"
 * provenanceOf(frame.head(3))?.steps; //=> [{ verb: "head", effect: "rows", arguments: { length: 3 }, rows: [20, 3] }]
 */
export function provenanceOf(result: unknown): Provenance | undefined {
  if (isPromise(result)) throw invalid("result", result, "");
  return recordedProvenance(result);
}

const KEY = Symbol.for("archive-frames.provenance");
const shared = globalThis as { [KEY]?: WeakMap<object, Provenance> };
shared[KEY] ??= new WeakMap();
/** Shared through a global symbol, because a kernel may display results of another copy of this package. */
const known = shared[KEY];

/** Records the provenance of a result and returns the result. */
export function setProvenance<T>(result: T, provenance: Provenance | undefined): T {
  if (provenance !== undefined && typeof result === "object" && result !== null)
    known.set(result, Object.freeze(provenance));
  return result;
}

export function recordedProvenance(value: unknown): Provenance | undefined {
  return typeof value === "object" && value !== null ? known.get(value) : undefined;
}

type Methods = Record<string | symbol, unknown>;

/** Verbs that change the frame itself. */
const IN_PLACE = new Set(["extend", "insertAtIdx", "replaceAtIdx"]);
/** Whether a verb is running. The verbs that polars calls inside it are not steps of their own. */
let isInside = false;

/** Runs a verb, and gives its result the provenance of the frames that went into it, with one step more. */
function runVerb(verb: string, frame: object | undefined, args: unknown[], run: () => unknown): unknown {
  if (isInside) return run();
  if (verb === "filter") checkPredicates(args);
  if (tagOf(frame) === "DataFrame") checkPeriods(args, frame as PolarsFrame);
  const tracked = [frame, ...args.flat()].filter((each) => recordedProvenance(each) !== undefined);
  const [first, ...others] = tracked.map((each) => recordedProvenance(each) as Provenance);
  if (first === undefined) return run();
  const before = heightOf(tracked[0]);
  const result = inside(run);
  const effect = EFFECTS.get(verb) as Exclude<ReturnType<typeof EFFECTS.get>, undefined>;
  if (effect === "group") return trackedGroups(result as Methods, verb, args, first, before);
  const finish = (made: unknown): unknown => {
    if (Array.isArray(made)) return made.map(finish);
    const target = IN_PLACE.has(verb) ? frame : made;
    if (!isFrame(target)) return made;
    const step = () => stepOf(verb, effect as StepEffect, args.filter(isNoFrame), rowsOf(before, heightOf(target)));
    const provenance = effect === "none" ? first : derived(first, step(), others);
    setProvenance(target, provenance);
    return isFrame(made) ? setProvenance(made, provenance) : made;
  };
  return result instanceof Promise ? result.then(finish) : finish(result);
}

/** JavaScript compares expressions with `>` and `===` itself: polars would keep all rows or none. */
function checkPredicates(predicates: readonly unknown[]): void {
  const condition = predicates.find((each) => typeof each === "boolean");
  if (condition !== undefined) throw invalidPredicate(condition);
}

function inside<T>(run: () => T): T {
  isInside = true;
  try {
    return run();
  } finally {
    isInside = false;
  }
}

/** Groups whose frames carry on the provenance, as those of pivots of groups do. */
function trackedGroups(
  groups: Methods,
  verb: string,
  by: readonly unknown[],
  provenance: Provenance,
  before: number | undefined,
): Methods {
  const run = (name: string, method: (...args: unknown[]) => unknown, args: readonly unknown[]): unknown => {
    const result = method(...args);
    if (name === "pivot") return trackedGroups(result as Methods, verb, by, provenance, before);
    if (!isFrame(result)) return result;
    const effect = name === "head" || name === "tail" ? "rows" : "summary";
    const facts = { function: name, ...(name === "agg" && { aggregates: args.flat() }) };
    const keys = stepOf(verb, effect, by).arguments;
    const step = stepOf(verb, effect, [{ ...keys, ...facts }], rowsOf(before, heightOf(result)));
    return setProvenance(result, derived(provenance, step));
  };
  const entries = Reflect.ownKeys(groups).map((name) => {
    const method = groups[name];
    const isMethod = typeof method === "function" && typeof name === "string";
    return [name, isMethod ? (...args: unknown[]) => run(name, method as never, args) : method];
  });
  return Object.fromEntries(entries) as Methods;
}

function rowsOf(before: number | undefined, after: number | undefined): readonly [number, number] | undefined {
  return before === undefined || after === undefined ? undefined : [before, after];
}

function isFrame(value: unknown): value is object {
  const tag = tagOf(value);
  return tag === "DataFrame" || tag === "LazyDataFrame";
}

function tagOf(value: unknown): unknown {
  return (value as { readonly [Symbol.toStringTag]?: unknown } | null | undefined)?.[Symbol.toStringTag];
}

function isNoFrame(value: unknown): boolean {
  return !(Array.isArray(value) ? value.some(isFrame) : isFrame(value));
}

/** The number of rows of an eager frame. */
function heightOf(frame: unknown): number | undefined {
  if (tagOf(frame) !== "DataFrame") return undefined;
  const { height } = frame as { readonly height: unknown };
  // A column may have this name.
  return typeof height === "number" ? height : undefined;
}

// Makes provenance follow frames through the verbs of polars.
handleVerbs(new Set(EFFECTS.keys()), runVerb);
