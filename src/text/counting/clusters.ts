import { sum } from "../../util/sum.js";
import { type Interval, tBound } from "../statistics.js";

/** The sums of a cluster: matches, and the words, hours or mentions that they are a part of. */
export interface ClusterSums {
  /** Undefined for rows without a cluster, which count where no row has one. */
  readonly cluster: number | undefined;
  readonly count: number;
  readonly denominator: number;
}

/** What each cluster contributes to the error of an estimate. */
type Influence = ReadonlyMap<number | undefined, number>;

export interface ClusteredRatio {
  readonly value: number;
  readonly count: number;
  readonly denominator: number;
  readonly influence: Influence;
  readonly sums: readonly ClusterSums[];
}

/** Fewer clusters are refused, have no interval, or get a warning. */
export const REFUSED_CLUSTERS = 5;
export const MIN_CLUSTERS = 10;
export const FEW_CLUSTERS = 30;

/** A ratio with the influence of each cluster, by Taylor linearisation. */
export function clusteredRatio(sums: readonly ClusterSums[]): ClusteredRatio {
  const count = sum(sums.map((each) => each.count));
  const denominator = sum(sums.map((each) => each.denominator));
  const value = count / denominator;
  const influence = new Map(sums.map((each) => [each.cluster, (each.count - value * each.denominator) / denominator]));
  return { value, count, denominator, influence, sums };
}

/** The influence on a weighted sum of estimates. */
export function weightedInfluence(...parts: readonly (readonly [weight: number, influence: Influence])[]): Influence {
  const sums = new Map<number | undefined, number>();
  for (const [weight, influence] of parts)
    for (const [cluster, value] of influence) sums.set(cluster, (sums.get(cluster) ?? 0) + weight * value);
  return sums;
}

/**
 * The standard error of an estimate: the linearised variance between clusters (Woodruff 1971, "A simple method for approximating the
 * variance of a complicated estimate", JASA 66), with the correction G / (G − 1). Cameron and Miller (2015, "A practitioner's guide to
 * cluster-robust inference", Journal of Human Resources 50) explain when it holds: many clusters, none of which dominates. R's survey
 * package computes the same.
 *
 * @param clusters how many there are in all
 */
export function clusteredError(influence: Influence, clusters: number): number {
  return Math.sqrt((clusters / (clusters - 1)) * sum([...influence.values()].map((value) => value * value)));
}

/** The interval of an estimate, by Student's t with one degree of freedom less than the clusters that contribute to it. */
export function clusteredInterval(
  value: number,
  influence: Influence,
  { clusters, confidence }: { readonly clusters: number; readonly confidence: number },
): Interval & { readonly error: number; readonly degrees: number } {
  const error = clusteredError(influence, clusters);
  const degrees = influence.size - 1;
  const half = degrees > 0 ? tBound(confidence, degrees) * error : Number.NaN;
  return { low: value - half, high: value + half, error, degrees };
}
