import { cellText } from "./cells.js";
import { type PolarsFrame, pl } from "./polars.js";

/**
 * One frame of several, of all columns that any of them has. Where a column has several dtypes it becomes the one that
 * holds all: Float64 for numbers, text for anything else. Frames without rows say nothing of dtypes where others do.
 */
export function concatFrames(frames: readonly PolarsFrame[]): PolarsFrame {
  if (frames.length === 1) return frames[0] as PolarsFrame;
  const dtypes = new Map<string, Set<string>>();
  for (const some of [frames.filter(({ height }) => height > 0), frames]) {
    const known = new Set(dtypes.keys());
    for (const frame of some) {
      frame.columns.forEach((name, at) => {
        if (known.has(name)) return;
        dtypes.set(name, (dtypes.get(name) ?? new Set()).add(String(frame.dtypes[at])));
      });
    }
  }
  const alike = frames.map((frame) =>
    frame.columns.reduce((kept, name, at) => {
      const wanted = dtypes.get(name) as Set<string>;
      const own = String(frame.dtypes[at]);
      if (wanted.size === 1 && wanted.has(own)) return kept;
      return widen(kept, name, own, wanted, frames);
    }, frame),
  );
  return pl.concat(alike, { how: "diagonal" });
}

const NUMBERS = new Set([String(pl.Int64), String(pl.Float64)]);

function widen(
  frame: PolarsFrame,
  name: string,
  own: string,
  wanted: ReadonlySet<string>,
  frames: readonly PolarsFrame[],
): PolarsFrame {
  if (wanted.size === 1) {
    const dtype = frames.flatMap((other) =>
      other.height > 0 && other.columns.includes(name) ? [other.dtypes[other.columns.indexOf(name)]] : [],
    )[0];
    return dtype === undefined ? frame : frame.withColumns(pl.lit(null).cast(dtype).alias(name));
  }
  if ([...wanted].every((dtype) => NUMBERS.has(dtype))) return frame.withColumns(pl.col(name).cast(pl.Float64));
  if (own === String(pl.Utf8)) return frame;
  if (own === String(pl.Int64)) return frame.withColumns(pl.col(name).cast(pl.Utf8));
  if (own.includes("Datetime")) return frame.withColumns(pl.col(name).date.strftime("%Y-%m-%dT%H:%M:%SZ"));
  const values = [...frame.getColumn(name).toArray()].map((value) => (value === null ? null : cellText(value)));
  return frame.withColumns(pl.Series(name, values, pl.Utf8));
}
