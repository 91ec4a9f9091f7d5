import { ValidationError } from "../errors/index.js";
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
 * @throws ValidationError for no frames, or for frames that do not fit together
 * @example
 * const [climate, energy] = await Promise.all(["climate", "energy"].map((query) => archive.mentions(query)));
 * provenanceOf(concat([climate, energy]))?.sources?.length; //=> 2
 */
export function concat<F extends PolarsFrame | LazyFrame>(
  frames: readonly F[],
  options: Readonly<Parameters<typeof pl.concat>[1]> = {},
): F {
  const { how = "vertical" } = options;
  const result = joined(frames, { ...options, how });
  const [first, ...others] = frames.map(provenanceOf).filter((provenance) => provenance !== undefined);
  if (first === undefined) return result;
  const steps = others.flatMap((other) => other.steps ?? []);
  return setProvenance(result, derived(first, stepOf("concat", "joined", [], steps), others));
}

function joined<F>(frames: readonly F[], options: Parameters<typeof pl.concat>[1]): F {
  try {
    return pl.concat([...frames] as never, options) as F;
  } catch (cause) {
    const hint = 'Give frames with the same columns and types, or how: "diagonal" for the union of their columns.';
    const what = `invalid frames: ${(cause as Error).message.replace(/[.!]{0,2}$/, ".")}`;
    throw new ValidationError(what, { parameter: "frames", hint, cause });
  }
}
