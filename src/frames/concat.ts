import { ValidationError } from "../errors/index.js";
import { frameRecords, refuseDanfo } from "./engine.js";
import { appendColumns, selectColumns } from "./frameColumns.js";
import { irregularFrame } from "./irregularRows.js";
import { refuseOtherPolars } from "./otherPolars.js";
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
  if (!Array.isArray(frames)) throw new ValidationError("concat takes a list.", { hint: "Type concat([a, b])." });
  for (const frame of frames) refuseDanfo(frame, "frames");
  refuseOtherPolars(...frames);
  try {
    return pl.concat([...frames] as never, { how: "vertical", ...options }) as F;
  } catch (cause) {
    const hint = 'Give frames with the same columns and types, or how: "diagonal" for the union of their columns.';
    const what = `invalid frames: ${(cause as Error).message.replace(/[.!]{0,2}$/, ".")}`;
    throw new ValidationError(what, { parameter: "frames", hint, cause });
  }
}

/**
 * Concatenates frames, with the union of their columns. A column with several dtypes gets the type that its values would have if one
 * response had sent them all.
 */
export function concatFrames(frames: readonly PolarsFrame[]): PolarsFrame {
  if (frames.length === 1) return frames[0] as PolarsFrame;
  const names = [...new Set(frames.flatMap(({ columns }) => columns))];
  const dtypes = new Set(frames.flatMap(({ columns, dtypes: all }) => columns.map((name, at) => `${all[at]} ${name}`)));
  if (dtypes.size === names.length) return pl.concat([...frames], { how: "diagonal" });
  const mixed = names.filter((name) => [...dtypes].filter((dtype) => dtype.endsWith(`) ${name}`)).length > 1);
  const rows = frames.flatMap((frame) => {
    const own = frame.columns.filter((name) => mixed.includes(name));
    return own.length > 0 ? frameRecords(selectColumns(frame, own)) : Array.from({ length: frame.height }, () => ({}));
  });
  const others = frames.map((frame) => {
    const same = frame.columns.filter((name) => !mixed.includes(name));
    return selectColumns(frame.withColumn(pl.lit(0).alias("\0row")), [...same, "\0row"]);
  });
  return selectColumns(appendColumns(pl.concat(others, { how: "diagonal" }), irregularFrame(new Map(), rows)), names);
}
