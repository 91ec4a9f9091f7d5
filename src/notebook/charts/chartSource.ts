import { derived } from "../../frames/lineage/derived.js";
import { stepOf } from "../../frames/lineage/step.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";

/** The provenance of a chart: that of its frames, with the function that drew it as a step; undefined if that of none is known. */
export function chartSource(
  frames: readonly unknown[],
  verb: string,
  args: readonly unknown[] = [],
): Provenance | undefined {
  const [first, ...others] = frames.map(provenanceOf).filter((provenance) => provenance !== undefined);
  return first && derived(first, stepOf(verb, "summary", args), others);
}
