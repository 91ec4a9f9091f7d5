import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { track, trackedProvenance } from "./lineage/track.js";

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
