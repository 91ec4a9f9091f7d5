import { arrowStream, type RowRun } from "../pages/arrowStream.js";
import { mappedMemory } from "../util/mappedMemory.js";
import { type Conversion, convertColumns, joinColumns, nullColumns } from "./convertColumns.js";
import { selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";
import { columnType, type StoredType } from "./typeFlags.js";

export interface ChunkColumn {
  /** The type flags of its values. */
  readonly flags: number;
  readonly stored: StoredType;
  /** Whether it is a top-level member of the rows with the same name. */
  readonly isMember: boolean;
}

/** Consecutive rows as a frame, with the information to convert its columns to the types of the full result. */
export interface Chunk {
  readonly frame: PolarsFrame;
  readonly columns: ReadonlyMap<string, ChunkColumn>;
}

/**
 * The chunk of rows that the scanner has read.
 *
 * @param columns a column has the values of the member of its name; see {@link arrowStream} for the types that fit
 * @param bytes the bytes of all runs
 */
export function chunkOf(columns: Chunk["columns"], runs: readonly RowRun[], bytes: Buffer): Chunk {
  const schema = [...columns].map(([name, { stored }]) => ({ name, type: stored }));
  const frame = arrowStream(schema, runs, bytes, (stream) => weighed(pl.readIPCStream(stream), stream.length));
  return { frame, columns };
}

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

const weights = new WeakMap<PolarsFrame, ArrayBufferLike>();

/** The system limits how many mappings a process has, so small frames have none. */
const SMALLEST_MAPPED = 2 ** 17;

/**
 * Tells V8 how much memory a frame holds. V8 sees a small object, and would let hundreds of megabytes of frames that nobody
 * uses any more pile up before it collects garbage. Memory that nobody writes to costs nothing, but V8 counts it.
 */
export function weighed(frame: PolarsFrame, bytes: number): PolarsFrame {
  weights.set(frame, bytes < SMALLEST_MAPPED ? Buffer.allocUnsafeSlow(bytes).buffer : mappedMemory(bytes));
  return frame;
}

/** Tells V8 that a frame holds as much memory as its parts. */
function weighedLike(frame: PolarsFrame, parts: readonly PolarsFrame[]): PolarsFrame {
  if (parts.includes(frame)) return frame;
  return weighed(
    frame,
    parts.reduce((sum, part) => sum + (weights.get(part)?.byteLength ?? 0), 0),
  );
}
