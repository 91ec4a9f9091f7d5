import { arrowStream, type RowRun } from "../pages/arrowStream.js";
import type { MemberType, RowShape } from "../pages/rows.js";
import { mappedMemory } from "../util/mappedMemory.js";
import { convertColumns, emptyStream, exprOf, type NewColumn } from "./convertColumns.js";
import { numberedColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";
import { columnType, flagOf, type StoredType } from "./typeFlags.js";

export interface ChunkColumn {
  /** The type flags of its values. */
  readonly flags: number;
  readonly stored: StoredType;
}

/** Consecutive rows as a frame, with the information to convert its columns to the types of the full result. */
export interface Chunk {
  readonly frame: PolarsFrame;
  readonly columns: ReadonlyMap<string, ChunkColumn>;
}

/** The chunk of rows that fit their shape. */
export function chunkOf({ names, types }: RowShape, runs: readonly RowRun[]): Chunk {
  const columns = new Map(names.map((name, at) => [name, shapeColumn(types[at] as MemberType)]));
  const schema = names.map((name, at) => ({ name, type: storedType(types[at] as MemberType) }));
  const frame = arrowStream(emptyStream(schema), runs, (stream) => weighed(pl.readIPCStream(stream), stream.length));
  return { frame, columns };
}

function shapeColumn(type: MemberType): ChunkColumn {
  return { flags: flagOf(type), stored: storedType(type) };
}

function storedType(type: MemberType): StoredType {
  return type === "null" ? "string" : type;
}

/**
 * One chunk of two, whose rows take turns.
 *
 * @param places where the rows of `second` are in the result
 */
export function interleave(first: Chunk, second: Chunk, places: readonly number[]): Chunk {
  const columns = new Map(first.columns);
  for (const [name, column] of second.columns) columns.set(name, column);
  const changed = [...first.columns].flatMap(([name, { stored }]) => {
    const { stored: type, flags } = columns.get(name) as ChunkColumn;
    return type === stored ? [] : [{ name, stored, type, flags }];
  });
  const frames = [convertColumns(first.frame, changed), second.frame];
  const joined = pl.concat(frames, { how: "diagonal" });
  const isSecond = new Set(places);
  let [fromFirst, fromSecond] = [0, first.frame.height];
  const order = Array.from({ length: joined.height }, (_row, at) => (isSecond.has(at) ? fromSecond++ : fromFirst++));
  const numbered = numberedColumns(joined);
  const indexed = numbered.withColumns(pl.Series("order", order, pl.UInt32));
  const frame = indexed.select(exprOf("order", numbered.columns, (all) => all.gather(pl.col("order"))));
  frame.columns = joined.columns;
  return { frame: weighedLike(frame, [first.frame, second.frame]), columns };
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
  const columns = [...flagsOf(known, chunks)].map(([name, flags]) => ({ name, flags, type: columnType(flags) }));
  const frames = chunks.map((chunk) => {
    const changed = columns.flatMap((column) => {
      const stored = chunk.columns.get(column.name)?.stored;
      return stored === undefined || stored === column.type ? [] : [{ ...column, stored }];
    });
    return convertColumns(chunk.frame, changed);
  });
  const [first] = frames;
  const isComplete = first !== undefined && hasColumns(first, columns);
  if (isComplete && frames.length === 1) return first;
  // "diagonal" adds missing columns and takes linear time; "vertical" does not. The first frame decides the order.
  const parts = isComplete
    ? frames
    : [columns.length === 0 ? pl.DataFrame({}) : pl.readIPCStream(emptyStream(columns)), ...frames];
  const joined = parts.length === 1 ? (parts[0] as PolarsFrame) : pl.concat(parts, { how: "diagonal" });
  return weighedLike(
    joined,
    chunks.map(({ frame }) => frame),
  );
}

function hasColumns(frame: PolarsFrame, columns: readonly NewColumn[]): boolean {
  // Read once, because polars collects the names on every access.
  const names = frame.columns;
  return names.length === columns.length && columns.every(({ name }, at) => name === names[at]);
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
  return weighed(
    frame,
    parts.reduce((sum, part) => sum + (weights.get(part)?.byteLength ?? 0), 0),
  );
}
