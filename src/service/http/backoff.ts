/** Seconds. Doubling stops here. */
const MAX_BACKOFF = 300;

/**
 * Seconds to wait after a failed attempt without a Retry-After: `factor * 2^(attempt - 1)` plus up to 25 % jitter, so that
 * clients that failed together do not retry together.
 *
 * @param attempt the attempt that failed, counted from 1
 * @param factor seconds before the first retry
 * @param random from 0 to below 1
 * @example
 * backoff(3, 0.5, () => 0); //=> 2
 */
export function backoff(attempt: number, factor: number, random: () => number): number {
  const doubled = factor * 2 ** Math.min(attempt - 1, 64);
  return Math.min(doubled, Math.max(MAX_BACKOFF, factor)) * (1 + random() / 4);
}
