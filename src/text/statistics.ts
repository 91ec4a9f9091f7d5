import { gammaQuantile, normalBound, tBound } from "./distributions.js";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The exact interval of the mean of a Poisson count (Garwood 1936, "Fiducial limits for the Poisson distribution", Biometrika 28).
 * It covers the mean with at least the given confidence, also for small counts and zero.
 */
export function poissonInterval(count: number, confidence: number): Interval {
  const tail = (1 - confidence) / 2;
  return { low: count === 0 ? 0 : gammaQuantile(tail, count), high: gammaQuantile(1 - tail, count + 1) };
}

/**
 * The score interval of a proportion (Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA
 * 22). Brown, Cai and DasGupta (2001, Statistical Science 16) recommend it for small samples; unlike the textbook interval it never leaves 0 to 1.
 */
export function wilsonInterval(
  count: number,
  total: number,
  confidence: number,
  z = normalBound(confidence),
): Interval {
  const share = count / total;
  const middle = share + (z * z) / (2 * total);
  const half = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  const scale = 1 + (z * z) / total;
  return {
    low: count === 0 ? 0 : (middle - half) / scale,
    high: count === total ? 1 : (middle + half) / scale,
  };
}

/**
 * Wilson's interval of a share with a standard error of its own: of as many independent rows as would be as precise, with Student's t (Korn and Graubard 1998,
 * "Confidence intervals for proportions with small expected number of positive counts estimated from survey data", Survey Methodology 24, do so with exact ones).
 *
 * @param units how many rows or clusters there are, which say how sure a share is that does not vary
 */
export function shareInterval(
  value: number,
  { error, degrees }: { readonly error: number; readonly degrees: number },
  units: number,
  confidence: number,
): Interval {
  const share = Math.min(1, Math.max(0, value));
  const isVaried = error > 1e-12 && share > 0 && share < 1;
  const rows = isVaried ? (share * (1 - share)) / error ** 2 : units;
  return wilsonInterval(
    share * rows,
    rows,
    confidence,
    isVaried ? tBound(confidence, Math.max(1, degrees)) : undefined,
  );
}

/**
 * The log-likelihood statistic of two counts out of two totals (Dunning 1993), in the two-cell form of Rayson and Garside
 * (2000, "Comparing corpora using frequency profiling"). Above 3.84, 6.63, 10.83 and 15.13 the difference is significant at 5, 1,
 * 0.1 and 0.01 %, for a single term that was chosen beforehand.
 */
export function logLikelihood(a: number, b: number, totalA: number, totalB: number): number {
  const share = (a + b) / (totalA + totalB);
  return 2 * (observedTerm(a, totalA * share) + observedTerm(b, totalB * share));
}

/** O ln(O / E), which is 0 for O = 0. */
export function observedTerm(observed: number, expected: number): number {
  return observed === 0 ? 0 : observed * Math.log(observed / expected);
}
