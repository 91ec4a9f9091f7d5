import { tProbability } from "../statistics.js";
import { type ClusteredRatio, clusteredInterval, MIN_CLUSTERS, weightedInfluence } from "./clusters.js";

/** How two rates differ. Null where a rate is 0, which has no ratio, where nothing varies, or where too few clusters tell how much. */
export interface Difference {
  readonly difference: number;
  readonly difference_low: number | null;
  readonly difference_high: number | null;
  readonly ratio: number | null;
  readonly ratio_low: number | null;
  readonly ratio_high: number | null;
  /** Of the difference, two-sided. */
  readonly p: number | null;
}

/**
 * The difference of two rates and their ratio, with the intervals of the clusters that contribute to either of them. The ratio is
 * linearised on the logarithmic scale. A cluster that contributes to both makes them alike, which narrows the intervals.
 *
 * @param form the unit that rates are multiplied by, the number of clusters in all, the confidence
 */
export function differenceOf(
  a: ClusteredRatio,
  b: ClusteredRatio,
  form: { readonly unit: number; readonly clusters: number; readonly confidence: number },
): Difference {
  const { unit } = form;
  const value = a.value - b.value;
  const ratio = a.count > 0 && b.count > 0 ? a.value / b.value : null;
  const difference = value * unit;
  const none = { difference_low: null, difference_high: null, ratio_low: null, ratio_high: null, p: null };
  const { low, high, error, degrees } = clusteredInterval(
    value,
    weightedInfluence([1, a.influence], [-1, b.influence]),
    form,
  );
  if (Math.min(speaking(a), speaking(b)) < MIN_CLUSTERS || !(error > 0)) return { difference, ratio, ...none };
  const logarithm = weightedInfluence([1 / a.value, a.influence], [-1 / b.value, b.influence]);
  const logs = ratio === null ? undefined : clusteredInterval(Math.log(ratio), logarithm, form);
  return {
    difference,
    difference_low: low * unit,
    difference_high: high * unit,
    ratio,
    ratio_low: logs ? Math.exp(logs.low) : null,
    ratio_high: logs ? Math.exp(logs.high) : null,
    p: tProbability(value / error, degrees),
  };
}

/** How many clusters say anything. */
export function speaking({ sums }: ClusteredRatio): number {
  return sums.filter(({ denominator }) => denominator > 0).length;
}

/** How the p values of several tests are adjusted. */
export type Adjustment = (typeof ADJUSTMENTS)[number];

export const ADJUSTMENTS = ["holm", "none"] as const;

/**
 * Adjusts p values for their number by Holm's step-down procedure (Holm 1979, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6), which bounds the chance of any false finding. Nulls are no tests.
 */
export function adjusted(values: readonly (number | null)[], adjustment: Adjustment): readonly (number | null)[] {
  if (adjustment === "none") return values;
  const result = [...values];
  const tests = values.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((a, b) => a.p - b.p);
  let largest = 0;
  for (const [rank, { p, at }] of tests.entries()) {
    largest = Math.max(largest, Math.min(1, (tests.length - rank) * p));
    result[at] = largest;
  }
  return result;
}
