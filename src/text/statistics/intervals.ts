import { gammaQuantile, normalBound } from "./gamma.js";

/** A confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The exact interval of the mean of a Poisson count (Garwood 1936, "Fiducial limits for the Poisson distribution", Biometrika 28).
 * It covers the mean with at least the given confidence, also for small counts and zero.
 *
 * @example
 * poissonInterval(10, 0.95); //=> { low: 4.795…, high: 18.390… }
 */
export function poissonInterval(count: number, confidence: number): Interval {
  const tail = (1 - confidence) / 2;
  return { low: count === 0 ? 0 : gammaQuantile(tail, count), high: gammaQuantile(1 - tail, count + 1) };
}

/**
 * The score interval of a proportion (Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA
 * 22). Brown, Cai and DasGupta (2001, Statistical Science 16) recommend it for small samples; unlike the textbook interval it never leaves 0 to 1.
 *
 * @example
 * wilsonInterval(0, 10, 0.95); //=> { low: 0, high: 0.2775… }
 */
export function wilsonInterval(count: number, total: number, confidence: number): Interval {
  const z = normalBound(confidence);
  const share = count / total;
  const middle = share + (z * z) / (2 * total);
  const half = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  const scale = 1 + (z * z) / total;
  return {
    low: count === 0 ? 0 : (middle - half) / scale,
    high: count === total ? 1 : (middle + half) / scale,
  };
}
