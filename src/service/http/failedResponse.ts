import type { APIErrorCode, ErrorResponse } from "../../errors/index.js";
import { clip, quoted } from "../../util/text.js";
import { CHECK_PROXY, FailedAttempt, TRY_AGAIN, URL_OPTION } from "./failedAttempt.js";
import { DEFAULTS } from "./options.js";
import type { Secret } from "./secret.js";

const CHECK_VERSION = `Check that ${URL_OPTION} ends with the version of the service, for example /2.0.`;

/** Seconds. A longer Retry-After means that the quota is used up, a shorter one that requests came too fast. */
const MAX_THROTTLE = 300;
const MAX_BODY = 2000;

/**
 * The failure of an attempt with a response outside 2xx, with a hint that fits its status.
 *
 * @param retryAfter seconds that the response asks to wait
 */
export function failedResponse(
  response: ErrorResponse,
  retryAfter?: number,
  maxRetryWait: number = DEFAULTS.maxRetryWait,
): FailedAttempt {
  const wait = retryAfter ?? 0;
  const { status } = response;
  const isUsedUp =
    status === 429 && isGatewayError(response, "LimitExceededException", "Limit Exceeded", "Too Many Requests");
  const isFinal = isUsedUp || wait > maxRetryWait;
  const isQuota = isUsedUp || wait > MAX_THROTTLE;
  const fail = (code: APIErrorCode, problem: string, hint: string) =>
    new FailedAttempt(code, problem, hint, { response, isFinal, isQuota, retryAfter });
  const excerpt = excerptOf(response.body);

  if (status === 403 && isGatewayError(response, "MissingAuthenticationTokenException", "Missing Authentication Token"))
    return fail("NOT_FOUND", "the service has no such path", `The address is wrong, not the key. ${CHECK_VERSION}`);
  if (status === 403 && isProxyPage(response)) {
    const problem = "a firewall or proxy between you and the service refused it, with a web page";
    return fail("HTTP_ERROR", problem, "The service has not rejected the key. Ask whoever runs your network.");
  }
  if (status === 401 || status === 403) {
    // A body that echoes the request may contain a part of the key, so it is not quoted.
    const hint = "Check ARCHIVE_API_KEY or CSPAN_API_KEY, or the apiKey option.";
    return fail("AUTHENTICATION", "the API key was rejected", hint);
  }
  if (status === 404) {
    const hint = "Check the id: people and programs are looked up by the numeric id of a search result.";
    return fail("NOT_FOUND", `not found${excerpt}`, `${hint} ${CHECK_VERSION}`);
  }
  if (status === 407) return fail("HTTP_ERROR", `the proxy requires a password${excerpt}`, CHECK_PROXY);
  if (status === 429) {
    const problem = isQuota ? "the quota of this key is used up" : "too many requests";
    const hint = "Run it again when the quota resets, or use another key.";
    return fail("RATE_LIMITED", problem + excerpt, isUsedUp ? hint : waitHint(wait, maxRetryWait));
  }
  if (status >= 500) {
    const hint = wait > 0 ? waitHint(wait, maxRetryWait) : TRY_AGAIN;
    return fail("SERVER_ERROR", `server error${excerpt}`, hint);
  }
  if (status >= 300 && status < 400 && status !== 304) {
    const target = quoted(response.headers.location ?? "nowhere", 200);
    const problem = `the service redirects to ${target}, and redirects are not followed`;
    return fail("REDIRECT_REFUSED", problem, `Check ${URL_OPTION}.`);
  }
  return fail("HTTP_ERROR", `the request was rejected${excerpt}`, "Check the parameters of the call.");
}

function waitHint(seconds: number, maxRetryWait: number): string {
  const wait = seconds > 0 ? `Wait ${seconds} seconds` : "Wait a minute";
  const remedy = seconds > maxRetryWait ? `let the client wait: maxRetryWait: ${seconds}` : "lower concurrency";
  return `${wait} and run it again, or ${remedy}.`;
}

/** Whether AWS API Gateway, which fronts the live service, reports an error: by its message, or in its header if the message is not `other`. */
function isGatewayError({ headers, body }: ErrorResponse, type: string, message: string, other?: string): boolean {
  const text = messageOf(body);
  // The type may be followed by a colon and a URL.
  return text === message || (text !== other && headers["x-amzn-errortype"]?.split(":")[0] === type);
}

/** Where services put their message in a JSON body, even a clipped one: `{"error":{"message":"…"}}`. */
const MESSAGE = /"(?:message|detail|error_description|error|title)"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The message in a JSON body; otherwise the body. */
function messageOf(body: string): string {
  try {
    return String(JSON.parse(MESSAGE.exec(body)?.[1] ?? "")).trim();
  } catch {
    return body.trim();
  }
}

/** The message of a body, quoted. HTML error pages are left out. */
function excerptOf(body: string): string {
  const text = messageOf(body);
  return text === "" || text.startsWith("<") ? "" : ` (${quoted(text, 120)})`;
}

/** Whether a response is a web page of a proxy or firewall: it lacks the headers of the service's gateway. */
function isProxyPage({ headers, body }: ErrorResponse): boolean {
  const isPage = body.trim().startsWith("<") || /^text\/html/i.test(headers["content-type"] ?? "");
  return isPage && !Object.keys(headers).some((name) => /^x-am(zn|z-apigw)-/.test(name));
}

/** The response that errors carry: without the key, the body clipped to 2,000 characters. */
export function errorResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
  secret: Secret,
): ErrorResponse {
  // Redact before clipping: half a key at the end would not be recognized.
  const text = clip(secret.redact(body.toString("utf8")), MAX_BODY);
  return Object.freeze({ status, headers: Object.freeze(secret.redactAll(headers)), body: text });
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
