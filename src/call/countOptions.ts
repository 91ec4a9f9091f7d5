import type { ParametersOf, SearchName } from "../service/operations/operations.js";
import type { RowCount } from "../service/paging/countRows.js";
import type { DecidingOption } from "../util/decidingOption.js";
import { PERIODS, type Period } from "../util/period.js";
import type { CallOptions } from "./callOptions.js";

/** How mentions are grouped when they are counted. */
export type CountGroup = Period | "videotype" | "personid";

export const COUNT_GROUPS: readonly CountGroup[] = [...PERIODS.toReversed(), "videotype", "personid"];

/**
 * The number of rows of a search. An object rather than a number, because a number could not say whether it is exact.
 *
 * @example
 * const { rows, verdict } = await archive.count("mentions", "climate");
 */
export interface Count extends RowCount {
  /** Rows found. */
  readonly rows: number;
  /**
   * "exact"; "at least", if there may be more rows; or "estimated", if rows moved between pages, so that the number may be too high
   * or too low.
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
   * HTTP requests to send at most, retries included; the count is then "at least" what was found. Default: no limit where page
   * numbers work; otherwise 50 pages per search.
   */
  maxRequests?: number | undefined;
}

/** Parameters of a search that is counted. A count starts at the first page, and the query is given by position. */
export type CountParameters<N extends SearchName> = Omit<ParametersOf<N>, "query" | "cursor" | "page">;

/** Options of a count by group, which returns a frame. */
export type CountByOptions<E> = CountParameters<"mentions"> &
  CountOptions &
  DecidingOption<Pick<CallOptions, "engine">, E> & {
    /**
     * One row per Congress, year, quarter, month, week (from Monday) or day from `mindate` to `maxdate`, which are then required unless
     * there is a `congress`; per video type; or per speaker.
     */
    by: CountGroup;
    /** The video types or ids of speakers to count. Default: the known video types; required with `by: "personid"`. */
    groups?: ReadonlyArray<number | string> | undefined;
  };
