import { checkedOptions } from "../../errors/validators.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { resultFrame } from "../../frames/resultFrame.js";
import type { By } from "../read/grouping.js";
import type { Pattern } from "../read/pattern.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { type CountOptions, countPatterns } from "./patternCounts.js";
import { rateColumns, rateRow, ratesText, warnOfFewClusters } from "./rateRows.js";

/** Options of {@link rates}. */
export interface RatesOptions extends CountOptions {
  /** Columns or periods to compare, for example `["month", "party"]`. Default: none. */
  by?: By | undefined;
  /**
   * The column that says whose rows resemble each other: `"personid"`, `"programid"` or another one. Intervals take speakers or programs
   * as independent, not matches. `false` counts all rows, without intervals. Default: `"page"` for a sample whose rows were drawn by pages,
   * otherwise `"personid"`.
   */
  cluster?: string | false | undefined;
}

const OPTIONS = ["by", "per", "baseline", "confidence", "cluster", "once"];

/**
 * How often patterns occur, as rates with their counts, denominators and confidence intervals. Periods without speech are
 * in the result, with a count of 0 and no rate.
 *
 * Speakers repeat themselves, so intervals come from the variance between them: linearised, with Student's t and one degree of freedom less
 * than there are speakers, as in R's `survey`. Rows without a speaker, and of unidentified ones (`personid` 999999), are left out. A group of
 * fewer than 10 speakers has no interval; below 30, it tends to be too narrow, and `note` says how many there are.
 *
 * A sample (`sampleRows`, `archive.sample`) estimates the rates of all that it was drawn from. A sample of all speech is
 * cheap: `rates(await archive.sample("mentions", "the", { rows: 2000, pages: 100 }), "inflation", { baseline: "own rows" })`.
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds: rows without one are left out
 * @param patterns as in `kwic`
 * @param options groups, unit, baseline, confidence
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern and
 *   group; `clusters` (speakers of the group), `left_out` (rows without one), `largest_share` (of the matches, by the speaker with most) and `note`
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline, and if no row has a cluster
 * @example
 * const all = await archive.mentions("the", { mindate: "2024-01-01", maxItems: 5000 });
 * await rates(all, ["inflation", "tax*"], { by: "month", baseline: "own rows" });
 */
export async function rates(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: RatesOptions = {},
): Promise<PolarsFrame> {
  const checked = checkedOptions(options, OPTIONS, "option of rates");
  const cluster = checked.cluster === false ? undefined : (checked.cluster ?? null);
  const counts = await countPatterns(source, patterns, { ...checked, cluster }, "rates");
  const [groups, leftOut] = [counts.sample.groups, counts.sample.leftOut()];
  const rows = counts.patterns.flatMap((pattern) =>
    groups.map((group) => rateRow(counts, [group, pattern], counts.ratio(group, pattern), leftOut)),
  );
  if (cluster !== undefined) warnOfFewClusters(counts, rows, "rates");
  const text = ratesText(counts, patterns, checked);
  return withStep(source, resultFrame(rateColumns(counts, rows)), "rates", `counted as ${text}`);
}
