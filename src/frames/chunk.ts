import { isDeepStrictEqual } from "node:util";
import { arrowStream } from "../pages/arrowStream.js";
import type { MemberType, RowShape, ScannedRows } from "../pages/rows.js";
import { type Conversion, convertColumns, emptyStream } from "./convertColumns.js";
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

interface ShapeColumns {
  readonly columns: Chunk["columns"];
  readonly flags: ReadonlyMap<string, number>;
  readonly schema: Buffer;
}

const prepared = new WeakMap<RowShape, ShapeColumns>();

/** The columns of a shape, with the type flags of their values. */
export function shapeColumns(shape: RowShape): ShapeColumns {
  const known = prepared.get(shape);
  if (known !== undefined) return known;
  const entries = shape.names.map((name, at) => {
    const type = shape.types[at] as MemberType;
    return { name, flags: flagOf(type), stored: type === "null" ? ("string" as const) : type };
  });
  const made = {
    columns: new Map(entries.map(({ name, flags, stored }) => [name, { flags, stored }])),
    flags: new Map(entries.map(({ name, flags }) => [name, flags])),
    schema: emptyStream(entries.map(({ name, stored }) => ({ name, type: stored }))),
  };
  prepared.set(shape, made);
  return made;
}

/** The chunk of pages whose rows fit their shape. */
export function chunkOf(pages: readonly ScannedRows[]): Chunk {
  const { columns, schema } = shapeColumns((pages[0] as ScannedRows).tape.shape);
  const frame = arrowStream(schema, pages, (stream) => weighed(pl.readIPCStream(stream), stream.length));
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
 * Joins consecutive chunks into one frame. The type of a column follows from the type flags of all its values, so it does not depend on
 * how the rows were split.
 */
export function joinChunks(known: ReadonlyMap<string, number>, chunks: readonly Chunk[]): PolarsFrame {
  const all = flagsOf(known, chunks);
  const columns: Omit<Conversion, "stored">[] = [];
  for (const [name, flags] of all) columns.push({ name, flags, type: columnType(flags) });
  const frames: PolarsFrame[] = [];
  for (const { frame, columns: own } of chunks) {
    const changed: Conversion[] = [];
    for (const column of columns) {
      const stored = own.get(column.name)?.stored;
      if (stored !== undefined && stored !== column.type) changed.push({ ...column, stored });
    }
    frames.push(changed.length === 0 ? frame : convertColumns(frame, changed));
  }
  const [first] = frames;
  const isComplete = first !== undefined && isDeepStrictEqual(first.columns, [...all.keys()]);
  if (isComplete && frames.length === 1) return first;
  // "diagonal" adds missing columns and takes linear time; "vertical" does not. The first frame decides the order.
  const parts = isComplete
    ? frames
    : [columns.length === 0 ? pl.DataFrame({}) : pl.readIPCStream(emptyStream(columns)), ...frames];
  const joined = parts.length === 1 ? (parts[0] as PolarsFrame) : pl.concat(parts, { how: "diagonal" });
  weights.set(
    joined,
    chunks.flatMap(({ frame }) => weights.get(frame) ?? []),
  );
  return joined;
}

/** The memory of a frame, as V8 counts it. A joined frame shares that of its parts. */
const weights = new WeakMap<PolarsFrame, readonly ArrayBufferLike[]>();

/** The system limits how many mappings a process has, so small frames have none. */
const SMALLEST_MAPPED = 2 ** 17;

/**
 * Tells V8 how much memory a frame holds. V8 sees a small object, and would let hundreds of megabytes of frames that nobody
 * uses any more pile up before it collects garbage. Memory that nobody writes to costs nothing, but V8 counts it.
 */
function weighed(frame: PolarsFrame, bytes: number): PolarsFrame {
  weights.set(frame, [bytes < SMALLEST_MAPPED ? Buffer.allocUnsafeSlow(bytes).buffer : mappedMemory(bytes)]);
  return frame;
}

/**
 * Memory in pages of its own, which take no memory until they are written to. Other buffers come from the memory that polars uses, too:
 * there they reuse, and keep, pages that were written to before.
 */
function mappedMemory(bytes: number): ArrayBuffer {
  return new (ArrayBuffer as ResizableConstructor)(bytes, { maxByteLength: bytes });
}

/** Node 20 has resizable buffers; the types of ES2023 do not. */
type ResizableConstructor = new (bytes: number, options: { readonly maxByteLength: number }) => ArrayBuffer;
