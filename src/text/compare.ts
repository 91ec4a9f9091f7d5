import { checkedOptions, invalid, nonEmptyString, oneOf, positiveInteger } from "../errors/validators.js";
import { pl } from "../frames/polars.js";
import { columnsOf, refuseRepeated, resultFrame } from "../frames/resultFrame.js";
import { comparedGroups, comparisonSentence } from "./comparison.js";
import {
  type BeforeAfter,
  checkedEvent,
  checkedPlacebos,
  refuseNarrowRange,
  SIDE,
  withPlacebos,
  withSide,
} from "./counting/beforeAfter.js";
import { bootstrapDifferences } from "./counting/bootstrap.js";
import { baselineName, countRates, otherSpeech, speechOf } from "./counting/countRates.js";
import {
  ADJUSTMENTS,
  type Adjustment,
  adjusted,
  type Change,
  changeOf,
  type Difference,
  differenceOf,
} from "./counting/difference.js";
import { checkClusters, checkedForm, type RateRow, rateColumns, rateRow } from "./counting/rateRows.js";
import { type ClusteredRatio, clusteredRatio } from "./counting/units.js";
import type { Pattern } from "./pattern.js";
import type { RatesOptions } from "./rates.js";
import { isWeighted } from "./source/rowWeights.js";
import { type FrameOf, likeSource, readProvenance, type TextSource } from "./source/textSource.js";

/** Options of {@link compare}. */
export interface CompareOptions extends Pick<RatesOptions, "per" | "baseline" | "confidence" | "once" | "weights"> {
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
  /** The column that says whose rows resemble each other, as in `rates`. Default `"personid"`. */
  cluster?: string | undefined;
  /** How the p values of all tests of the call are adjusted. Default `"holm"`. */
  adjust?: Adjustment | undefined;
  /** `"before/after"` compares the days from `date` on with as many days before it. */
  design?: "before/after" | undefined;
  /** The first day after the event: `"2022-08-16"` (UTC). */
  date?: string | undefined;
  /** The days on each side. */
  window?: number | undefined;
  /**
   * Dates on which nothing happened, for the same comparison: `["2022-04-01", "2022-11-15"]`. Differences at these dates show that words
   * come and go without the event. The source is read once for each date.
   */
  placebo?: readonly string[] | undefined;
  /** Intervals of the difference from samples of the clusters, as a check; the same seed gives the same ones. Default: none. */
  bootstrap?: { readonly rounds: number; readonly seed: number } | undefined;
}

const OPTIONS =
  "by groups per baseline confidence cluster adjust design date window placebo bootstrap once weights".split(" ");

/**
 * Compares how often two groups say something: the rate of each, their difference and their ratio, with intervals that allow for
 * speakers who repeat themselves.
 *
 * Intervals are linearised over clusters, with Student's t (Cameron and Miller 2015, "A practitioner's guide to cluster-robust
 * inference"). Where one side has fewer than 30 clusters, or fewer than half of the other's, the p value and the intervals of difference and ratio come from
 * permutations of the clusters (Chung and Romano 2013, "Exact and asymptotically robust permutation tests"); the sentence says so. Below 15 clusters, only the
 * ratio has an interval: that of the difference would not be right often enough. Rows without a cluster and of unidentified
 * speakers are left out, and so are all other groups. Rows of a sample count as in `rates`. The p value is that of the
 * difference, two-sided, adjusted for the number of tests (Holm 1979; Benjamini and Hochberg 1995); intervals are not.
 *
 * @param source rows with a column `text`
 * @param patterns as in `kwic`
 * @param given groups, unit, baseline, clusters, design
 * @returns two rows per pattern, one for each group: the group, `pattern`, `count`, `denominator`, `rate`, `low`, `high`, `rows`, `clusters`,
 *   `left_out` (rows of both groups without a cluster), `deff`, `largest_share` and `effective_clusters` as in `rates`. The first of them also has `difference`, `ratio`, both with `_low` and `_high`, `p`, `p_adjusted`,
 *   with `bootstrap` also `bootstrap_low` and `bootstrap_high` (of the difference), and `sentence`, which says all of it in words. A design
 *   with two groups has the difference of their changes, too: `change`, with `_low`, `_high` and `_p` (difference in differences; it says what the
 *   event did only if both groups would have changed alike without it). With `placebo`, the rows of every date, and `date` and `placebo`
 * @throws ValidationError for an invalid source, pattern or option; for the rows of a text search without a baseline; for groups of fewer
 *   than 5 clusters, and with the groups there are if the two are not clear
 * @example
 * const spoken = await withMembers(await archive.mentions("the", { mindate: "2022-05-18", maxdate: "2022-11-13", maxItems: 50_000 }));
 * await compare(spoken, "inflation", { by: "party", groups: ["Democrat", "Republican"], per: "mention", baseline: "own rows" });
 * await compare(spoken, "inflation", { design: "before/after", date: "2022-08-16", window: 40, placebo: ["2022-10-01"], baseline: "own rows" });
 */
export async function compare<S extends TextSource>(
  source: S,
  patterns: Pattern | readonly Pattern[],
  given: CompareOptions = {},
): Promise<FrameOf<S>> {
  const checked = checkedOptions(given, OPTIONS, "option of compare");
  const { source: counted, baseline } = await speechOf(source, checked);
  const options = { ...checked, baseline };
  const { by, design, placebo, once } = options;
  if (design !== undefined) oneOf("design", design, ["before/after"]);
  const event = design === undefined ? undefined : checkedEvent(options.date, options.window);
  const dates = placebo === undefined ? [] : checkedPlacebos(placebo, event);
  refuseRepeated([by ?? [], event === undefined ? [] : SIDE, placebo === undefined ? [] : ["date", "placebo"]].flat());
  const found = await compareAt(counted, patterns, options, event);
  const placebos: pl.DataFrame[] = [];
  for (const date of dates) placebos.push(await compareAt(counted, patterns, options, date));
  const result =
    event === undefined || placebo === undefined ? found : withPlacebos(found, placebos, [event, ...dates]);
  const { per, date, window, groups, weights } = options;
  const { confidence = 0.95, cluster: clusters = "personid", adjust = "holm" } = options;
  const what = { patterns, by, groups, design, date, window, placebo, per, clusters, confidence, adjust };
  const facts = { ...what, weighted: isWeighted(source, weights), once, baseline: baselineName(baseline) };
  return likeSource(source, result, ["compare", "summary", facts], otherSpeech(baseline));
}

async function compareAt(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: CompareOptions,
  event: BeforeAfter | undefined,
): Promise<pl.DataFrame> {
  const { by, baseline, adjust = "holm" } = options;
  const form = checkedForm(options.cluster ?? "personid", options);
  const { unit, confidence, cluster } = form;
  oneOf("adjust", adjust, ADJUSTMENTS);
  const bootstrap = checkedBootstrap(options.bootstrap);
  if (by !== undefined) nonEmptyString("by", by, "party");
  if (event === undefined && by === undefined)
    throw invalid("by", by, 'Give what to compare, for example by: "party".');
  const keys = [...(by === undefined ? [] : [by]), ...(event === undefined ? [] : [SIDE])];
  const prepare = event === undefined ? undefined : { prepare: (frame: pl.DataFrame) => withSide(frame, event) };
  const counts = await countRates({ source, patterns, by: keys, baseline, ...form, ...prepare }, "compare");
  const { units } = counts;
  if (event !== undefined) refuseNarrowRange(event, readProvenance(otherSpeech(baseline) ?? source));
  const pairs = comparedGroups(counts, options.groups, event !== undefined);
  for (const group of pairs.flat()) {
    const speaking = counts.sums(group, 0).filter(({ denominator }) => denominator > 0);
    const clusters = new Set(speaking.map(({ unit: index }) => units.clusterOf(index))).size;
    checkClusters(clusters, cluster, ` in ${counts.grouping.label(group)}`);
  }
  const tests = counts.names.flatMap((pattern, nth) =>
    pairs.map((groups) => {
      const sides = groups.map((group) => counts.sums(group, nth));
      const ratios = sides.map(clusteredRatio) as [ClusteredRatio, ClusteredRatio];
      return { pattern, groups, sides, ratios, ...differenceOf(...ratios, { ...form, units }) };
    }),
  );
  const unadjusted = tests.map((test) => test.p);
  const p = adjusted(unadjusted, adjust);
  const sides = tests.map((test) => test.sides);
  const samples = bootstrap && bootstrapDifferences(sides, units, bootstrap, confidence, unit);
  // Two groups at an event: tests of one pattern follow each other.
  const hasChange = event !== undefined && pairs.length === 2;
  const rows = tests.flatMap((test, nth): readonly ComparedRow[] => {
    const { pattern, groups, ratios } = test;
    const other = hasChange && nth % 2 === 0 ? tests[nth + 1] : undefined;
    const change = other && changeOf(ratios, other.ratios, { ...form, units });
    const leftOut = counts.leftOut(groups);
    const rates = ratios.map((ratio, side) =>
      rateRow(counts, leftOut, [pattern, groups[side] as number, ratio], form),
    ) as [RateRow, RateRow];
    const { low: bootstrap_low, high: bootstrap_high } = samples?.[nth] ?? {};
    const found = { ...test, rates, p_adjusted: p[nth] ?? null, bootstrap_low, bootstrap_high, ...change };
    const labelOf = (group: number) => String(counts.grouping.label(group));
    const labels = groups.map(labelOf);
    const clusters = units.clustersIn(new Map(ratios.flatMap(({ influence }) => [...influence])));
    const otherLabel = other && labelOf(other.groups[0]);
    const words = { labels, otherLabel, ...form, clusters, adjust, tests: tests.length, event };
    return [{ ...found, ...rates[0], sentence: comparisonSentence({ ...found, ...words }) }, rates[1]];
  });
  return resultFrame([
    ...rateColumns(counts, rows, "rows"),
    ...columnsOf(rows, pl.Float64, "difference", "difference_low", "difference_high"),
    ...columnsOf(rows, pl.Float64, "ratio", "ratio_low", "ratio_high", "p", "p_adjusted"),
    ...(samples === undefined ? [] : columnsOf(rows, pl.Float64, "bootstrap_low", "bootstrap_high")),
    ...(hasChange ? columnsOf(rows, pl.Float64, "change", "change_low", "change_high", "change_p") : []),
    ...columnsOf(rows, pl.Utf8, "sentence"),
  ]);
}

/** The first row of a comparison has all of it. */
interface ComparedRow extends RateRow, Partial<Difference>, Partial<Change> {
  readonly p_adjusted?: number | null;
  readonly bootstrap_low?: number | undefined;
  readonly bootstrap_high?: number | undefined;
  readonly sentence?: string;
}

function checkedBootstrap(given: CompareOptions["bootstrap"]): CompareOptions["bootstrap"] {
  if (given === undefined) return undefined;
  const { rounds, seed } = checkedOptions(given, ["rounds", "seed"], "option of bootstrap");
  positiveInteger("bootstrap.rounds", rounds, 999);
  if (!Number.isSafeInteger(seed))
    throw invalid("bootstrap.seed", seed, "Give a whole number, for example bootstrap: { rounds: 999, seed: 1 }.");
  return { rounds: rounds as number, seed: seed as number };
}
