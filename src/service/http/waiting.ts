import type { ErrorResponse } from "../../errors/index.js";

/** What a refusal means, and what to do about it. */
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
export function refusalOf(response: ErrorResponse, retryAfter: number | undefined, maxRetryWait: number): Refusal {
  const isUsedUp =
    response.status === 429 && gatewaySays(response, "LimitExceededException", "Limit Exceeded", "Too Many Requests");
  const isQuota = isUsedUp || (retryAfter ?? 0) > MAX_THROTTLE;
  const isFinal = isUsedUp || (retryAfter ?? 0) > maxRetryWait;
  if (isUsedUp && retryAfter === undefined) {
    const problem = "the quota of this key is used up until its day, week or month is over";
    return { isQuota, isFinal, problem, hint: "No request helps before then. Run it again then, or use another key." };
  }
  const problem = isQuota ? "the quota of this key is used up" : "too many requests";
  return { isQuota, isFinal, problem, hint: waitHint(retryAfter, isUsedUp ? Number.POSITIVE_INFINITY : maxRetryWait) };
}

/** What to do about a response that may ask to wait. */
export function waitHint(retryAfter: number | undefined, maxRetryWait: number): string {
  // A wait that is over already has not helped.
  if (!retryAfter) {
    return "Wait a minute and run it again. A lower concurrency or a higher backoffFactor sends requests more slowly.";
  }
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
  const [size, unit] = seconds < 7200 ? [60, "minute"] : seconds < 172_800 ? [3600, "hour"] : [86_400, "day"];
  return `about ${Math.round(seconds / size)} ${unit}s (${exact})`;
}

/** The three date formats of HTTP: the current one, RFC 850 and asctime. `Date.parse` alone would accept many other texts. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** From these numbers on, a value means seconds, or milliseconds, since 1970: as seconds from now it would be 31 years. */
const [FIRST_EPOCH, FIRST_EPOCH_MS] = [1e9, 1e12];

/**
 * The seconds that a response asks to wait: its Retry-After, or else, of a 429, the reset of its rate limit.
 * @param now milliseconds since 1970, by the clock of the service
 */
export function retryAfterOf(
  { status, headers }: Pick<ErrorResponse, "status" | "headers">,
  now: number,
): number | undefined {
  const { "retry-after": retryAfter } = headers;
  if (retryAfter !== undefined || status !== 429) return parseRetryAfter(retryAfter, now);
  return parseRetryAfter(headers["ratelimit-reset"], now) ?? parseRetryAfter(headers["x-ratelimit-reset"], now);
}

/**
 * Reads a Retry-After header: seconds from now or since 1970, or an HTTP date.
 * @returns seconds, rounded up; 0 for a past date; undefined if it is unreadable
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  const until = (ms: number) => Math.max(0, Math.ceil((ms - now) / 1000));
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number < FIRST_EPOCH) return Math.ceil(number);
    return Math.min(until(number < FIRST_EPOCH_MS ? number * 1000 : number), Number.MAX_SAFE_INTEGER);
  }
  const { day, month, year = "", time } = HTTP_DATES.map((form) => form.exec(text)?.groups).find(Boolean) ?? {};
  const date = Date.parse(`${day} ${month} ${year.length === 2 ? nearestYear(Number(year), now) : year} ${time} GMT`);
  return Number.isNaN(date) ? undefined : until(date);
}

/** The year with these last two digits that is nearest to now. */
function nearestYear(digits: number, now: number): number {
  const year = new Date(now).getUTCFullYear();
  return year + ((((digits - year) % 100) + 150) % 100) - 50;
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

/** The message in a JSON body. */
export function messageOf(body: string): string | undefined {
  try {
    const text: unknown = JSON.parse(MESSAGE.exec(body)?.[1] ?? body);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
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
  const said = (messageOf(body) ?? body).trim();
  // The type may be followed by a colon and a URL.
  return said === message || (said !== other && headers["x-amzn-errortype"]?.split(":")[0]?.trim() === type);
}
