import { boolean, checkedOptions } from "../errors/validators.js";
import { pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { baselineName, countRates, otherSpeech, speechOf } from "./counting/countRates.js";
import { checkClusters, checkedForm, rateColumns, rateRow } from "./counting/rateRows.js";
import { type Trend, trendsOf } from "./counting/trends.js";
import { clusteredRatio } from "./counting/units.js";
import type { Pattern } from "./pattern.js";
import type { By } from "./source/grouping.js";
import { isWeighted, type OnceOption, type WeightsOption } from "./source/rowWeights.js";
import { type FrameOf, likeSource, type TextSource } from "./source/textSource.js";

/** Options of {@link rates}. */
export interface RatesOptions extends WeightsOption, OnceOption {
  /** Columns or periods to compare, for example `["month", "party"]`. Default: none. */
  by?: By | undefined;
  /**
   * A number of words, `"hour"` for an hour of speech (from `length`), or `"mention"` for the share of mentions that contain the pattern.
   * Default 10,000 words.
   */
  per?: number | "hour" | "mention" | undefined;
  /**
   * All speech that the matches are a part of: its words, hours or mentions are the denominators. Default: the source itself. The rows of a text search
   * are chosen for what they say and need a baseline; `"own rows"` counts within them.
   */
  baseline?: TextSource | "own rows" | undefined;
  /** Confidence of the intervals, between 0 and 1. Default 0.95. */
  confidence?: number | undefined;
  /**
   * The column that says whose rows resemble each other: `"personid"`, `"programid"` or another one. Intervals then take speakers or programs
   * as independent, not matches. `false` takes matches as independent, which is rarely true. Default: `"personid"` if any row has one.
   */
  cluster?: string | false | undefined;
  /** Adds the slope of each rate over the periods of `by`, with its interval. Default false. */
  trend?: boolean | undefined;
}

/**
 * How often patterns occur, as rates with their counts, denominators and confidence intervals. Periods without speech are
 * in the result, with a count of 0 and no rate.
 *
 * Speakers repeat themselves, so intervals come from the variance between them (linearised, with Student's t
 * and one degree of freedom less than the group has clusters; Cameron and Miller 2015, "A practitioner's guide to cluster-robust inference"), from fewer than
 * 30 clusters, or as uneven ones as fewer than 25, by the jackknife.
 * Rows without a cluster and of unidentified speakers (`personid` 999999) are left out. A group of fewer than 5 clusters has no interval.
 *
 * Rows of a sample (`sampleRows`, `archive.sample`) count as often as they stand for others, and intervals allow for the strata and pages that they
 * were drawn from. `count` and `denominator` are then those of the frame, weighted; with a baseline, of all that was drawn from. A sampled baseline is a
 * cheap one for all speech: `baseline: await archive.sample("mentions", "the", { rows: 2000, pages: 100 })`.
 *
 * Without clusters, and for a rate of 0 or a share of 1, matches are taken as independent: counts per word or hour have exact Poisson intervals (Garwood
 * 1936), because one mention can match several times, and shares of mentions have Wilson's (1927).
 *
 * The interval of a slope allows for shocks of single periods, which may last. It needs 5 periods; below, and for a word that nobody says, the slope only
 * describes them.
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds: rows without one are left out
 * @param patterns as in `kwic`
 * @param given groups, unit, baseline, confidence
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern and group;
 *   with clusters or a sample also `clusters` (of the group), `left_out` (rows without one), `deff` (the design effect: how much larger the variance is than
 *   that of independent matches), `largest_share` (of the matches, by the cluster with most) and `effective_clusters`; with a baseline
 *   `not_in_baseline` (rows of the source, left out); with `trend` also `slope` (change of the rate per period), `slope_low` and `slope_high`
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline; for fewer than 5 clusters
 * @example
 * const all = await archive.mentions("the", { mindate: "2024-01-01", maxItems: 5000 });
 * await rates(all, ["inflation", "tax*"], { by: "month", baseline: "own rows" });
 */
export async function rates<S extends TextSource>(
  source: S,
  patterns: Pattern | readonly Pattern[],
  given: RatesOptions = {},
): Promise<FrameOf<S>> {
  const options = checkedOptions(given, OPTIONS, "option of rates");
  const { by, cluster } = options;
  const { source: counted, baseline } = await speechOf(source, options);
  const form = checkedForm(cluster, options);
  const isTrend = options.trend !== undefined && boolean("trend", options.trend);
  const counts = await countRates({ source: counted, patterns, by, baseline, ...form }, "rates");
  const { units, notInBaseline: not_in_baseline } = counts;
  if (typeof cluster === "string") checkClusters(units.clusters, cluster);
  const leftOut = counts.leftOut(counts.groups);
  const rows = counts.names.flatMap((pattern, nth) => {
    const ratios = counts.groups.map((group) => clusteredRatio(counts.sums(group, nth)));
    const trends = isTrend ? trendsOf(ratios, counts, form) : [];
    return ratios.map((ratio, at) => {
      const row = rateRow(counts, leftOut, [pattern, counts.groups[at] as number, ratio], form);
      return { ...row, not_in_baseline, ...trends[at] };
    });
  });
  const result = resultFrame([
    ...rateColumns(counts, rows),
    ...(not_in_baseline === null ? [] : columnsOf(rows, pl.Int64, "not_in_baseline")),
    ...(isTrend ? columnsOf(rows as Partial<Trend>[], pl.Float64, "slope", "slope_low", "slope_high") : []),
  ]);
  const { per, confidence, weights } = form;
  const clusters = units.clusters > 0 ? cluster || "personid" : undefined;
  const how = { baseline: baselineName(baseline), weighted: isWeighted(source, weights), once: options.once };
  const facts = { patterns, by, per, clusters, confidence, ...how };
  return likeSource(source, result, ["rates", "summary", facts], otherSpeech(baseline));
}

const OPTIONS = ["by", "per", "baseline", "confidence", "cluster", "trend", "once", "weights"];
