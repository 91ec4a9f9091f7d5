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
  const clusters = [...new Set(comparisons.flat(2).map(({ unit }) => units.clusterOf(unit) as number))];
  const random = seededRandom(seed);
  const drawn = new Map<number, number>();
  const differences: number[][] = comparisons.map(() => []);
  for (let round = 0; round < rounds; round++) {
    drawn.clear();
    for (let nth = 0; nth < clusters.length; nth++) {
      const cluster = clusters[Math.floor(random() * clusters.length)] as number;
      drawn.set(cluster, (drawn.get(cluster) ?? 0) + 1);
    }
    comparisons.forEach((sides, at) => {
      const [a, b] = sides.map((sums) => rateOf(sums, units, drawn)) as [number, number];
      if (Number.isFinite(a - b)) differences[at]?.push((a - b) * unit);
    });
  }
  return differences.map((values) => (values.length === 0 ? undefined : percentiles(values, (1 - confidence) / 2)));
}

function rateOf(sums: readonly UnitSums[], units: Units, drawn: ReadonlyMap<number, number>): number {
  let [count, denominator] = [0, 0];
  for (const each of sums) {
    const times = drawn.get(units.clusterOf(each.unit) as number) ?? 0;
    count += times * each.count;
    denominator += times * each.denominator;
  }
  return count / denominator;
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
