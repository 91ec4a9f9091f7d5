import { cellText } from "./cells.js";
import { mapColumn, mapText, timestampText } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";

/**
 * Concatenates frames, with the union of their columns. A column with several dtypes becomes Float64 if all are numeric, and
 * text otherwise. The dtypes of empty frames only count for columns that no other frame has.
 */
export function concatFrames(frames: readonly PolarsFrame[]): PolarsFrame {
  if (frames.length === 1) return frames[0] as PolarsFrame;
  const dtypes = new Map<string, Set<string>>();
  for (const group of [frames.filter(({ height }) => height > 0), frames]) {
    const known = new Set(dtypes.keys());
    for (const frame of group) {
      frame.columns.forEach((name, at) => {
        if (known.has(name)) return;
        dtypes.set(name, (dtypes.get(name) ?? new Set()).add(String(frame.dtypes[at])));
      });
    }
  }
  const widened = frames.map((frame) =>
    frame.columns.reduce((result, name, at) => {
      const wanted = dtypes.get(name) as Set<string>;
      const own = String(frame.dtypes[at]);
      if (wanted.size === 1 && wanted.has(own)) return result;
      return widen(result, name, own, wanted, frames);
    }, frame),
  );
  return pl.concat(widened, { how: "diagonal" });
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
    const indexIn = (other: PolarsFrame) => other.columns.indexOf(name);
    const dtype = frames
      .filter((other) => other.height > 0 && indexIn(other) >= 0)
      .map((other) => other.dtypes[indexIn(other)])[0];
    // The frame has no rows, so no values are lost.
    return dtype === undefined ? frame : mapColumn(frame, name, () => pl.Series(name, [], dtype));
  }
  if ([...wanted].every((dtype) => NUMBERS.has(dtype)))
    return mapColumn(frame, name, (column) => column.cast(pl.Float64));
  if (own === String(pl.Utf8)) return frame;
  if (own === String(pl.Int64)) return mapColumn(frame, name, (column) => column.cast(pl.Utf8));
  return own.includes("Datetime") ? mapColumn(frame, name, timestampText) : mapText(frame, name, cellText);
}
