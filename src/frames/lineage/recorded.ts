import type { Provenance } from "../../service/paging/provenanceRecorder.js";

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

/** The provenance that was recorded for a value. */
export function recordedProvenance(value: unknown): Provenance | undefined {
  return typeof value === "object" && value !== null ? known.get(value) : undefined;
}
