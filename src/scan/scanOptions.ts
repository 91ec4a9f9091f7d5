import type { Engine } from "../frames/engine.js";

/** Bounds of one run of a scan. */
export interface ScanOptions {
  /** Take so many rows of the service at most. */
  maxItems?: number | undefined;
  /** Send at most this many requests, retries and redirects included. Where more are needed the result is "capped". */
  maxRequests?: number | undefined;
  /** Stops the run; what came is at `error.partial`. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link ArchiveScan.collect}. */
export interface CollectOptions extends ScanOptions {
  /** The library that the frame comes in. Default: the client's. */
  engine?: Engine | undefined;
}

/** Options of {@link ArchiveScan.batches}. */
export interface BatchOptions extends ScanOptions {
  /**
   * Rows of each frame; the last one has what is left. Default: the first frame comes after one page, and each one after it
   * is up to twice as long, to about 10,000 rows.
   */
  batchSize?: number | undefined;
}

/** The names of the options of every run. */
export const BOUNDS: readonly string[] = ["maxItems", "maxRequests", "signal"];
