import { mapColumn, mapText, timestampText } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";
import { cellText } from "./typeFlags.js";

/**
 * Concatenates frames, with the union of their columns. A column with several dtypes becomes Float64 if all are numeric, and
 * text otherwise. A dtype without values only counts for columns without values, and Float64 does not take integers beyond 2^53.
 */
export function concatFrames(frames: readonly PolarsFrame[]): PolarsFrame {
  if (frames.length === 1) return frames[0] as PolarsFrame;
  const dtypes = new Map<string, Set<string>>();
  for (const frame of frames) {
    const own = frame.dtypes;
    frame.columns.forEach((name, at) => {
      dtypes.set(name, (dtypes.get(name) ?? new Set()).add(String(own[at])));
    });
  }
  for (const [name, all] of dtypes) if (all.size > 1) dtypes.set(name, dtypesOfValues(name, all, frames));
  const widened = frames.map((frame) => {
    const own = frame.dtypes;
    return frame.columns.reduce((result, name, at) => {
      const wanted = dtypes.get(name) as Set<string>;
      if (wanted.size === 1 && wanted.has(String(own[at]))) return result;
      return widen(result, name, String(own[at]), wanted, frames);
    }, frame);
  });
  return pl.concat(widened, { how: "diagonal" });
}

function dtypesOfValues(name: string, all: ReadonlySet<string>, frames: readonly PolarsFrame[]): Set<string> {
  const columns = frames.flatMap((frame) => (frame.columns.includes(name) ? [frame.getColumn(name)] : []));
  const used = new Set(
    columns.filter((column) => column.nullCount() < column.length).map(({ dtype }) => String(dtype)),
  );
  if (used.size === 0) return new Set([...all].slice(0, 1));
  const isNumeric = used.size > 1 && [...used].every((dtype) => NUMBERS.has(dtype));
  const isLong = (column: pl.Series) =>
    String(column.dtype) === String(pl.Int64) &&
    [column.min(), column.max()].some((end) => end !== null && !Number.isSafeInteger(end));
  return isNumeric && columns.some(isLong) ? used.add(String(pl.Utf8)) : used;
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
    // The column has no values, so none are lost.
    const dtype = frames
      .filter(({ columns }) => columns.includes(name))
      .map((other) => other.getColumn(name).dtype)
      .find((other) => wanted.has(String(other)));
    return mapColumn(frame, name, (column) => pl.Series(name, new Array(column.length).fill(null), dtype));
  }
  if ([...wanted].every((dtype) => NUMBERS.has(dtype)))
    return mapColumn(frame, name, (column) => column.cast(pl.Float64));
  if (own === String(pl.Utf8)) return frame;
  if (own === String(pl.Int64)) return mapColumn(frame, name, (column) => column.cast(pl.Utf8));
  return own.includes("Datetime") ? mapColumn(frame, name, timestampText) : mapText(frame, name, cellText);
}
