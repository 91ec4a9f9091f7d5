import type { PolarsFrame } from "./polars.js";

/** All that the package needs of a dataframe library. Pages are read with polars, whatever the engine. */
export interface FrameEngine<F> {
  /** Loads the library. Throws an ArchiveError `ENGINE_MISSING` that says what to type. */
  load(): void;
  /** The same columns and rows as a frame of this engine. */
  fromPolars(frame: PolarsFrame): F;
  isFrame(value: unknown): value is F;
  /** The rows as plain objects; timestamps as Date (polars) or text (danfo), whole numbers beyond 2^53 as bigint or text. */
  toRecords(frame: F): Record<string, unknown>[];
}
