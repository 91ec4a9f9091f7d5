import type { Allocation } from "../frames/allocate.js";
import type { DecidingOption } from "../util/decidingOption.js";
import type { Period } from "../util/period.js";
import type { CallOptions } from "./callOptions.js";
import type { CountParameters } from "./countOptions.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for results of `sample`: what the rows were drawn from, and what they represent. */
    sample?: SampleReport;
  }
}

/** Options of a sample, in addition to the parameters of the search. */
export interface SampleOptions extends Pick<CallOptions, "signal" | "unchecked"> {
  /** Rows to draw, of all strata together. If the search has no more, all of its rows are the sample. Left out if `allocation` says how many of each stratum. */
  rows?: number | undefined;
  /**
   * Draws from each year, month, week or day from `mindate` to `maxdate` separately, which are then required. Default: one sample of the whole
   * search, the stratum `"all"`. The frame has the columns `stratum`, `probability` (the share of the stratum that was drawn), `drawn` (its rows) and
   * `page` (what a row was drawn with), see `designOf`. A stratum that would give fewer than two rows is joined with its neighbours.
   */
  strata?: Period | undefined;
  /** How many rows each stratum gives: in proportion to its rows, as many as the others, or what you say: `{ "2021": 100, "2022": 50 }`. Default `"proportional"`. */
  allocation?: Allocation | undefined;
  /** Start of the random numbers: the same seed draws the same rows as long as the result does not change. Default 1. */
  seed?: number | undefined;
  /**
   * Pages to draw the rows from; each costs one request. With few pages, more of the rows are neighbours in the search and resemble
   * each other; with as many pages as rows, every row comes from a page of its own. `rates` and `estimate` allow for the pages. Default 20; `pages: 100` makes
   * intervals of what is alike within programs shorter.
   */
  pages?: number | undefined;
}

/** All options of a sample, of which `engine` decides the type of the result. */
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
  /** Pages that the rows come from. */
  readonly pages: number;
  /** Rows per page of the search; null if all rows were fetched by cursor. */
  readonly pageRows: number | null;
  /** The seed of the random numbers. */
  readonly seed: number;
  /** "exact": each row was equally likely. "estimated": rows moved between the pages, so some were more likely than others. */
  readonly verdict: "exact" | "estimated";
  /** What the sample represents, in a sentence or two. */
  readonly note: string;
}
