import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { derived } from "./lineage/derived.js";
import { EFFECTS, type StepEffect, stepOf } from "./lineage/step.js";
import { bindWhere } from "./where.js";

/** Records the provenance of a result and returns the result. */
export function setProvenance<T>(result: T, provenance: Provenance | undefined): T {
  return provenance !== undefined && typeof result === "object" && result !== null ? track(result, provenance) : result;
}

/**
 * Returns the provenance of a result: the query, the service and the time, the number of pages and requests, and the verdict
 * (`"complete"`, `"capped"` by an option, or `"stopped"`).
 *
 * It follows polars frames through their verbs: a filtered, grouped or joined frame has the `sources` that its rows come from and the
 * `steps` since then. Counts are then sums over the sources, and the verdict is the worst one.
 *
 * @param result a frame, response body or list of rows returned by a client, or a polars frame or lazy frame made from one
 * @returns `undefined` for anything else, such as a series
 * @example
 * const frame = await archive.bills("budget", { maxItems: 500 });
 * provenanceOf(frame)?.verdict; //=> "complete"
 * provenanceOf(frame.head(3))?.steps; //=> [{ verb: "head", effect: "rows", detail: "3" }]
 */
export function provenanceOf(result: unknown): Provenance | undefined {
  return trackedProvenance(result);
}

const KEY = Symbol.for("archive-frames.provenance");
const shared = globalThis as { [KEY]?: WeakMap<object, Provenance> };
shared[KEY] ??= new WeakMap();
/** Shared through a global symbol, because a kernel may display results of another copy of this package. */
const known = shared[KEY];

/** The provenance that was recorded for a value. */
export function trackedProvenance(value: unknown): Provenance | undefined {
  return typeof value === "object" && value !== null ? known.get(value) : undefined;
}

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string | symbol, Method>;

/** Records the provenance of a result. What polars makes from a frame then has it, too, with the verbs as steps. */
export function track<T extends object>(result: T, provenance: Provenance): T {
  const isNew = !known.has(result);
  known.set(result, Object.freeze(provenance));
  if (!isNew || !isFrame(result)) return result;
  const methods = methodsBehind(result);
  for (const [verb, effect] of EFFECTS) {
    const method = methods[verb];
    if (method === undefined) continue;
    methods[verb] = function (this: unknown, ...args) {
      bindWhere(args, result as never);
      return carried(method.apply(this, args), result, verb, effect, args);
    };
  }
  return result;
}

function isFrame(value: unknown): value is object {
  const tag = (value as { readonly [Symbol.toStringTag]?: unknown } | null | undefined)?.[Symbol.toStringTag];
  return tag === "DataFrame" || tag === "LazyDataFrame";
}

const BEHIND = Symbol("behind");

/**
 * The methods of a frame. A frame is a proxy that looks up every name among its columns first. It passes definitions to the object behind
 * it, and runs setters on that object.
 */
function methodsBehind(frame: object): Methods {
  let found = frame;
  Object.defineProperty(frame, BEHIND, {
    configurable: true,
    set(this: object) {
      found = this;
    },
  });
  Reflect.set(frame, BEHIND, undefined);
  Reflect.deleteProperty(frame, BEHIND);
  return found as Methods;
}

/** What a verb returned, with the provenance of its frame and one step more. */
function carried(
  result: unknown,
  frame: object,
  verb: string,
  effect: StepEffect | "none" | "group",
  args: readonly unknown[],
): unknown {
  if (effect === "group") return trackGroups(result as Methods, frame, verb, args);
  const isPromise = result instanceof Promise;
  if (isPromise) return result.then((value) => carried(value, frame, verb, effect, args));
  if (Array.isArray(result)) return result.map((each) => carried(each, frame, verb, effect, args));
  const provenance = known.get(frame);
  if (provenance === undefined || !isFrame(result)) return result;
  if (effect === "none") return track(result, provenance);
  const others = args.map(trackedProvenance).filter((each) => each !== undefined);
  const otherSteps = others.flatMap((other) => (other === provenance ? [] : (other.steps ?? [])));
  return track(result, derived(provenance, stepOf(verb, effect, args, otherSteps), others));
}

/** Makes the frames of groups, and of pivots of groups, carry on the provenance. */
function trackGroups(groups: Methods, frame: object, verb: string, args: readonly unknown[]): Methods {
  for (const [name, method] of Object.entries(groups)) {
    if (typeof method !== "function") continue;
    groups[name] = (...own) => {
      const result = method(...own);
      if (name === "pivot") return trackGroups(result as Methods, frame, verb, args);
      return carried(result, frame, verb, name === "head" || name === "tail" ? "rows" : "summary", args);
    };
  }
  return groups;
}
