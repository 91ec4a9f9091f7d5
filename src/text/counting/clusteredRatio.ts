import { sum } from "../../util/sum.js";
import { tBound } from "../distributions.js";
import type { Interval } from "../statistics.js";

/** The sums of one cluster: matches, and the words, hours or mentions that they are a part of. */
export interface ClusterSums {
  readonly cluster: number;
  readonly count: number;
  readonly denominator: number;
}

/** How much each cluster, by its index, contributes to the error of an estimate. Clusters without rows contribute nothing. */
export type Influence = ReadonlyMap<number, number>;

/** A ratio of two sums over clusters. */
export interface ClusteredRatio {
  readonly value: number;
  readonly count: number;
  readonly denominator: number;
  readonly influence: Influence;
}

/** The fewest clusters for an interval, and the fewest without a warning. */
export const MIN_CLUSTERS = 5;
export const FEW_CLUSTERS = 30;

/** A ratio with the influence of each cluster, by Taylor linearisation. */
export function clusteredRatio(sums: readonly ClusterSums[]): ClusteredRatio {
  const count = sum(sums.map((each) => each.count));
  const denominator = sum(sums.map((each) => each.denominator));
  const value = count / denominator;
  const influence = new Map(sums.map((each) => [each.cluster, (each.count - value * each.denominator) / denominator]));
  return { value, count, denominator, influence };
}

/** The influence on a weighted sum of estimates. */
export function weightedInfluence(...parts: readonly (readonly [weight: number, influence: Influence])[]): Influence {
  const total = new Map<number, number>();
  for (const [weight, influence] of parts) {
    for (const [cluster, value] of influence) total.set(cluster, (total.get(cluster) ?? 0) + weight * value);
  }
  return total;
}

/**
 * The standard error of an estimate: the linearised variance between clusters (Woodruff 1971, "A simple method for approximating the
 * variance of a complicated estimate", JASA 66), with the correction G / (G − 1). Cameron and Miller (2015, "A practitioner's guide to
 * cluster-robust inference", Journal of Human Resources 50) explain when it holds: many clusters, none of which dominates. R's survey
 * package computes the same.
 *
 * @param clusters how many there are in all rows, those without rows in this estimate included
 */
export function standardError(influence: Influence, clusters: number): number {
  let squares = 0;
  for (const value of influence.values()) squares += value * value;
  return Math.sqrt((clusters / (clusters - 1)) * squares);
}

/** The interval of an estimate, by Student's t with one degree of freedom less than the clusters that contribute to it. */
export function clusteredInterval(
  value: number,
  influence: Influence,
  clusters: number,
  confidence: number,
): Interval & { readonly error: number; readonly degrees: number } {
  const error = standardError(influence, clusters);
  const degrees = influence.size - 1;
  const half = tBound(confidence, degrees) * error;
  return { low: value - half, high: value + half, error, degrees };
}
