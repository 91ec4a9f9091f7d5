import { sum } from "../../util/sum.js";
import { tProbability } from "../distributions.js";
import { type ClusteredRatio, clusteredInterval, weightedInfluence } from "./clusteredRatio.js";

/** How two rates differ. Null where a rate is 0, which has no ratio, or where nothing varies. */
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
 * @param unit what rates are multiplied by
 * @param clusters how many there are in all rows
 */
export function differenceOf(
  a: ClusteredRatio,
  b: ClusteredRatio,
  { unit, clusters, confidence }: { readonly unit: number; readonly clusters: number; readonly confidence: number },
): Difference {
  const difference = a.value - b.value;
  const between = weightedInfluence([1, a.influence], [-1, b.influence]);
  const { low, high, error, degrees } = clusteredInterval(difference, between, clusters, confidence);
  const varies = error > 0;
  const both = a.count > 0 && b.count > 0;
  const ratio = both ? a.value / b.value : null;
  const logarithm = weightedInfluence([1 / a.value, a.influence], [-1 / b.value, b.influence]);
  const logs = ratio === null ? undefined : clusteredInterval(Math.log(ratio), logarithm, clusters, confidence);
  return {
    difference: difference * unit,
    difference_low: varies ? low * unit : null,
    difference_high: varies ? high * unit : null,
    ratio,
    ratio_low: logs === undefined ? null : Math.exp(logs.low),
    ratio_high: logs === undefined ? null : Math.exp(logs.high),
    p: varies ? tProbability(difference / error, degrees) : null,
  };
}

/** How much more one group changed than another. */
export interface Change {
  readonly change: number;
  readonly change_low: number | null;
  readonly change_high: number | null;
  readonly change_p: number | null;
}

/** The difference in differences of two groups, linearised over the clusters of all four rates; each is `[after, before]`. */
export function changeOf(
  [after, before]: readonly [ClusteredRatio, ClusteredRatio],
  [otherAfter, otherBefore]: readonly [ClusteredRatio, ClusteredRatio],
  { unit, clusters, confidence }: { readonly unit: number; readonly clusters: number; readonly confidence: number },
): Change {
  const parts = [
    [1, after],
    [-1, before],
    [-1, otherAfter],
    [1, otherBefore],
  ] as const;
  const change = sum(parts.map(([weight, { value }]) => weight * value));
  const influence = weightedInfluence(...parts.map(([weight, one]) => [weight, one.influence] as const));
  const { low, high, error, degrees } = clusteredInterval(change, influence, clusters, confidence);
  const [change_low, change_high] = error > 0 ? [low * unit, high * unit] : [null, null];
  const change_p = error > 0 ? tProbability(change / error, degrees) : null;
  return { change: change * unit, change_low, change_high, change_p };
}

/** How the p values of several tests are adjusted. */
export type Adjustment = "holm" | "bh" | "none";

/**
 * Adjusts p values for their number: Holm's step-down procedure (Holm 1979, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6) bounds the chance of any false finding, Benjamini and Hochberg's (1995, "Controlling the false
 * discovery rate", JRSS B 57) the expected share of false ones among the findings. Nulls are no tests.
 */
export function adjusted(values: readonly (number | null)[], adjustment: Adjustment): (number | null)[] {
  const order = [...values.keys()].filter((at) => values[at] !== null).sort((a, b) => valueAt(a) - valueAt(b));
  const result = [...values];
  const count = order.length;
  function valueAt(at: number): number {
    return values[at] as number;
  }
  if (adjustment === "none") return result;
  if (adjustment === "holm") {
    let largest = 0;
    order.forEach((at, rank) => {
      largest = Math.max(largest, Math.min(1, (count - rank) * valueAt(at)));
      result[at] = largest;
    });
    return result;
  }
  let least = 1;
  for (let rank = count; rank > 0; rank--) {
    const at = order[rank - 1] as number;
    least = Math.min(least, (count / rank) * valueAt(at));
    result[at] = least;
  }
  return result;
}
