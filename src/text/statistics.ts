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
  if (p <= 0) return 0;
  let [low, high] = [0, a + 1];
  while (gammaP(a, high) < p) [low, high] = [high, 2 * high];
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (gammaP(a, middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The z with which a standard normal variable lies between -z and z with the given probability. */
function normalBound(probability: number): number {
  return Math.sqrt(2 * gammaQuantile(probability, 0.5));
}
