import type { ParametersOf, SearchName } from "../service/operations/operations.js";
import type { RowCount } from "../service/paging/countRows.js";
import type { DecidingOption } from "../util/decidingOption.js";
import { PERIODS, type Period } from "../util/period.js";
import type { CallOptions } from "./callOptions.js";

/** How to group mentions for counting. */
export type CountGroup = Period | "videotype" | "personid";

export const COUNT_GROUPS: readonly CountGroup[] = [...PERIODS.toReversed(), "videotype", "personid"];

/**
 * The number of rows of a search, and whether it is exact.
 *
 * @example
 * const { rows, verdict } = await archive.count("mentions", "climate");
 */
export interface Count extends RowCount {
  /** Rows found. */
  readonly rows: number;
  /**
   * "exact"; "at least" if there may be more rows; "estimated" if rows moved between pages during the count, so it may be slightly
   * off in either direction.
   */
  readonly verdict: RowCount["verdict"];
  /** Why the verdict is not "exact"; null if it is. */
  readonly reason: string | null;
  /** HTTP requests sent, retries included. */
  readonly requests: number;
}

/** Options of a count, in addition to the parameters of the search. */
export interface CountOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /**
   * Maximum number of HTTP requests, retries included. If it is reached, the verdict is "at least". Default: no limit where page
   * numbers work, otherwise 50 pages per search.
   */
  maxRequests?: number | undefined;
}

/** Parameters of a search to count. A count starts at the first page, and the query is a positional argument. */
export type CountParameters<N extends SearchName> = Omit<ParametersOf<N>, "query" | "cursor" | "page">;

/** Options of a count by group, which returns a frame. */
export type CountByOptions<E> = CountParameters<"mentions"> &
  CountOptions &
  DecidingOption<Pick<CallOptions, "engine">, E> & {
    /**
     * One row per Congress, year, quarter, month, week (from Monday) or day, which require `mindate` and `maxdate` or `congress`;
     * per video type; or per speaker.
     */
    by: CountGroup;
    /** The video types or speaker ids to count. Default: the known video types; required with `by: "personid"`. */
    groups?: ReadonlyArray<number | string> | undefined;
  };
