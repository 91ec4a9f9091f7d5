/**
 * The log-likelihood statistic of two counts out of two totals (Dunning 1993), in the two-cell form of Rayson and Garside
 * (2000, "Comparing corpora using frequency profiling"). Above 3.84, 6.63, 10.83 and 15.13 the difference is significant at 5, 1,
 * 0.1 and 0.01 %, for a single term that was chosen beforehand.
 */
export function logLikelihood(a: number, b: number, totalA: number, totalB: number): number {
  const share = (a + b) / (totalA + totalB);
  return 2 * (term(a, totalA * share) + term(b, totalB * share));
}

/** O ln(O / E), which is 0 for O = 0. */
export function term(observed: number, expected: number): number {
  return observed === 0 ? 0 : observed * Math.log(observed / expected);
}
