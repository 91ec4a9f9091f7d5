import { seededRandom } from "../../util/seededRandom.js";
import type { Interval } from "../statistics.js";
import type { UnitSums, Units } from "./units.js";

/**
 * Percentile intervals of differences of rates from samples of the clusters, drawn with replacement and with all of their rows (the pairs
 * cluster bootstrap of Cameron and Miller 2015, section VI). All comparisons share the samples. A sample without speech on one side is left out.
 *
 * @param comparisons the two sides of each, by cluster
 * @param unit what rates are multiplied by
 */
export function bootstrapDifferences(
  comparisons: ReadonlyArray<ReadonlyArray<readonly UnitSums[]>>,
  units: Units,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
  confidence: number,
  unit: number,
): (Interval | undefined)[] {
  const clusters = clusterSums(comparisons.flat(), units);
  const random = seededRandom(seed);
  const differences: number[][] = comparisons.map(() => []);
  const totals = new Float64Array(4 * comparisons.length);
  for (let round = 0; round < rounds; round++) {
    totals.fill(0);
    for (let nth = 0; nth < clusters.length; nth++) {
      const drawn = clusters[Math.floor(random() * clusters.length)] as Float64Array;
      for (let at = 0; at < totals.length; at++) totals[at] = (totals[at] as number) + (drawn[at] as number);
    }
    differences.forEach((own, at) => {
      const [count, denominator, other, otherDenominator] = totals.subarray(4 * at) as unknown as Four;
      const difference = count / denominator - other / otherDenominator;
      if (Number.isFinite(difference)) own.push(difference * unit);
    });
  }
  return differences.map((values) => (values.length === 0 ? undefined : percentiles(values, (1 - confidence) / 2)));
}

type Four = readonly [number, number, number, number];

/** The count and the denominator of each cluster on all sides. Sorted, so that samples do not depend on the order of rows. */
function clusterSums(sides: ReadonlyArray<readonly UnitSums[]>, units: Units): Float64Array[] {
  const found = new Map<number | undefined, Float64Array>();
  sides.forEach((sums, side) => {
    for (const { unit, count, denominator } of sums) {
      const cluster = units.clusterOf(unit);
      const own = found.get(cluster) ?? new Float64Array(2 * sides.length);
      own[2 * side] = (own[2 * side] as number) + count;
      own[2 * side + 1] = (own[2 * side + 1] as number) + denominator;
      found.set(cluster, own);
    }
  });
  const order = (a: Float64Array, b: Float64Array) =>
    a.reduce((less, value, at) => less || value - (b[at] as number), 0);
  return [...found.values()].sort(order);
}

/** The quantiles that leave out a tail on both sides, interpolated. */
export function percentiles(values: readonly number[], tail: number): Interval {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (p: number) => {
    const at = p * (sorted.length - 1);
    const below = sorted[Math.floor(at)] as number;
    return below + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] as number) - below);
  };
  return { low: quantile(tail), high: quantile(1 - tail) };
}
