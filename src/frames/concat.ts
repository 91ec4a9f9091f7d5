import { derived } from "./lineage/derived.js";
import { stepOf } from "./lineage/step.js";
import { type LazyFrame, type PolarsFrame, pl } from "./polars.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";

/**
 * `pl.concat` for frames or lazy frames, whose result keeps the provenance of all of them. `pl.concat` itself keeps it only for frames
 * below each other (`how: "vertical"`).
 *
 * @param frames at least one
 * @param options as for `pl.concat`; `how` is `"vertical"` by default
 * @example
 * const [climate, energy] = await Promise.all(["climate", "energy"].map((query) => archive.mentions(query)));
 * provenanceOf(concat([climate, energy]))?.sources?.length; //=> 2
 */
export function concat<F extends PolarsFrame | LazyFrame>(
  frames: readonly F[],
  options: Readonly<Parameters<typeof pl.concat>[1]> = {},
): F {
  const { how = "vertical" } = options;
  const result = pl.concat([...frames] as PolarsFrame[], { ...options, how }) as unknown as F;
  const [first, ...others] = frames.map(provenanceOf).filter((provenance) => provenance !== undefined);
  if (first === undefined) return result;
  const steps = others.flatMap((other) => other.steps ?? []);
  return setProvenance(result, derived(first, stepOf("concat", "joined", [], steps), others));
}
