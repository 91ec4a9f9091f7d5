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

/** The logarithm of the gamma function for x > 0 (Lanczos approximation), to 13 digits. */
function logGamma(x: number): number {
  const [first = 0, ...rest] = LANCZOS;
  const t = x + 6.5;
  const sum = rest.reduce((total, coefficient, at) => total + coefficient / (x + at), first);
  return HALF_LOG_2PI + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const HALF_LOG_2PI = 0.5 * Math.log(2 * Math.PI);
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The regularized lower incomplete gamma function P(a, x): the distribution function of a gamma variable with shape a > 0. */
function gammaP(a: number, x: number): number {
  if (x <= 0) return 0;
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? scale * series(a, x) : 1 - scale * continuedFraction(a, x);
}

/** Both converge within some multiple of the square root of a. */
const TINY = 1e-16;

function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = a + 1; term > sum * TINY; n++) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

function continuedFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let result = d;
  for (let n = 1; n < 100_000; n++) {
    const step = n * (a - n);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    const change = d * c;
    result *= change;
    if (Math.abs(change - 1) < TINY * 10) break;
  }
  return result;
}

/** The x with gammaP(a, x) = p, for 0 ≤ p < 1, by bisection on a bracket around the mean. */
function gammaQuantile(p: number, a: number): number {
  return p <= 0 ? 0 : bisected(a + 1, 1e-12, (x) => gammaP(a, x) < p);
}

/** Where a condition on a number from 0 stops to hold (`guess` is a first bound). */
function bisected(guess: number, tolerance: number, isBelow: (x: number) => boolean): number {
  let [low, high] = [0, guess];
  while (isBelow(high)) [low, high] = [high, 2 * high];
  for (let step = 0; step < 100 && high - low > tolerance * high; step++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The z with which a standard normal variable lies between -z and z with the given probability. */
function normalBound(probability: number): number {
  return Math.sqrt(2 * gammaQuantile(probability, 0.5));
}

/** The regularized incomplete beta function I(x; a, b), for a, b > 0: a continued fraction (DLMF 8.17.22). */
function betaI(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges fast below the mean only.
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
    if (Math.abs(result - before) < TINY * 10 * result) break;
  }
  return scale * result;
}

/** The probability that a variable with Student's t distribution is at least as far from 0 as `t`. */
export function tProbability(t: number, degrees: number): number {
  return betaI(degrees / (degrees + t * t), degrees / 2, 0.5);
}

/** The t with which a variable with Student's t distribution lies between -t and t with the given probability. */
export function tBound(probability: number, degrees: number): number {
  return bisected(2, 1e-14, (t) => tProbability(t, degrees) > 1 - probability);
}
