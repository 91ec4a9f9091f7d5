import { boolean, checkedOptions, invalid } from "../errors/validators.js";
import { pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { type ClusteredRatio, clusteredRatio } from "./counting/clusteredRatio.js";
import { countRates, otherSpeech } from "./counting/countRates.js";
import {
  checkClusters,
  checkedCluster,
  checkedConfidence,
  checkedPer,
  rateInterval,
  unitOf,
} from "./counting/rateInterval.js";
import { type Trend, trendsOf } from "./counting/trends.js";
import type { Pattern } from "./pattern.js";
import type { By } from "./source/grouping.js";
import { type FrameOf, likeSource, type TextSource } from "./source/textSource.js";

/** Options of {@link rates}. */
export interface RatesOptions {
  /** Columns or periods to compare, for example `["month", "party"]`. Default: none. */
  by?: By | undefined;
  /**
   * A number of words, `"hour"` for an hour of speech (from `length`), or `"mention"` for the share of mentions that contain the pattern.
   * Default 10,000 words.
   */
  per?: number | "hour" | "mention" | undefined;
  /**
   * All speech that the matches are a part of: its words, hours or mentions are the denominators. Default: the source itself. The rows of a text search
   * are chosen for what they say and need a baseline; `"own rows"` accepts them as they are.
   */
  baseline?: TextSource | "own rows" | undefined;
  /** Confidence of the intervals, between 0 and 1. Default 0.95. */
  confidence?: number | undefined;
  /**
   * The column whose values repeat themselves: `"personid"`, `"programid"` or another one. Intervals then count on as many independent
   * speakers or programs, not on as many matches. Default: matches are independent, which is rarely true.
   */
  cluster?: string | undefined;
  /** Adds the slope of each rate over the periods of `by`, with its interval; needs `cluster`. Default false. */
  trend?: boolean | undefined;
}

/**
 * How often patterns occur, as rates with their counts, denominators and confidence intervals. Periods without speech are
 * in the result, with a count of 0 and no rate.
 *
 * Speakers repeat themselves, so give `cluster: "personid"`: intervals then come from the variance between speakers (linearised, with Student's t
 * and one degree of freedom less than the group has clusters; Cameron and Miller 2015, "A practitioner's guide to cluster-robust inference").
 * Rows without a cluster and of unidentified speakers (`personid` 999999) are left out. A group of fewer than 5 clusters has no interval.
 *
 * Without `cluster`, and for a rate of 0, matches are taken as independent: counts per word or hour have exact Poisson intervals (Garwood
 * 1936), because one mention can match several times, and shares of mentions have Wilson's (1927).
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds
 * @param patterns as in `kwic`
 * @param given groups, unit, baseline, confidence
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern and group;
 *   with `cluster` also `clusters` (of the group) and `left_out` (rows); with `trend` also `slope` (change of the rate per period), `slope_low` and `slope_high`
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
  const options = checkedOptions(given, ["by", "per", "baseline", "confidence", "cluster", "trend"], "option of rates");
  const { baseline, by } = options;
  const per = checkedPer(options.per);
  const confidence = checkedConfidence(options.confidence);
  const cluster = checkedCluster(options.cluster);
  const isTrend = options.trend !== undefined && boolean("trend", options.trend);
  if (isTrend && cluster === undefined) {
    throw invalid(
      "trend",
      true,
      'Give cluster, too, for example cluster: "personid": a trend of speech that repeats itself looks certain.',
    );
  }
  const counts = await countRates({ source, patterns, by, per, baseline, cluster }, "rates");
  if (cluster !== undefined) checkClusters(counts.clusters, cluster);
  const form = { per, confidence, clusters: cluster === undefined ? undefined : counts.clusters };
  const rows = counts.names.flatMap((pattern, nth) => {
    const ratios = counts.groups.map((group) => clusteredRatio(counts.sums(group, nth)));
    const trends = isTrend ? trendsOf(ratios, counts, confidence, unitOf(per)) : [];
    return counts.groups.map((group, at) => {
      const { count, denominator, influence } = ratios[at] as ClusteredRatio;
      const rate = rateInterval(ratios[at] as ClusteredRatio, form);
      return {
        pattern,
        group,
        count,
        denominator,
        ...rate,
        clusters: influence.size,
        left_out: counts.leftOut,
        ...trends[at],
      };
    });
  });
  const result = resultFrame([
    ...counts.grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "pattern"),
    ...columnsOf(rows, pl.Int64, "count"),
    ...columnsOf(rows, pl.Float64, "denominator", "rate", "low", "high"),
    ...(cluster === undefined ? [] : columnsOf(rows, pl.Int64, "clusters", "left_out")),
    ...(isTrend ? columnsOf(rows as TrendRow[], pl.Float64, "slope", "slope_low", "slope_high") : []),
  ]);
  const details = [patterns, by ?? "", ...(cluster === undefined ? [] : [`clusters by ${cluster}`])];
  return likeSource(source, result, ["rates", "summary", ...details], otherSpeech(baseline));
}

type TrendRow = Trend & { readonly pattern: string };
