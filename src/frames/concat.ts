import { ValidationError } from "../errors/index.js";
import { type LazyFrame, type PolarsFrame, pl } from "./polars.js";

/**
 * `pl.concat` for frames or lazy frames, with an error that says what to type for frames that do not fit together.
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
  try {
    return pl.concat([...frames] as never, { ...options, how }) as F;
  } catch (cause) {
    const hint = 'Give frames with the same columns and types, or how: "diagonal" for the union of their columns.';
    const what = `invalid frames: ${(cause as Error).message.replace(/[.!]{0,2}$/, ".")}`;
    throw new ValidationError(what, { parameter: "frames", hint, cause });
  }
}
