import type { ValidationError } from "../errors/index.js";
import { faulty, invalid } from "../errors/validators.js";
import { cellText } from "../frames/typeFlags.js";
import { formatCount, pluralize } from "../util/counts.js";
import { quotedList } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import { type BeforeAfter, dayOf } from "./counting/beforeAfter.js";
import { MIN_CLUSTERS } from "./counting/clusters.js";
import type { RateCounts } from "./counting/countRates.js";
import type { Adjustment, Difference } from "./counting/difference.js";
import type { RateRow } from "./counting/rateRows.js";
import type { Per } from "./counting/tallies.js";
import type { Grouping } from "./source/grouping.js";

/** Two groups, the one to subtract last. */
export type Pair = readonly [number, number];

/**
 * The groups that `compare` compares: the two that are named, or with a design "after" and "before" of every one that is named.
 *
 * @throws ValidationError for names that no group has, and if the two groups are not clear
 */
export function comparedGroups({ grouping, groups }: RateCounts, given: unknown, isDesign: boolean): readonly Pair[] {
  const [by = ""] = grouping.by;
  const hasBy = !isDesign || grouping.by.length > 1;
  if (given !== undefined && (!Array.isArray(given) || !hasBy || (!isDesign && given.length !== 2))) {
    const hint = 'Give two values of by, for example by: "party", groups: ["Democrat", "Republican"].';
    throw invalid("groups", given, hint);
  }
  const { groups: values } = grouping;
  const named = hasBy ? groups.flatMap((group) => values[group]?.[0] ?? []) : [];
  const known = [...new Set(named.map(cellText))];
  const chosen = (given as unknown[] | undefined)?.map((name) => chosenValue(name, grouping, by, known));
  if (isDesign) {
    const sides = (chosen ?? (hasBy ? known : [undefined])).map((value) =>
      ["after", "before"].map((side) => grouping.indexOf(hasBy ? [value, side] : [side])),
    );
    return sides as unknown as readonly Pair[];
  }
  const two = new Set(chosen ?? known);
  if (two.size !== 2) throw chooseGroups(`"${by}" has ${pluralize(two.size, "group")}`, grouping, by, known);
  return [[...two].map((value) => grouping.indexOf([value])) as unknown as Pair];
}

/** The value of the group that is named. @throws ValidationError with the names of all groups if there is none */
function chosenValue(name: unknown, grouping: Grouping, by: string, known: readonly string[]): string {
  const found =
    known.find((value) => value === String(name)) ?? known.find((value) => grouping.nameOf(by, value) === String(name));
  if (found !== undefined) return found;
  throw chooseGroups(`there is no group ${JSON.stringify(name)}`, grouping, by, known);
}

function chooseGroups(what: string, grouping: Grouping, by: string, known: readonly string[]): ValidationError {
  const names = known.slice(0, 20).map((value) => grouping.nameOf(by, value));
  return faulty("groups", what, `Give values of ${by}, for example groups: ${quotedList(names)}.`);
}

interface Comparison extends Difference {
  readonly pattern: string;
  readonly labels: readonly string[];
  readonly rates: readonly RateRow[];
  readonly p_adjusted: number | null;
  readonly per: Per;
  readonly confidence: number;
  readonly cluster: string;
  readonly adjust: Adjustment;
  readonly tests: number;
  readonly event: BeforeAfter | undefined;
  /** How many different ones both sides have together. */
  readonly clusters: number;
}

const CLUSTERS: Readonly<Record<string, string>> = { personid: "speakers", person: "speakers", programid: "programs" };
const SINGLE: Readonly<Record<string, string>> = { personid: "a speaker", person: "a speaker", programid: "a program" };

/**
 * What was compared and found, on how many rows of how many clusters.
 *
 * @example
 * comparisonSentence(…);
 * //=> '"inflation": Democrat 12.3% (95% interval 8.1 to 16.5), Republican 9.1% (6.2 to 12) of mentions. The difference is 3.2
 * //    percentage points (-1.2 to 7.6), the ratio 1.35 (0.9 to 2.03), p = 0.15. 819 mentions of 169 speakers; 24 mentions without a speaker are left out.'
 */
export function comparisonSentence(comparison: Comparison): string {
  const { pattern, labels, rates, per, confidence, cluster, clusters, event, difference, ratio } = comparison;
  const isShare = per === "mention";
  const number = (value: number | null) => (value === null ? "unknown" : shortNumber(isShare ? 100 * value : value));
  const range = (low: number | null, high: number | null, form = number) =>
    low === null || high === null ? "no interval" : `${form(low)} to ${form(high)}`;
  const sides = rates.map(({ rate, low, high }, at) => {
    const level = at === 0 ? `${shortNumber(100 * confidence)}% interval ` : "";
    return `${labels[at]} ${number(rate)}${isShare ? "%" : ""} (${level}${range(low, high)})`;
  });
  const unit = isShare ? "of mentions" : per === "hour" ? "per hour" : `per ${per.toLocaleString("en-US")} words`;
  const days = event && ` within ${event.days} days of ${dayOf(event.date)}`;
  const { difference_low, difference_high, ratio_low, ratio_high } = comparison;
  const rows = sum(rates.map((each) => each.rows));
  const leftOut = rates[0]?.left_out ?? 0;
  return [
    `"${pattern}": ${sides.join(", ")} ${unit}${days ?? ""}.`,
    `The difference is ${number(difference)}${isShare ? " percentage points" : ""} (${range(difference_low, difference_high)}),`,
    ratio === null
      ? "there is no ratio,"
      : `the ratio ${shortNumber(ratio)} (${range(ratio_low, ratio_high, (value) => shortNumber(value ?? 0))}),`,
    `${probabilityText(comparison.p_adjusted)}${adjustmentText(comparison.p_adjusted, comparison.adjust, comparison.tests)}.`,
    ...fewText(comparison),
    `${formatCount(rows)} mentions of ${formatCount(clusters)} ${CLUSTERS[cluster] ?? `values of ${cluster}`}${leftOut === 0 ? "" : `; ${formatCount(leftOut)} ${leftOut === 1 ? "mention" : "mentions"} without ${SINGLE[cluster] ?? `a value of ${cluster}`} ${leftOut === 1 ? "is" : "are"} left out`}.`,
  ].join(" ");
}

/** Which group has too few clusters for an interval of the difference, and whether one of them says most of it. */
function fewText({ rates, labels, cluster }: Comparison): string[] {
  const name = CLUSTERS[cluster] ?? `values of ${cluster}`;
  return rates.flatMap(({ clusters, largest_share: share }, at) => [
    ...(clusters < MIN_CLUSTERS ? [`${labels[at]} has only ${clusters} ${name}, too few for an interval.`] : []),
    ...(share !== null && share >= LARGE
      ? [`One of the ${name} has ${shortNumber(100 * share)}% of the matches of ${labels[at]}.`]
      : []),
  ]);
}

const LARGE = 0.5;

function probabilityText(p: number | null): string {
  return p === null ? "no p value" : p < 0.001 ? "p < 0.001" : `p = ${p.toPrecision(2)}`;
}

function adjustmentText(p: number | null, adjust: Adjustment, tests: number): string {
  return p === null || adjust === "none" || tests === 1 ? "" : ` after Holm's adjustment for ${tests} tests`;
}

/** Three significant digits, without an exponent. */
function shortNumber(value: number): string {
  return Math.abs(value) >= 100 ? formatCount(value) : String(Number(value.toPrecision(3)));
}
