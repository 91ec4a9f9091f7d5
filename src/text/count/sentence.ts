import { formatCount } from "../../util/counts.js";
import { quoted } from "../../util/quoted.js";
import { sum } from "../../util/sum.js";
import type { Comparison } from "./comparison.js";
import type { PatternCounts } from "./patternCounts.js";
import { clustersName } from "./rateRows.js";

/** One of the clusters has at least this share of the matches: then it may decide alone. */
const LARGE = 0.5;

/**
 * What was compared and found, on how many rows of how many clusters.
 *
 * @param p adjusted for the number of tests
 * @example
 * comparisonSentence(…);
 * //=> '"inflation": Democrat 12.3% (95% interval 8.1 to 16.5), Republican 9.1% (6.2 to 12) of mentions. The difference is 3.2
 * //    percentage points (-1.2 to 7.6), the ratio 1.35 (0.9 to 2.03), p = 0.15. 819 mentions of 169 speakers; 24 mentions without one are left out.'
 */
export function comparisonSentence(
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
  const sides = rates.map(({ rate, low, high }, at) => {
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
  const sizes = hasGroups ? rates : [a];
  const leftOut = a.left_out;
  const left = leftOut === 0 ? "" : `; ${formatCount(leftOut)} without one ${leftOut === 1 ? "is" : "are"} left out`;
  return [
    `${hasGroups ? `${quoted(a.pattern)}: ` : ""}${sides.join(", ")} ${unit}.`,
    `The difference is ${number(difference)}${isShare ? " percentage points" : ""} (${range(difference_low, difference_high)}),`,
    `${ratioText}, ${probabilityText(p, tests)}.`,
    ...rates.flatMap(({ note, largest_share: share }, at) => [
      ...(note === null ? [] : [`${labels[at]}: ${note}.`]),
      ...(share === null || share < LARGE
        ? []
        : [`One of the ${name} has ${shortNumber(100 * share)}% of the matches of ${labels[at]}.`]),
    ]),
    `${formatCount(sum(sizes.map((each) => each.rows)))} mentions of ${formatCount(comparison.clusters)} ${name}${left}.`,
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
