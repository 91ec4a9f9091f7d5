import type { ErrorResponse } from "../../errors/index.js";

/** What a response that asks to wait means, and what to do about it. */
export interface Refusal {
  /** The quota of the key is used up; otherwise requests came too fast. */
  readonly isQuota: boolean;
  /** No retry of this client can help. */
  readonly isFinal: boolean;
  /** What was refused, in words. */
  readonly problem: string;
  readonly hint: string;
}

/** Seconds. A longer Retry-After means that the quota is used up, a shorter one that requests came too fast. */
const MAX_THROTTLE = 300;

/** Decides whether a 429 is a throttle or a used-up quota, and whether any response that asks for a wait gets it. */
export function refusalOf(response: ErrorResponse, seconds: number | undefined, maxRetryWait: number): Refusal {
  const retryAfter = seconds ?? 0;
  const isUsedUp =
    response.status === 429 && gatewaySays(response, "LimitExceededException", "Limit Exceeded", "Too Many Requests");
  const isQuota = isUsedUp || retryAfter > MAX_THROTTLE;
  const isFinal = isUsedUp || retryAfter > maxRetryWait;
  if (isUsedUp && retryAfter === 0) {
    const problem = "the quota of this key is used up until its day, week or month is over";
    return { isQuota, isFinal, problem, hint: "No request helps before then. Run it again then, or use another key." };
  }
  const problem = isQuota ? "the quota of this key is used up" : "too many requests";
  return { isQuota, isFinal, problem, hint: waitHint(retryAfter, isUsedUp ? Number.POSITIVE_INFINITY : maxRetryWait) };
}

function waitHint(retryAfter: number, maxRetryWait: number): string {
  // A wait that is over already has not helped.
  if (retryAfter === 0)
    return "Wait a minute and run it again. A lower concurrency or a higher backoffFactor sends requests more slowly.";
  const wait = `Wait ${duration(retryAfter)} and run it again`;
  if (retryAfter > maxRetryWait) return `${wait}, or let the client wait: maxRetryWait: ${retryAfter}.`;
  return maxRetryWait === Number.POSITIVE_INFINITY
    ? `${wait}.`
    : `${wait}, or use a higher maxRetries or a lower concurrency.`;
}

/** Seconds in words: `"12 seconds"`, `"about 60 minutes (3600 seconds)"`. */
function duration(seconds: number): string {
  const exact = `${seconds} second${seconds === 1 ? "" : "s"}`;
  if (seconds < 120) return exact;
  return seconds < 7200
    ? `about ${Math.round(seconds / 60)} minutes (${exact})`
    : `about ${Math.round(seconds / 3600)} hours (${exact})`;
}

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

/** Where services put their message in a JSON body, even a clipped one: `{"error":{"message":"…"}}`. */
const MESSAGE = /"(?:message|detail|error_description|error|title)"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The message in a JSON body; otherwise the body. */
export function messageOf(body: string): string {
  try {
    const text: unknown = JSON.parse(MESSAGE.exec(body)?.[1] ?? body);
    return (typeof text === "string" ? text : body).trim();
  } catch {
    return body.trim();
  }
}

/**
 * Whether AWS API Gateway, which the live service stands behind, gives an error of a type: by its message, or in its header unless the
 * message is `other`.
 */
export function gatewaySays(
  { headers, body }: Pick<ErrorResponse, "headers" | "body">,
  type: string,
  message: string,
  other?: string,
): boolean {
  const text = messageOf(body);
  // The type may be followed by a colon and a URL.
  return text === message || (text !== other && headers["x-amzn-errortype"]?.split(":")[0]?.trim() === type);
}
