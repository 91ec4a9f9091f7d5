import { ValidationError } from "../errors/index.js";
import { frameRecords, refuseDanfo } from "./engine.js";
import { selectColumns } from "./frameColumns.js";
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
  const { how = "vertical" } = options;
  for (const frame of frames) refuseDanfo(frame, "frames");
  refuseOtherPolars(...frames);
  try {
    return pl.concat([...frames] as never, { ...options, how }) as F;
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
  const dtypes = new Map<string, Set<string>>();
  for (const frame of frames) {
    const own = frame.dtypes;
    frame.columns.forEach((name, at) => {
      const all = dtypes.get(name) ?? new Set();
      dtypes.set(name, own[at]?.variant === "Null" ? all : all.add(String(own[at])));
    });
  }
  const names = [...dtypes.keys()];
  const mixed = names.filter((name) => (dtypes.get(name)?.size ?? 0) > 1);
  const same = mixed.length === 0 ? [...frames] : withOneType(frames, mixed);
  return selectColumns(pl.concat(same, { how: "diagonalRelaxed" }), names);
}

function withOneType(frames: readonly PolarsFrame[], mixed: readonly string[]): PolarsFrame[] {
  const rows = frames.flatMap((frame) => {
    const own = mixed.filter((name) => frame.columns.includes(name));
    return own.length > 0 ? frameRecords(selectColumns(frame, own)) : Array.from({ length: frame.height }, () => ({}));
  });
  const columns = irregularFrame(new Map(), rows);
  let start = 0;
  return frames.map((frame) => {
    const own = columns.slice(start, frame.height);
    start += frame.height;
    return frame.withColumns(...own.getColumns());
  });
}
