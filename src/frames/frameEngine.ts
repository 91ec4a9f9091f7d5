import type { PolarsFrame } from "./polars.js";

/** What this package needs from a dataframe library. Pages are always parsed with polars. */
export interface FrameEngine<F> {
  /** Loads the library, or throws an ArchiveError `ENGINE_MISSING` with install instructions. */
  load(): void;
  /** Converts a polars frame to a frame of this engine. */
  fromPolars(frame: PolarsFrame): F;
  isFrame(value: unknown): value is F;
  /** A frame with the columns of another one, of as many rows, after its own. */
  withColumns(frame: F, columns: PolarsFrame): F;
  /** The rows as plain objects. Timestamps become Date (polars) or text (danfo), integers beyond 2^53 bigint or text. */
  toRecords(frame: F): Record<string, unknown>[];
}
