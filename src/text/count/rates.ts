import { checkedOptions } from "../../errors/validators.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { resultFrame } from "../../frames/resultFrame.js";
import type { Pattern } from "../read/pattern.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { countPatterns, type RatesOptions } from "./patternCounts.js";
import { rateColumns, rateRow, ratesText, warnOfFewClusters } from "./rateRows.js";

const OPTIONS = ["by", "per", "baseline", "confidence", "cluster", "once"];

/**
 * Counts how often patterns occur, with denominators, rates and confidence intervals. Periods without speech have a count of 0 and no rate.
 *
 * Speakers repeat themselves, so intervals come from the variance between them: linearised, with Student's t and one degree of freedom less
 * than there are speakers, as in R's `survey`. Rows without a known speaker are left out. A group of fewer than 10 speakers has no
 * interval. Below 30 speakers, or where a few say most of it (`largest_share`), intervals tend to be too narrow: with heavy tails, 95 %
 * intervals for 30 speakers hold in 84 % of simulated cases.
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds: rows without one are left out
 * @param patterns as in `kwic`
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern
 * and group; `clusters` (speakers of the group), `left_out` (rows without one), `largest_share` (of the matches, by the speaker with most)
 * and `note`
 * @throws ValidationError for the rows of a text search without a baseline, and if no row has a cluster
 * @example
 * const sample = await archive.sample("mentions", "the", { rows: 2000, pages: 100 }); // of all speech
 * await rates(sample, ["inflation", "tax*"], { by: "year", baseline: "own rows" });
 */
export async function rates(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: RatesOptions = {},
): Promise<PolarsFrame> {
  const checked = checkedOptions(options, OPTIONS, "option of rates");
  const counts = await countPatterns(source, patterns, checked, "rates");
  const [groups, leftOut] = [counts.sample.groups, counts.sample.leftOut()];
  const rows = counts.patterns.flatMap((pattern) =>
    groups.map((group) => rateRow(counts, [group, pattern], counts.ratio(group, pattern), leftOut)),
  );
  if (checked.cluster !== false) warnOfFewClusters(counts, rows, "rates");
  const text = ratesText(counts, patterns, checked);
  return withStep(source, resultFrame(rateColumns(counts, rows)), "rates", `counted as ${text}`);
}
