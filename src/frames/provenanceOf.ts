import type { Provenance } from "../service/paging/provenanceRecorder.js";

const KEY = Symbol.for("archive-frames.provenance");
const shared = globalThis as { [KEY]?: WeakMap<object, Provenance> };
shared[KEY] ??= new WeakMap();
/** By a global symbol: a kernel may show what another copy of this package has made. */
const known = shared[KEY];

/** Remembers where a result comes from. */
export function setProvenance<T>(result: T, provenance: Provenance | undefined): T {
  if (provenance !== undefined && typeof result === "object" && result !== null)
    known.set(result, Object.freeze(provenance));
  return result;
}

/**
 * Where a result of the client comes from, and whether it is all there: what was asked, of which service and when, how
 * many pages and requests it took, and the verdict ("complete", "capped" by an option, "stopped").
 *
 * @param result a frame, a body or a list of rows that a client gave
 * @returns undefined for anything else, a frame made from a frame for example
 * @example
 * const frame = await archive.bills("budget", { maxItems: 500 });
 * provenanceOf(frame)?.verdict; //=> "complete"
 */
export function provenanceOf(result: unknown): Provenance | undefined {
  return typeof result === "object" && result !== null ? known.get(result) : undefined;
}
