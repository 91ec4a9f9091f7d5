import type { ValidationError } from "../../errors/index.js";
import { checkedOptions, faulty, invalid, nonEmptyString, show } from "../../errors/validators.js";
import { cellText } from "../../frames/dtypes.js";
import { isPolarsFrame } from "../../frames/engine.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { sum } from "../../util/lists.js";
import { formatCount, joinWords, pluralize, quoted, quotedList } from "../../util/text.js";
import { differenceOf, holmAdjust, logRatioOf, type Ratio } from "../interval.js";
import type { Pattern } from "../read/pattern.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { countPatterns, type PatternCounts, type RatesOptions } from "./patternCounts.js";
import {
  clustersName,
  type RateRow,
  rateColumns,
  rateRow,
  ratesText,
  type Side,
  unitFactor,
  warnOfFewClusters,
} from "./rates.js";
import type { Sample } from "./sample.js";

/** Options of {@link compare}. */
export interface CompareOptions extends Pick<RatesOptions, "per" | "baseline" | "confidence" | "once"> {
  /** The column or period whose groups are compared: `"party"`, `"year"`. Default: none, which compares two patterns. */
  by?: string | undefined;
  /** The two groups, the one to subtract last: `["Democrat", "Republican"]`. Default: all, if there are two. */
  groups?: readonly (string | number | boolean)[] | undefined;
  /** As in `rates`. Default: speakers, or the pages of a sample. */
  cluster?: string | undefined;
}

const OPTIONS = ["by", "groups", "per", "baseline", "confidence", "cluster", "once"];

/**
 * Who says it more, and is the difference real? Compares two groups, two periods or two patterns: the rate of each, their difference and
 * ratio with intervals as in `rates`, and a sentence that says it.
 *
 * A group of fewer than 10 speakers has no interval, and neither have the difference and the ratio. The p value is that of the difference,
 * two-sided; `p_adjusted` allows for the number of patterns (Holm 1979).
 *
 * @param patterns as in `kwic`
 * @returns two rows per pattern, one for each group, with the columns of `rates`. The first of them has the `sentence`, and `difference`
 * and `ratio`, both with `_low` and `_high`, `p` and `p_adjusted`
 * @throws ValidationError as `rates`, and if it is not clear which two groups are meant
 * @example
 * const spoken = await withMembers(await archive.mentions("the", { mindate: "2022-05-18", maxItems: 50_000 }));
 * const groups = ["Democrat", "Republican"];
 * const found = await compare(spoken, "inflation", { by: "party", groups, per: "mention", baseline: "own rows" });
 * console.log(valuesOf(found, "sentence")[0]);
 */
export async function compare(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: CompareOptions = {},
): Promise<PolarsFrame> {
  if (isPolarsFrame(patterns)) {
    const hint = 'Join both frames, with a column that tells them apart, and give its name: { by: "party" }.';
    throw faulty("patterns", "it is a frame", hint);
  }
  const checked = checkedOptions(options, OPTIONS, "option of compare");
  const { by, groups } = checked;
  if (by !== undefined) nonEmptyString("by", by, "party");
  else if ([patterns].flat().length !== 2)
    throw invalid("by", by, 'Give what to compare, for example by: "party"; or two patterns.');
  const counts = await countPatterns(source, patterns, checked, "compare");
  const tests = sidesOf(counts, groups).map((sides) => comparison(counts, sides));
  const p = holmAdjust(tests.map((test) => test.p));
  // The first row of a pattern has its comparison.
  const rows = tests.flatMap(({ rates, ...test }, at): readonly ComparisonRow[] => {
    const p_adjusted = p[at] ?? null;
    const sentence = comparisonSentence(counts, { rates, ...test }, p_adjusted, tests.length);
    return [{ ...test, ...rates[0], p_adjusted, sentence }, rates[1]];
  });
  warnOfFewClusters(counts, rows, "compare");
  const result = resultFrame([
    ...columnsOf(rows, pl.Utf8, "sentence"),
    ...rateColumns(counts, rows),
    ...columnsOf(rows, pl.Float64, "difference", "difference_low", "difference_high"),
    ...columnsOf(rows, pl.Float64, "ratio", "ratio_low", "ratio_high", "p", "p_adjusted"),
  ]);
  const facts = [
    groups !== undefined && `the groups ${joinWords(groups.map(String))}`,
    tests.length > 1 && "p values adjusted by Holm's method",
  ];
  return withStep(source, result, "compare", `compared in their ${ratesText(counts, patterns, checked, ...facts)}`);
}

interface ComparisonRow extends RateRow, Partial<Omit<Comparison, keyof RateRow>> {
  readonly p_adjusted?: number | null;
  readonly sentence?: string;
}

/** The sides to compare: two groups for every pattern, or two patterns. */
function sidesOf({ sample, patterns }: PatternCounts, groups: unknown): readonly (readonly [Side, Side])[] {
  const { grouping } = sample;
  if (grouping.groups.length === 0 || sample.clusters === 0) {
    const hint = "Widen the search, or remove a filter: frame.height is the number of rows.";
    throw faulty("source", "it has no rows, so there is nothing to compare", hint);
  }
  if (grouping.by.length === 0) return [[0, 0].map((group, at): Side => [group, patterns[at] as string])] as never;
  const [a, b] = comparedGroups(sample, groups);
  return patterns.map((pattern) => [
    [a, pattern],
    [b, pattern],
  ]);
}

/** @throws ValidationError for names that no group has, and if the two groups are not clear */
function comparedGroups(sample: Sample, names: unknown): readonly [number, number] {
  const { grouping } = sample;
  const [by] = grouping.by as readonly [string];
  const labeled = sample.sortedGroups().filter((group) => grouping.label(group) !== null);
  const refusal = (fault: string): ValidationError => {
    const labels = labeled.map((group) => grouping.label(group) as string);
    const example = `Give two of them, for example groups: [${quotedList(labels.slice(0, 2))}].`;
    const hint = `The values of ${by} are ${quotedList(labels) || "all missing"}.`;
    return faulty("groups", fault, labels.length < 2 ? hint : `${hint} ${example}`);
  };
  if (names === undefined && labeled.length !== 2) throw refusal(`"${by}" has ${pluralize(labeled.length, "group")}`);
  if (names !== undefined && (!Array.isArray(names) || names.length !== 2)) throw refusal("they are not two");
  const chosen = (names as readonly unknown[] | undefined)?.map((name) => {
    const texts = (group: number) => [grouping.label(group), cellText(grouping.groups[group]?.[0])];
    const group = labeled.find((each) => texts(each).includes(String(name)));
    if (group === undefined) throw refusal(`there is no group ${show(name)}`);
    return group;
  });
  const [a, b] = chosen ?? labeled;
  if (a === b) throw refusal("both are the same");
  return [a as number, b as number];
}

/** A cluster with this share of the matches may decide alone. */
const LARGE_SHARE = 0.5;

/**
 * Describes a comparison in words.
 *
 * @param p adjusted for the number of tests
 * @example
 * comparisonSentence(…);
 * //=> '"inflation": Democrat 12.3% (95% interval 8.1 to 16.5), Republican 9.1% (6.2 to 12) of mentions. The difference is 3.2
 * //    percentage points (-1.2 to 7.6), the ratio 1.35 (0.9 to 2.03), p = 0.15. 819 mentions of 169 speakers; 24 without one are left out.'
 */
function comparisonSentence(
  { sample, per, design }: PatternCounts,
  comparison: Comparison,
  p: number | null,
  tests: number,
): string {
  const { rates, difference, difference_low, difference_high, ratio, ratio_low, ratio_high } = comparison;
  const [a] = rates;
  const isShare = per === "mention";
  const number = (value: number) => shortNumber(isShare ? 100 * value : value);
  const range = (low: number | null, high: number | null, form = number) =>
    low === null || high === null ? "no interval" : `${form(low)} to ${form(high)}`;
  const hasGroups = sample.grouping.by.length > 0;
  const labels = rates.map(({ group, pattern }) => (hasGroups ? sample.grouping.label(group) : quoted(pattern)));
  const sideTexts = rates.map(({ rate, low, high }, at) => {
    const level = at === 0 && low !== null ? `${shortNumber(100 * design.confidence)}% interval ` : "";
    return `${labels[at]} ${rate === null ? "unknown" : number(rate)}${isShare ? "%" : ""} (${level}${range(low, high)})`;
  });
  const unit = isShare ? "of mentions" : per === "hour" ? "per hour" : `per ${formatCount(per)} words`;
  const ratioText =
    ratio === null
      ? "there is no ratio"
      : `the ratio ${shortNumber(ratio)} (${range(ratio_low, ratio_high, shortNumber)})`;
  const name = clustersName(sample);
  // Two patterns are counted in the same rows.
  const sides = hasGroups ? rates : [a];
  const leftOut = a.left_out;
  const leftOutText =
    leftOut === 0 ? "" : `; ${formatCount(leftOut)} without one ${leftOut === 1 ? "is" : "are"} left out`;
  return [
    `${hasGroups ? `${quoted(a.pattern)}: ` : ""}${sideTexts.join(", ")} ${unit}.`,
    `The difference is ${number(difference)}${isShare ? " percentage points" : ""} (${range(difference_low, difference_high)}),`,
    `${ratioText}, ${probabilityText(p, tests)}.`,
    ...rates.flatMap(({ note, largest_share: share }, at) => [
      ...(note === null ? [] : [`${labels[at]}: ${note}.`]),
      ...(share === null || share < LARGE_SHARE
        ? []
        : [`One of the ${name} has ${shortNumber(100 * share)}% of the matches of ${labels[at]}.`]),
    ]),
    `${formatCount(sum(sides.map((each) => each.rows)))} mentions of ${formatCount(comparison.clusters)} ${name}${leftOutText}.`,
  ].join(" ");
}

function probabilityText(p: number | null, tests: number): string {
  if (p === null) return "no p value";
  const adjustment = tests === 1 ? "" : ` after Holm's adjustment for ${tests} tests`;
  return `${p < 0.001 ? "p < 0.001" : `p = ${p.toPrecision(2)}`}${adjustment}`;
}

/** Three significant digits, without an exponent. */
function shortNumber(value: number): string {
  return Math.abs(value) >= 100 ? formatCount(value) : String(Number(value.toPrecision(3)));
}

type Comparison = ReturnType<typeof comparison>;

/** The rates of two sides, their difference, and their ratio, which is null if one of them is 0. */
function comparison(counts: PatternCounts, sides: readonly [Side, Side]) {
  const { design, per, sample } = counts;
  const [a, b] = sides.map(([group, pattern]) => counts.ratio(group, pattern)) as [Ratio, Ratio];
  const unit = unitFactor(per);
  const { value, low, high, p } = differenceOf(a, b, design);
  const scaled = (bound: number | null) => (bound === null ? null : bound * unit);
  const logs = a.count > 0 && b.count > 0 ? logRatioOf(a, b, design) : undefined;
  const factor = (log: number | null | undefined) => (log == null ? null : Math.exp(log));
  const leftOut = sample.leftOut(...new Set(sides.map(([group]) => group)));
  return {
    rates: [rateRow(counts, sides[0], a, leftOut), rateRow(counts, sides[1], b, leftOut)] as const,
    difference: value * unit,
    difference_low: scaled(low),
    difference_high: scaled(high),
    p,
    ratio: factor(logs?.value),
    ratio_low: factor(logs?.low),
    ratio_high: factor(logs?.high),
    /** Of both sides together. */
    clusters: [...a.sums.denominators].filter((sum, at) => sum + (b.sums.denominators[at] as number) > 0).length,
  };
}
