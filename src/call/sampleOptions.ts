import type { Allocation } from "../frames/allocate.js";
import type { DecidingOption } from "../util/decidingOption.js";
import type { Period } from "../util/period.js";
import type { CallOptions } from "./callOptions.js";
import type { CountParameters } from "./countOptions.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** For results of `sample`: what the rows were drawn from, and what they represent. */
    sample?: SampleReport;
  }
}

/** Options of a sample, in addition to the parameters of the search. */
export interface SampleOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /** Rows to draw, across all strata. If the search has fewer, the sample is all of them. Omit it if `allocation` gives a number per stratum. */
  rows?: number | undefined;
  /**
   * Draws separately from each year, month, week or day; requires `mindate` and `maxdate`. Default: one stratum, `"all"`. The frame
   * gets the columns `stratum`, `probability` (the share of the stratum that was drawn), `drawn` (its rows) and `page` (the page a
   * row was drawn with), see `designOf`. A stratum that would give fewer than two rows is merged with its neighbours.
   */
  strata?: Period | undefined;
  /** Rows per stratum: in proportion to its size, equal, or given explicitly: `{ "2021": 100, "2022": 50 }`. Default `"proportional"`. */
  allocation?: Allocation | undefined;
  /** Random seed: the same seed draws the same rows as long as the search result does not change. Default 1. */
  seed?: number | undefined;
  /**
   * Pages to draw from; each costs one request. Rows from the same page are neighbours in the search and tend to be similar, which
   * `rates` and `estimate` take into account; more pages give shorter intervals. Default 20.
   */
  pages?: number | undefined;
}

/** All options of a sample; `engine` determines the type of the result. */
export type SampleArguments<E> = CountParameters<"mentions"> &
  SampleOptions &
  DecidingOption<Pick<CallOptions, "engine">, E>;

/**
 * What the rows of a sample were drawn from, and what they represent.
 *
 * @example
 * const frame = await archive.sample("mentions", "climate", { rows: 200 });
 * provenanceOf(frame)?.sample?.of; //=> 20037
 */
export interface SampleReport {
  /** Rows of the search. */
  readonly of: number;
  /** Rows in the sample. */
  readonly rows: number;
  /** Pages the rows come from. */
  readonly pages: number;
  /** Rows per page; null if all rows were fetched by cursor. */
  readonly pageRows: number | null;
  /** The random seed. */
  readonly seed: number;
  /** "exact": each row was equally likely. "estimated": rows moved between pages, so some were more likely than others. */
  readonly verdict: "exact" | "estimated";
  /** What the sample represents, in a sentence or two. */
  readonly note: string;
}
