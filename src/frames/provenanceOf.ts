import { invalid } from "../errors/validators.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { isPromise } from "../util/isObject.js";
import { recordedProvenance } from "./lineage/recorded.js";
import { trackVerbs } from "./lineage/trackVerbs.js";

export { setProvenance } from "./lineage/recorded.js";

trackVerbs();

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
