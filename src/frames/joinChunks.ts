import type { Chunk } from "./chunk.js";
import { type Conversion, convertColumns, joinColumns, nullColumns } from "./convertColumns.js";
import { selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";
import { columnType } from "./typeFlags.js";
import { weighedLike } from "./weighed.js";

/** The type flags of each column: the known columns first, then those of the chunks. */
export function flagsOf(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): ReadonlyMap<string, number> {
  const flags = new Map(known);
  for (const { columns } of chunks) {
    for (const [name, column] of columns) flags.set(name, (flags.get(name) ?? 0) | column.flags);
  }
  return flags;
}

/**
 * Joins consecutive chunks into one frame. The type of a column follows from the type flags of all its values, so it does
 * not depend on how the rows were split.
 *
 * @param known columns that the frame has in any case, with their minimum flags; the declared columns, for example
 */
export function joinChunks(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): PolarsFrame {
  const flags = flagsOf(known, chunks);
  const frames = chunks.map(({ frame, columns }) => convertColumns(frame, conversions(columns, flags)));
  // "diagonal" allows missing columns and rejects differing types. It takes linear time; "vertical" does not.
  const joined = frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat(frames, { how: "diagonal" });
  return weighedLike(
    withAll(joined, flags),
    chunks.map(({ frame }) => frame),
  );
}

function conversions(columns: Chunk["columns"], flags: ReadonlyMap<string, number>): Conversion[] {
  const wanted: Conversion[] = [];
  for (const [name, { stored }] of columns) {
    const all = flags.get(name) as number;
    if (columnType(all) !== stored) wanted.push({ name, stored, flags: all });
  }
  return wanted;
}

/** The frame with all columns, in order. Missing columns are null. */
function withAll(frame: PolarsFrame, flags: ReadonlyMap<string, number>): PolarsFrame {
  const names = [...flags.keys()];
  // Read once, because polars collects the names on every access.
  const present = frame.columns;
  if (names.length === present.length && names.every((name, at) => name === present[at])) return frame;
  const presentNames = new Set(present);
  const missing = [...flags].filter(([name]) => !presentNames.has(name));
  if (missing.length === 0) return selectColumns(frame, names);
  return joinColumns([frame, nullColumns(missing, frame.height)], names);
}
