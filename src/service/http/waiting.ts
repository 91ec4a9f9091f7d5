/**
 * Reads a Retry-After header: seconds, or an HTTP date.
 *
 * @param now milliseconds since 1970, by the clock of the service
 * @returns seconds, rounded up; 0 for a past date; undefined if it is unreadable
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)), Number.MAX_SAFE_INTEGER);
  // Date.parse alone would accept many other texts.
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Seconds. Doubling stops here. */
const MAX_BACKOFF = 300;

/**
 * Seconds to wait after a failed attempt without a Retry-After: `factor * 2^(attempt - 1)` plus up to 25 % jitter, so that clients that
 * failed together do not retry together.
 */
export function backoff(attempt: number, factor: number, random: () => number): number {
  const doubled = factor * 2 ** Math.min(attempt - 1, 64);
  return Math.min(doubled, Math.max(MAX_BACKOFF, factor)) * (1 + random() / 4);
}
