import { sum } from "../../util/sum.js";

/** The sums of a unit, by its index: matches, and the words, hours or mentions that they are a part of. */
export interface UnitSums {
  readonly unit: number;
  readonly count: number;
  readonly denominator: number;
}

/** What each unit, by its index, contributes to the error of an estimate. */
export type Influence = ReadonlyMap<number, number>;

/** A ratio of two sums over units. */
export interface ClusteredRatio {
  readonly value: number;
  readonly count: number;
  readonly denominator: number;
  readonly influence: Influence;
  readonly sums: readonly UnitSums[];
}

/** The fewest clusters for an interval of a rate, for one of a difference, and the fewest without a warning. */
export const MIN_CLUSTERS = 5;
export const PERMUTED_CLUSTERS = 15;
export const FEW_CLUSTERS = 30;
/** Uneven clusters count as few below this effective number. */
const UNEVEN_CLUSTERS = 25;

/** Whether intervals need the jackknife. */
export function isFew(clusters: number, effective: number): boolean {
  return clusters < FEW_CLUSTERS || effective < UNEVEN_CLUSTERS;
}

/** A ratio with the influence of each unit, by Taylor linearisation. */
export function clusteredRatio(sums: readonly UnitSums[]): ClusteredRatio {
  const count = sum(sums.map((each) => each.count));
  const denominator = sum(sums.map((each) => each.denominator));
  const value = count / denominator;
  const influence = new Map(sums.map((each) => [each.unit, (each.count - value * each.denominator) / denominator]));
  return { value, count, denominator, influence, sums };
}

/** The influence on an estimate by the jackknife. */
export interface Jackknifed {
  readonly influence: Influence;
  /** The effective number: this many clusters of equal size would be as concentrated. */
  readonly effective: number;
}

/**
 * The influence of each unit by the jackknife, which leaves out its whole cluster (Cameron and Miller 2015, section VI.B). Few clusters of different sizes need it.
 *
 * @param sizes what each unit has of the denominator
 * @param clusterOf the cluster, or page, of a unit
 */
export function jackknifed(influence: Influence, sizes: Influence, clusterOf: (unit: number) => unknown): Jackknifed {
  const owns = sumsBy(sizes, clusterOf);
  const total = sum([...owns.values()]);
  const left = (unit: number) => total - (owns.get(clusterOf(unit)) ?? 0);
  return {
    influence: new Map([...influence].map(([unit, value]) => [unit, (value * total) / left(unit)])),
    effective: total ** 2 / sum([...owns.values()].map((own) => own * own)),
  };
}

/** The sums of values by what their keys belong to. */
export function sumsBy<K, T>(values: Iterable<readonly [K, number]>, keyOf: (key: K) => T): Map<T, number> {
  const sums = new Map<T, number>();
  for (const [key, value] of values) sums.set(keyOf(key), (sums.get(keyOf(key)) ?? 0) + value);
  return sums;
}

/** The influence on a weighted sum of estimates. */
export function weightedInfluence(...parts: readonly (readonly [weight: number, influence: Influence])[]): Influence {
  const all = parts.flatMap(([weight, influence]) =>
    [...influence].map(([unit, value]) => [unit, weight * value] as const),
  );
  return sumsBy(all, (unit) => unit);
}
