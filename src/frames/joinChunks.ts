import type { Chunk } from "./chunk.js";
import { type Conversion, convertColumns, joined, nullColumns } from "./convertColumns.js";
import { selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";
import { columnType } from "./typeFlags.js";

/** The columns of chunks with all flags of value in them, after those that are known already. */
export function flagsOf(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): ReadonlyMap<string, number> {
  const flags = new Map(known);
  for (const { columns } of chunks) {
    for (const [name, column] of columns) flags.set(name, (flags.get(name) ?? 0) | column.flags);
  }
  return flags;
}

/**
 * One frame of consecutive chunks. What a column becomes follows from all the flags of value in it, so it is the same
 * however the rows were split.
 *
 * @param known columns that are to be there with at least these flags, the declared ones for example
 */
export function joinChunks(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): PolarsFrame {
  const flags = flagsOf(known, chunks);
  const frames = chunks.map(({ frame, columns }) => convertColumns(frame, conversions(columns, flags)));
  // The strict form tolerates missing columns and refuses unlike types; it is linear, as "vertical" is not.
  const whole = frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat(frames, { how: "diagonal" });
  return withAll(whole, flags);
}

function conversions(columns: Chunk["columns"], flags: ReadonlyMap<string, number>): Conversion[] {
  const wanted: Conversion[] = [];
  for (const [name, { stored }] of columns) {
    const all = flags.get(name) as number;
    if (columnType(all) !== stored) wanted.push({ name, stored, flags: all });
  }
  return wanted;
}

/** The frame with every column there is, in order; those that it lacks are null. */
function withAll(frame: PolarsFrame, flags: ReadonlyMap<string, number>): PolarsFrame {
  const names = [...flags.keys()];
  // Asked for once: polars gathers the names anew each time.
  const there = frame.columns;
  if (names.length === there.length && names.every((name, at) => name === there[at])) return frame;
  const known = new Set(there);
  const missing = [...flags].filter(([name]) => !known.has(name));
  if (missing.length === 0) return selectColumns(frame, names);
  return joined([frame, nullColumns(missing, frame.height)], names);
}
