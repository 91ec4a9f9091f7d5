/** A group with fewer clusters has no interval. */
export const MIN_CLUSTERS = 10;
/** A group with fewer clusters has a note. */
export const FEW_CLUSTERS = 30;

/** Matches by cluster, and the words, seconds or mentions that they are a part of. */
interface ClusterSums {
  readonly counts: Float64Array;
  readonly denominators: Float64Array;
}

export interface Ratio {
  readonly count: number;
  readonly denominator: number;
  /** NaN if nothing was said. */
  readonly value: number;
  /** The number of clusters with speech. */
  readonly clusters: number;
  readonly sums: ClusterSums;
}

export interface Design {
  /** The clusters of all groups together. */
  readonly clusters: number;
  readonly confidence: number;
}

/** An estimate. Interval and p value are null for too few clusters, or if nothing varies between them. */
interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly p: number | null;
}

export function ratioOf(sums: ClusterSums): Ratio {
  let [count, denominator, clusters] = [0, 0, 0];
  for (let cluster = 0; cluster < sums.counts.length; cluster++) {
    count += sums.counts[cluster] as number;
    denominator += sums.denominators[cluster] as number;
    if ((sums.denominators[cluster] as number) > 0) clusters++;
  }
  return { count, denominator, value: count / denominator, clusters, sums };
}

export function rateOf(ratio: Ratio, design: Design): Estimate {
  return estimateOf(ratio.value, [[1, ratio]], design);
}

export function differenceOf(a: Ratio, b: Ratio, design: Design): Estimate {
  const parts: Part[] = [
    [1, a],
    [-1, b],
  ];
  return estimateOf(a.value - b.value, parts, design);
}

/** The logarithm of the ratio of two rates above 0. */
export function logRatioOf(a: Ratio, b: Ratio, design: Design): Estimate {
  const parts: Part[] = [
    [1 / a.value, a],
    [-1 / b.value, b],
  ];
  return estimateOf(Math.log(a.value / b.value), parts, design);
}

/** A ratio of sums that an estimate depends on, with the derivative of the estimate. */
type Part = readonly [weight: number, ratio: Ratio];

/**
 * The one interval of this package: the linearised variance between clusters (Woodruff 1971, "A simple method for approximating the
 * variance of a complicated estimate", JASA 66), with the correction G / (G − 1), and Student's t with one degree of freedom less than
 * there are clusters with speech. Cameron and Miller (2015, "A practitioner's guide to cluster-robust inference", Journal of Human Resources
 * 50) explain when it holds: many clusters, none of which dominates. R's survey package computes the same.
 */
function estimateOf(value: number, parts: readonly Part[], { clusters, confidence }: Design): Estimate {
  const none = { value, low: null, high: null, p: null };
  if (parts.some(([, ratio]) => ratio.clusters < MIN_CLUSTERS)) return none;
  let [squares, speaking] = [0, -1];
  for (let cluster = 0; cluster < clusters; cluster++) {
    let [influence, isSpeaking] = [0, false];
    for (const [weight, { sums, value: rate, denominator }] of parts) {
      const ownDenominator = sums.denominators[cluster] as number;
      influence += (weight * ((sums.counts[cluster] as number) - rate * ownDenominator)) / denominator;
      isSpeaking ||= ownDenominator > 0;
    }
    squares += influence * influence;
    if (isSpeaking) speaking++;
  }
  const error = Math.sqrt((clusters / (clusters - 1)) * squares);
  // If nothing varies, rounding leaves an error of about 1e-17.
  const size = parts.reduce((largest, [weight, ratio]) => Math.max(largest, Math.abs(weight) * ratio.value), 0);
  if (!(error > 1e-12 * size)) return none;
  const half = tBound(confidence, speaking) * error;
  return { value, low: value - half, high: value + half, p: tProbability(value / error, speaking) };
}

/**
 * Adjusts p values for their number by Holm's step-down procedure (Holm 1979, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6), which bounds the chance of any false positive. Nulls are not tests.
 */
export function holmAdjust(values: readonly (number | null)[]): readonly (number | null)[] {
  const result = [...values];
  const tests = values.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((a, b) => a.p - b.p);
  let largest = 0;
  for (const [rank, { p, at }] of tests.entries()) {
    largest = Math.max(largest, Math.min(1, (tests.length - rank) * p));
    result[at] = largest;
  }
  return result;
}

/** The probability that a variable with Student's t distribution is at least as far from 0 as `t`. */
export function tProbability(t: number, degrees: number): number {
  return betaI(degrees / (degrees + t * t), degrees / 2, 0.5);
}

/** A cache: a table of terms needs few different bounds thousands of times. */
const bounds = new Map<string, number>();

/** The t such that a variable with Student's t distribution is between -t and t with this probability, by bisection. */
export function tBound(probability: number, degrees: number): number {
  const key = `${probability} ${degrees}`;
  const computed = bounds.get(key);
  if (computed !== undefined) return computed;
  let [low, high] = [0, 2];
  const isBelow = (t: number) => tProbability(t, degrees) > 1 - probability;
  while (isBelow(high)) [low, high] = [high, 2 * high];
  for (let step = 0; step < 100 && high - low > 1e-14 * high; step++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  bounds.set(key, (low + high) / 2);
  return (low + high) / 2;
}

/** The regularized incomplete beta function I(x; a, b), for a, b > 0: a continued fraction (DLMF 8.17.22). */
function betaI(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges quickly only below the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - betaI(1 - x, b, a);
  const scale = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let [c, result] = [1, d];
  for (let m = 1; m < 10_000; m++) {
    const before = result;
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const step of [even, odd]) {
      d = 1 / (1 + step * d);
      c = 1 + step / c;
      result *= d * c;
    }
    if (Math.abs(result - before) < 1e-15 * result) break;
  }
  return scale * result;
}

/** The logarithm of the gamma function for x > 0 (Lanczos approximation), to 13 digits. */
function logGamma(x: number): number {
  const [first = 0, ...coefficients] = LANCZOS;
  const t = x + 6.5;
  const sum = coefficients.reduce((total, coefficient, at) => total + coefficient / (x + at), first);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
