import type { Engine, FrameTypes } from "../util/frameTypes.js";

/**
 * The rows that a call has fetched so far: `error.partial` after a failure, and `archive.lastResult()` and `archive.results()` at
 * any time.
 *
 * @example
 * const { rows, cursor } = error.partial;
 * const rest = await archive.mentions("climate", { maxItems: 1000 - rows, cursor });
 */
export interface FetchedResult<E extends Engine = Engine> {
  /** The operation, `"mentions"`, or `"speechesOnBill"`. */
  readonly operation: string;
  /** The query of the search; undefined for an operation without one. */
  readonly query: string | undefined;
  /** The dataframe library of `frame`. */
  readonly engine: E;
  /** The rows as a frame, created on first access. */
  readonly frame: FrameTypes[E];
  /** Rows fetched. */
  readonly rows: number;
  /** Pages fetched. */
  readonly pages: number;
  /** HTTP requests sent, retries included. */
  readonly requests: number;
  /**
   * Where to resume: pass it as `{ cursor }` to the next call. A page that was only partly used is fetched again from its
   * beginning. Undefined if nothing is left, nothing was fetched, the first page was only partly used, or the cursor
   * repeats itself.
   */
  readonly cursor: string | undefined;
}

/** A result in any engine; check `engine` to narrow the type of `frame`. */
export type AnyFetchedResult = { [E in Engine]: FetchedResult<E> }[Engine];
