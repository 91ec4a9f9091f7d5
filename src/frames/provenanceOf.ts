import { invalid, unknownColumn } from "../errors/validators.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { isObject, isPromise } from "../util/objects.js";
import { derived } from "./lineage/derived.js";
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

/** Verbs that return the same rows and columns. */
const SAME = new Set(["clone", "lazy", "collect", "collectSync", "cache", "rechunk", "shrinkToFit"]);
const GROUPS = new Set(["groupBy", "groupByRolling", "groupByDynamic"]);
/** Verbs that change the frame itself. */
const IN_PLACE = new Set(["extend", "insertAtIdx", "replaceAtIdx"]);
/** Whether a verb is running. The verbs that polars calls inside it are not steps of their own. */
let isInside = false;

/** Runs a method, and gives the frame that it returns the provenance of the frames that went into it, with one step more. */
function runVerb(verb: string, frame: object | undefined, args: unknown[], run: () => unknown): unknown {
  if (isInside) return run();
  const given = args.flat();
  refuseOtherPolars(...given);
  // JavaScript compares expressions with `>` and `===` itself: polars would keep all rows or none.
  if (["filter", "where"].includes(verb) && args.some(isNoCondition)) throw invalidPredicate(args[0]);
  const tracked = [frame, ...given].filter((each) => recordedProvenance(each) !== undefined);
  const [first, ...others] = tracked.map((each) => recordedProvenance(each) as Provenance);
  if (first === undefined) return inside(run, verb, [frame, ...given]);
  const before = heightOf(tracked[0]);
  const result = inside(run, verb, [frame, ...given]);
  if (GROUPS.has(verb)) return trackedGroups(result as Methods, verb, args, first, before);
  const finish = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.every(isFrame) ? value.map(finish) : value;
    const target = IN_PLACE.has(verb) ? frame : value;
    if (!isFrame(target)) return value;
    const provenance = SAME.has(verb)
      ? first
      : derived(first, polarsStep(verb, args, rowsOf(before, heightOf(target))), others);
    setProvenance(target, provenance);
    return isFrame(value) ? setProvenance(value, provenance) : value;
  };
  return result instanceof Promise ? result.then(finish) : finish(result);
}

function isNoCondition(value: unknown): boolean {
  return (
    typeof value === "boolean" || typeof value === "function" || (isObject(value) && polarsType(value) === undefined)
  );
}

function inside<T>(run: () => T, verb: string, frames: readonly unknown[]): T {
  isInside = true;
  try {
    return run();
  } catch (error) {
    throw columnError(error, verb, frames);
  } finally {
    isInside = false;
  }
}

/** The column that polars did not find; undefined if the error says something else. */
export function missingColumn(error: unknown): string | undefined {
  const found = /not found: (?:unable to find column )?(?:"([^"\n]*)"|([^"\n;:]+))/.exec((error as Error).message);
  return found?.[1] ?? found?.[2];
}

/** The error of polars for a column that one of the frames lacks, with the columns that it has. */
function columnError(cause: unknown, verb: string, frames: readonly unknown[]): unknown {
  const name = missingColumn(cause);
  if (name === undefined) return timesError(cause);
  const eager = frames.filter((each): each is PolarsFrame => polarsType(each) === "DataFrame");
  const without = eager.find(({ columns }) => !columns.includes(name));
  return without === undefined ? cause : unknownColumn(name, without.columns, verb);
}

/** Groups whose frames carry on the provenance, as those of pivots of groups do. */
function trackedGroups(
  groups: Methods,
  verb: string,
  by: readonly unknown[],
  provenance: Provenance,
  before: number | undefined,
): Methods {
  const tracked = (name: string, args: readonly unknown[], result: unknown): unknown => {
    if (name === "pivot") return trackedGroups(result as Methods, verb, by, provenance, before);
    if (!isFrame(result)) return result;
    const made = name === "agg" ? args : [name, ...args];
    return setProvenance(result, derived(provenance, groupStep(verb, by, made, rowsOf(before, heightOf(result)))));
  };
  return new Proxy(groups, {
    get(target, name) {
      const method = target[name];
      if (typeof method !== "function" || typeof name !== "string") return method;
      return (...args: unknown[]) => tracked(name, args, method(...args));
    },
  });
}

function rowsOf(before: number | undefined, after: number | undefined): readonly [number, number] | undefined {
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
