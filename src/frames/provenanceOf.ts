import type { Provenance } from "../service/paging/provenanceRecorder.js";

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

/**
 * Returns the provenance of a result: the query, the service and the time, the number of pages and requests, and the verdict
 * (`"complete"`, `"capped"` by an option, or `"stopped"`).
 *
 * @param result a frame, response body or list of rows returned by a client
 * @returns `undefined` for anything else, such as a frame derived from another frame
 * @example
 * const frame = await archive.bills("budget", { maxItems: 500 });
 * provenanceOf(frame)?.verdict; //=> "complete"
 */
export function provenanceOf(result: unknown): Provenance | undefined {
  return typeof result === "object" && result !== null ? known.get(result) : undefined;
}
