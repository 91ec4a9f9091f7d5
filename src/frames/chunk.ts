import { arrowStream, type RowRun } from "../pages/arrowStream.js";
import { type PolarsFrame, pl } from "./polars.js";
import type { ColumnType } from "./typeFlags.js";
import { weighed } from "./weighed.js";

/** The type in which a chunk stores a column until the full result is known. Lists are stored as JSON text. */
export type StoredType = Exclude<ColumnType, "list">;

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
