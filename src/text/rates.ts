import { checkedOptions } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { clusteredRatio, MIN_CLUSTERS } from "./counting/clusters.js";
import { countRates, type OnceOption, otherSpeech, speechOf } from "./counting/countRates.js";
import { checkClusters, checkedForm, rateColumns, rateRow, warnOfNoInterval } from "./counting/rateRows.js";
import { ratesText } from "./counting/ratesText.js";
import type { Pattern } from "./pattern.js";
import type { By } from "./source/grouping.js";
import { type TextSource, withStep } from "./source/textSource.js";

/** Options of {@link rates}. */
export interface RatesOptions extends OnceOption {
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
   * as independent, not matches. `false` takes matches as independent, which is rarely true. Default: `"page"` for a sample whose rows were drawn
   * by pages, otherwise `"personid"` if any row has one.
   */
  cluster?: string | false | undefined;
}

/**
 * How often patterns occur, as rates with their counts, denominators and confidence intervals. Periods without speech are
 * in the result, with a count of 0 and no rate.
 *
 * Speakers repeat themselves, so intervals come from the variance between them (linearised, with Student's t
 * and one degree of freedom less than the group has clusters; Cameron and Miller 2015, "A practitioner's guide to cluster-robust inference").
 * Rows without a cluster and of unidentified speakers (`personid` 999999) are left out. A group of fewer than 10 clusters has no interval.
 *
 * A sample (`sampleRows`, `archive.sample`) counts within itself, which estimates the rates of all that it was drawn from. A sample of all speech is
 * cheap: `rates(await archive.sample("mentions", "the", { rows: 2000, pages: 100 }), "inflation", { baseline: "own rows" })`.
 *
 * Without clusters, and for a rate of 0 or a share of 1, matches are taken as independent: counts per word or hour have exact Poisson intervals (Garwood
 * 1936), because one mention can match several times, and shares of mentions have Wilson's (1927).
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds: rows without one are left out
 * @param patterns as in `kwic`
 * @param given groups, unit, baseline, confidence
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern and group;
 *   with clusters also `clusters` (of the group), `left_out` (rows without one), `deff` (the design effect: how much larger the variance is than
 *   that of independent matches), `largest_share` (of the matches, by the cluster with most) and `effective_clusters`; with a baseline
 *   `not_in_baseline` (rows of the source, left out)
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline; if only one of source and baseline is a sample; for a `cluster` of fewer than 5 values
 * @example
 * const all = await archive.mentions("the", { mindate: "2024-01-01", maxItems: 5000 });
 * await rates(all, ["inflation", "tax*"], { by: "month", baseline: "own rows" });
 */
export async function rates(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  given: RatesOptions = {},
): Promise<PolarsFrame> {
  const options = checkedOptions(given, OPTIONS, "option of rates");
  const { by, cluster } = options;
  const { source: counted, baseline } = await speechOf(source, options);
  const form = checkedForm(cluster, options);
  const counts = await countRates({ source: counted, patterns, by, baseline, ...form }, "rates");
  const { notInBaseline: not_in_baseline } = counts;
  if (typeof cluster === "string") checkClusters(counts.clusters, cluster);
  // Of all clusters together, the check has said it.
  if (cluster === undefined || counts.clusters >= MIN_CLUSTERS) warnOfNoInterval(counts);
  const leftOut = counts.leftOut(counts.groups);
  const rows = counts.names.flatMap((pattern, nth) =>
    counts.groups.map((group) => {
      const ratio = clusteredRatio(counts.sums(group, nth));
      return { ...rateRow(counts, leftOut, [pattern, group, ratio], form), not_in_baseline };
    }),
  );
  const result = resultFrame([
    ...rateColumns(counts, rows),
    ...(not_in_baseline === null ? [] : columnsOf(rows, pl.Int64, "not_in_baseline")),
  ]);
  const { per, confidence } = form;
  const clusters = counts.clusters > 0 ? counts.cluster : undefined;
  const text = ratesText({ patterns, per, by, once: options.once, baseline, confidence, clusters });
  return withStep(source, result, "rates", `counted as ${text}`, otherSpeech(baseline));
}

const OPTIONS = ["by", "per", "baseline", "confidence", "cluster", "once"];
