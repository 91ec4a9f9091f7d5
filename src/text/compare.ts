import { checkedOptions, invalid, nonEmptyString, oneOf } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, refuseRepeated, resultFrame } from "../frames/resultFrame.js";
import { listed } from "../util/quoted.js";
import { comparedGroups, comparisonSentence } from "./comparison.js";
import { checkedEvent, refuseNarrowRange, SIDE, withSide } from "./counting/beforeAfter.js";
import { type ClusteredRatio, clusteredRatio } from "./counting/clusters.js";
import { countRates, defaultCluster, otherSpeech, speechOf } from "./counting/countRates.js";
import {
  ADJUSTMENTS,
  type Adjustment,
  adjusted,
  type Difference,
  differenceOf,
  speaking,
} from "./counting/difference.js";
import { checkClusters, checkedForm, type RateRow, rateColumns, rateRow } from "./counting/rateRows.js";
import { ratesText } from "./counting/ratesText.js";
import type { Pattern } from "./pattern.js";
import type { RatesOptions } from "./rates.js";
import { readProvenance, type TextSource, withStep } from "./source/textSource.js";

/** Options of {@link compare}. */
export interface CompareOptions extends Pick<RatesOptions, "per" | "baseline" | "confidence" | "once"> {
  /**
   * The column or period whose groups are compared: `"party"`, `"year"`. With `design: "before/after"` each of its groups is
   * compared with itself; default there: all rows together.
   */
  by?: string | undefined;
  /**
   * The two groups, the one to subtract last: `["Democrat", "Republican"]`; periods by their name: `["2023", "2021"]`, `["2024-Q1", "2023-Q1"]`. Default: the
   * groups that there are, if there are two. With a design, any number of groups; default all.
   */
  groups?: readonly (string | number | boolean)[] | undefined;
  /** The column that says whose rows resemble each other, as in `rates`. Default: speakers, or the pages of a sample. */
  cluster?: string | undefined;
  /** How the p values of all tests of the call are adjusted: Holm's method (default), or `"none"`. */
  adjust?: Adjustment | undefined;
  /** `"before/after"` compares the days from `date` on with as many days before it. */
  design?: "before/after" | undefined;
  /** The first day after the event: `"2022-08-16"` (UTC). */
  date?: string | undefined;
  /** The days on each side. */
  window?: number | undefined;
}

const OPTIONS = "by groups per baseline confidence cluster adjust design date window once".split(" ");

/**
 * Compares how often two groups say something: the rate of each, their difference and their ratio, with intervals that allow for
 * speakers who repeat themselves.
 *
 * Intervals are linearised over clusters, with Student's t (Cameron and Miller 2015, "A practitioner's guide to cluster-robust
 * inference"). A group of fewer than 10 clusters has none, and nothing that it is a part of has one. Rows without a cluster and of unidentified
 * speakers are left out, and so are all other groups. The p value is that of the difference, two-sided, adjusted for the number of tests (Holm 1979);
 * intervals are not.
 *
 * @param source rows with a column `text`
 * @param patterns as in `kwic`
 * @param given groups, unit, baseline, clusters, design
 * @returns two rows per pattern, one for each group: the group, `pattern`, `count`, `denominator`, `rate`, `low`, `high`, `rows`, `clusters`,
 *   `left_out` (rows of both groups without a cluster), `deff`, `largest_share` and `effective_clusters` as in `rates`. The first of them also has `difference`, `ratio`, both with `_low` and `_high`, `p`, `p_adjusted`
 *   and `sentence`, which says all of it in words
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline; for groups of fewer
 *   than 5 clusters, and with the groups there are if the two are not clear
 * @example
 * const spoken = await withMembers(await archive.mentions("the", { mindate: "2022-05-18", maxdate: "2022-11-13", maxItems: 50_000 }));
 * await compare(spoken, "inflation", { by: "party", groups: ["Democrat", "Republican"], per: "mention", baseline: "own rows" });
 * await compare(spoken, "inflation", { design: "before/after", date: "2022-08-16", window: 40, baseline: "own rows" });
 */
export async function compare(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  given: CompareOptions = {},
): Promise<PolarsFrame> {
  const options = checkedOptions(given, OPTIONS, "option of compare");
  const { by, groups, design, date, window, once, adjust = "holm" } = options;
  const { source: counted, baseline } = await speechOf(source, options);
  const form = checkedForm(options.cluster ?? defaultCluster(counted), options);
  oneOf("adjust", adjust, ADJUSTMENTS);
  if (design !== undefined) oneOf("design", design, ["before/after"]);
  if (by !== undefined) nonEmptyString("by", by, "party");
  const event = design === undefined ? undefined : checkedEvent(date, window);
  if (event === undefined && by === undefined)
    throw invalid("by", by, 'Give what to compare, for example by: "party".');
  const keys = [...(by === undefined ? [] : [by]), ...(event === undefined ? [] : [SIDE])];
  refuseRepeated(keys);
  const prepare = event === undefined ? undefined : { prepare: (frame: PolarsFrame) => withSide(frame, event) };
  const counts = await countRates({ source: counted, patterns, by: keys, baseline, ...form, ...prepare }, "compare");
  const { clusters } = counts;
  if (event !== undefined) refuseNarrowRange(event, readProvenance(otherSpeech(baseline) ?? counted));
  const pairs = comparedGroups(counts, groups, event !== undefined);
  for (const group of pairs.flat())
    checkClusters(speaking(clusteredRatio(counts.sums(group, 0))), form.cluster, ` in ${counts.grouping.label(group)}`);
  const tests = counts.names.flatMap((pattern, nth) =>
    pairs.map((pair) => {
      const ratios = pair.map((group) => clusteredRatio(counts.sums(group, nth))) as [ClusteredRatio, ClusteredRatio];
      return { pattern, groups: pair, ratios, ...differenceOf(...ratios, { ...form, clusters }) };
    }),
  );
  const p = adjusted(
    tests.map((test) => test.p),
    adjust,
  );
  const rows = tests.flatMap((test, nth): readonly ComparedRow[] => {
    const { pattern, ratios } = test;
    const leftOut = counts.leftOut(test.groups);
    const rates = ratios.map((ratio, side) =>
      rateRow(counts, leftOut, [pattern, test.groups[side] as number, ratio], form),
    ) as [RateRow, RateRow];
    const compared = { ...test, rates, p_adjusted: p[nth] ?? null };
    const labels = test.groups.map((group) => String(counts.grouping.label(group)));
    const both = new Set(ratios.flatMap(({ influence }) => [...influence.keys()])).size;
    const words = { labels, ...form, clusters: both, adjust, tests: tests.length, event };
    return [{ ...compared, ...rates[0], sentence: comparisonSentence({ ...compared, ...words }) }, rates[1]];
  });
  const result = resultFrame([
    ...rateColumns(counts, rows, "rows"),
    ...columnsOf(rows, pl.Float64, "difference", "difference_low", "difference_high"),
    ...columnsOf(rows, pl.Float64, "ratio", "ratio_low", "ratio_high", "p", "p_adjusted"),
    ...columnsOf(rows, pl.Utf8, "sentence"),
  ]);
  const { per, confidence, cluster } = form;
  const more = [
    groups !== undefined && `the groups ${listed(groups.map(String))}`,
    design !== undefined && `${design} ${date} with ${window} days on each side`,
    adjust === "holm" && "p values adjusted by Holm's method",
  ];
  const text = ratesText({ patterns, per, by, once, baseline, confidence, clusters: cluster, more });
  return withStep(source, result, "compare", `compared in their ${text}`, otherSpeech(baseline));
}

/** The first row of a comparison has all of it. */
interface ComparedRow extends RateRow, Partial<Difference> {
  readonly p_adjusted?: number | null;
  readonly sentence?: string;
}
