import { invalid, unknownColumn } from "../errors/validators.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { isObject, isPromise } from "../util/objects.js";
import { deriveProvenance } from "./lineage/derived.js";
import { groupStep, invalidPredicate, polarsStep } from "./lineage/polarsStep.js";
import { polarsType, refuseOtherPolars } from "./otherPolars.js";
import { timesError } from "./perPeriod.js";
import type { PolarsFrame } from "./polars.js";
import { handleVerbs } from "./polarsVerbs.js";

/**
 * Returns the provenance of a result: the query, the service, the time, the number of requests, and whether it is complete.
 *
 * It follows polars frames through their verbs: a filtered, grouped or joined frame has the `sources` that its rows come from and the
 * `steps` since then. Counts are then sums over the sources, and the verdict is the worst one.
 *
 * @param result a frame, body or list of rows returned by a client, or a polars frame or lazy frame made from one
 * @returns `undefined` for anything else
 * @throws ValidationError for a promise: `await` is missing
 * @example
 * const frame = await archive.bills("budget", { maxItems: 500 });
 * provenanceOf(frame)?.verdict; //=> "complete"
 * provenanceOf(frame.head(3))?.steps; //=> [{ verb: "head", text: "cut to the first 3 rows", rows: [20, 3] }]
 */
export function provenanceOf(result: unknown): Provenance | undefined {
  if (isPromise(result)) throw invalid("result", result, "");
  return recordedProvenance(result);
}

const KEY = Symbol.for("archive-frames.provenance");
const globals = globalThis as { [KEY]?: WeakMap<object, Provenance> };
globals[KEY] ??= new WeakMap();
/** Global, because a kernel may display results of another copy of this package. */
const provenances = globals[KEY];

/** Records the provenance of a result and returns the result. */
export function setProvenance<T>(result: T, provenance: Provenance | undefined): T {
  if (provenance !== undefined && typeof result === "object" && result !== null)
    provenances.set(result, Object.freeze(provenance));
  return result;
}

export function recordedProvenance(value: unknown): Provenance | undefined {
  return typeof value === "object" && value !== null ? provenances.get(value) : undefined;
}

type Methods = Record<string | symbol, unknown>;

/** Verbs that return the same rows and columns. */
const WITHOUT_STEP = new Set(["clone", "lazy", "collect", "collectSync", "cache", "rechunk", "shrinkToFit"]);
const GROUPS = new Set(["groupBy", "groupByRolling", "groupByDynamic"]);
/** Verbs that change the frame itself. */
const IN_PLACE = new Set(["extend", "insertAtIdx", "replaceAtIdx"]);
/** Verbs that polars calls inside another verb do not become steps. */
let isVerbRunning = false;

/** Runs a method. The frame that it returns gets the provenance of its inputs, with one more step. */
function runVerb(verb: string, frame: object | undefined, args: unknown[], run: () => unknown): unknown {
  if (isVerbRunning) return run();
  const inputs = [frame, ...args.flat()];
  refuseOtherPolars(...inputs.slice(1));
  // `expr > 60` is a boolean of JavaScript, for which polars would keep all rows or none.
  if (["filter", "where"].includes(verb) && args.some(isJavaScriptCondition)) throw invalidPredicate(args[0]);
  const tracked = inputs.filter((each) => recordedProvenance(each) !== undefined);
  const [first, ...others] = tracked.map((each) => recordedProvenance(each) as Provenance);
  const rowsBefore = heightOf(tracked[0]);
  const result = runPolarsVerb(run, verb, inputs);
  if (first === undefined) return result;
  if (GROUPS.has(verb)) return trackGroups(result as Methods, verb, args, first, rowsBefore);
  const finish = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.every(isFrame) ? value.map(finish) : value;
    const target = IN_PLACE.has(verb) ? frame : value;
    if (!isFrame(target)) return value;
    const provenance = WITHOUT_STEP.has(verb)
      ? first
      : deriveProvenance(first, polarsStep(verb, args, rowCounts(rowsBefore, heightOf(target))), others);
    setProvenance(target, provenance);
    return isFrame(value) ? setProvenance(value, provenance) : value;
  };
  return result instanceof Promise ? result.then(finish) : finish(result);
}

function isJavaScriptCondition(value: unknown): boolean {
  return (
    typeof value === "boolean" || typeof value === "function" || (isObject(value) && polarsType(value) === undefined)
  );
}

function runPolarsVerb<T>(run: () => T, verb: string, frames: readonly unknown[]): T {
  isVerbRunning = true;
  try {
    return run();
  } catch (error) {
    throw columnError(error, verb, frames);
  } finally {
    isVerbRunning = false;
  }
}

/** The column that polars did not find; undefined for any other error. */
export function missingColumn(error: unknown): string | undefined {
  const match = /not found: (?:unable to find column )?(?:"([^"\n]*)"|([^"\n;:]+))/.exec((error as Error).message);
  return match?.[1] ?? match?.[2];
}

/** Adds the columns of the frame to the error of polars for a missing column. */
function columnError(cause: unknown, verb: string, frames: readonly unknown[]): unknown {
  const name = missingColumn(cause);
  if (name === undefined) return timesError(cause);
  const eagerFrames = frames.filter((each): each is PolarsFrame => polarsType(each) === "DataFrame");
  const frame = eagerFrames.find(({ columns }) => !columns.includes(name));
  return frame === undefined ? cause : unknownColumn(name, frame.columns, verb);
}

/** Gives the provenance to the frames that are made of groups, or of their pivots. */
function trackGroups(
  groups: Methods,
  verb: string,
  by: readonly unknown[],
  provenance: Provenance,
  rowsBefore: number | undefined,
): Methods {
  const track = (name: string, args: readonly unknown[], result: unknown): unknown => {
    if (name === "pivot") return trackGroups(result as Methods, verb, by, provenance, rowsBefore);
    if (!isFrame(result)) return result;
    const aggs = name === "agg" ? args : [name, ...args];
    const step = groupStep(verb, by, aggs, rowCounts(rowsBefore, heightOf(result)));
    return setProvenance(result, deriveProvenance(provenance, step));
  };
  return new Proxy(groups, {
    get(target, name) {
      const method = target[name];
      if (typeof method !== "function" || typeof name !== "string") return method;
      return (...args: unknown[]) => track(name, args, method(...args));
    },
  });
}

function rowCounts(before: number | undefined, after: number | undefined): readonly [number, number] | undefined {
  return before === undefined || after === undefined ? undefined : [before, after];
}

function isFrame(value: unknown): value is object {
  const tag = polarsType(value);
  return tag === "DataFrame" || tag === "LazyDataFrame";
}

/** The number of rows of an eager frame. */
function heightOf(frame: unknown): number | undefined {
  return polarsType(frame) === "DataFrame" ? (frame as PolarsFrame).height : undefined;
}

// Makes provenance follow frames through the verbs of polars.
handleVerbs(runVerb);
