import { isDeepStrictEqual } from "node:util";
import { arrowStream } from "../pages/arrowStream.js";
import type { MemberType, RowSchema, ScannedRows } from "../pages/rows.js";
import { type Conversion, convertColumns, emptyFrame } from "./convertColumns.js";
import { columnType, flagOf, type StoredType } from "./dtypes.js";
import { type PolarsFrame, pl } from "./polars.js";

export interface ChunkColumn {
  /** The type flags of its values. */
  readonly flags: number;
  readonly storedType: StoredType;
}

/** Consecutive rows as a frame, with the information to convert its columns to the types of the full result. */
export interface Chunk {
  readonly frame: PolarsFrame;
  readonly columns: ReadonlyMap<string, ChunkColumn>;
}

/** The columns of all chunks of one schema. */
interface SchemaColumns extends Pick<Chunk, "columns"> {
  /** A frame without rows, as an Arrow IPC stream. */
  readonly emptyStream: Buffer;
}

const columnsBySchema = new WeakMap<RowSchema, SchemaColumns>();

/** The columns of a schema, cached because most results have many chunks of one schema. */
export function schemaColumns(schema: RowSchema): SchemaColumns {
  const columns = columnsBySchema.get(schema) ?? prepareColumns(schema);
  columnsBySchema.set(schema, columns);
  return columns;
}

function prepareColumns({ names, types }: RowSchema): SchemaColumns {
  const columns = new Map<string, ChunkColumn>();
  names.forEach((name, at) => {
    const type = types[at] as MemberType;
    columns.set(name, { flags: flagOf(type), storedType: type === "null" ? "string" : type });
  });
  const empty = emptyFrame([...columns].map(([name, { storedType }]) => ({ name, type: storedType })));
  return { columns, emptyStream: empty.writeIPCStream() };
}

/** V8 does not see the memory of polars. A buffer of its size, never written to and so free, makes V8 collect frames in time. */
const memoryCounters = new WeakMap<PolarsFrame, ArrayBuffer>();

/** The chunk of pages whose rows fit their schema. */
export function chunkOf(pages: readonly ScannedRows[]): Chunk {
  const { columns, emptyStream } = schemaColumns((pages[0] as ScannedRows).records.schema);
  const frame = arrowStream(emptyStream, pages, (stream) => {
    const chunkFrame = pl.readIPCStream(stream);
    memoryCounters.set(chunkFrame, new ArrayBuffer(2 * stream.length));
    return chunkFrame;
  });
  return { frame, columns };
}

/** The type flags of each column: the columns so far first, then those of the chunks. */
export function flagsOf(
  columns: ReadonlyMap<string, number>,
  chunks: ReadonlyArray<Pick<Chunk, "columns">>,
): ReadonlyMap<string, number> {
  const flags = new Map(columns);
  for (const chunk of chunks) {
    for (const [name, column] of chunk.columns) flags.set(name, (flags.get(name) ?? 0) | column.flags);
  }
  return flags;
}

/**
 * Joins consecutive chunks into one frame. The type of a column follows from the type flags of all its values, so it does not depend on
 * how the rows were split.
 *
 * @param flags the columns of earlier chunks, which come first, with their type flags
 */
export function joinChunks(flags: ReadonlyMap<string, number>, chunks: readonly Chunk[]): PolarsFrame {
  const columns = [...flagsOf(flags, chunks)].map(([name, bits]) => ({ name, flags: bits, type: columnType(bits) }));
  const frames = chunks.map((chunk) => {
    const conversions = columns.flatMap((column): Conversion[] => {
      const storedType = chunk.columns.get(column.name)?.storedType;
      return storedType === undefined || storedType === column.type ? [] : [{ ...column, storedType }];
    });
    return convertColumns(chunk.frame, conversions);
  });
  const names = columns.map(({ name }) => name);
  const hasAllColumns = isDeepStrictEqual(frames[0]?.columns, names);
  // The first frame decides the order.
  const parts = hasAllColumns ? frames : [emptyFrame(columns), ...frames];
  // "diagonal" adds missing columns and takes linear time; "vertical" does not.
  return parts.length === 1 ? (parts[0] as PolarsFrame) : pl.concat(parts, { how: "diagonal" });
}
