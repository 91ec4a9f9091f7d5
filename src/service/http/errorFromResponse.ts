import {
  APIError,
  AuthenticationError,
  type ErrorResponse,
  NotFoundError,
  RateLimitError,
} from "../../errors/index.js";
import { inApi, type Wording, wording } from "../../errors/wording.js";
import { isObject } from "../../util/isObject.js";
import { clip, quoted } from "../../util/quoted.js";
import type { Secret } from "./secret.js";

/** A response outside 2xx. */
export interface FailedResponse {
  method: string;
  /** Path below the base URL, without the query. */
  path: string;
  /** The response, already redacted and clipped. */
  response: ErrorResponse;
  /** Seconds from its Retry-After, if readable. */
  retryAfter?: number | undefined;
  /** Attempts made, this one included. Default 1. */
  attempts?: number;
}

/** Seconds. A longer Retry-After means that the quota is used up, a shorter one that requests came too fast. */
const MAX_THROTTLE = 300;

/** Characters of a body that an error keeps. */
const MAX_BODY = 2000;

const PUBLIC_PROGRAM_ID = /^\/programs\/\d+-\d+$/;

/** The error for a response outside 2xx, with a hint that fits its status. */
export function errorFromResponse({ method, path, response, retryAfter, attempts }: FailedResponse): APIError {
  const { status } = response;
  const details = { method, path, statusCode: status, response };
  const failed = `${method} ${path} failed with status ${status}`;
  const message = (problem: string) => `${failed}${afterAttempts(attempts)}: ${problem}${excerpt(response.body)}.`;

  if (status === 401 || status === 403) {
    // A body that echoes the request may contain a part of the key, so it is not quoted.
    const hint = wording`Check ARCHIVE_API_KEY${inApi(" or the apiKey option")}.`;
    return new AuthenticationError(`${failed}: the API key was rejected.`, { ...details, hint });
  }
  if (status === 404) {
    return new NotFoundError(message("not found"), { ...details, hint: notFoundHint(path) });
  }
  if (status === 429) {
    const isQuota = retryAfter !== undefined && retryAfter > MAX_THROTTLE;
    const problem = isQuota ? "the quota of this key is used up" : "too many requests";
    return new RateLimitError(message(problem), { ...details, hint: waitHint(retryAfter, isQuota), retryAfter });
  }
  if (status >= 500) {
    return new APIError(message("server error"), { ...details, code: "SERVER_ERROR", hint: serverErrorHint(path) });
  }
  const hint = PUBLIC_PROGRAM_ID.test(path)
    ? "Use the numeric id of the program (the id of a search result), not its public id."
    : "Check the parameters of the call.";
  return new APIError(message("the request was rejected"), { ...details, code: "HTTP_ERROR", hint });
}

/** A response as errors keep it: without the key, the body clipped to 2,000 characters. */
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

/** `" after 4 attempts"`, or nothing for the first. */
export function afterAttempts(attempts = 1): string {
  return attempts > 1 ? ` after ${attempts} attempts` : "";
}

function waitHint(retryAfter: number | undefined, isQuota: boolean): Wording {
  if (retryAfter === undefined) {
    return wording`Wait a minute and run it again.${inApi(" A lower concurrency or a higher backoffFactor sends requests more slowly.")}`;
  }
  const wait = `Wait ${duration(retryAfter)} and run it again`;
  return isQuota
    ? wording`${wait}${inApi(`, or let the client wait: maxRetryWait: ${retryAfter}`)}.`
    : wording`${wait}${inApi(", or use a higher maxRetries or a lower concurrency")}.`;
}

function notFoundHint(path: string): Wording {
  return path.startsWith("/programs/")
    ? "Check the id: programs are looked up by the numeric id of a search result."
    : wording`Check the id, and that ${inApi("baseUrl", "ARCHIVE_BASE_URL")} ends with the version of the service, for example /2.0.`;
}

function serverErrorHint(path: string): Wording {
  return path === "/programs/search"
    ? 'The service fails on date ranges such as date:[a TO b]: sort by "date desc" and filter the frame, or search mentions with mindate and maxdate.'
    : wording`Try again later${inApi(", or raise maxRetries")}.`;
}

/** The beginning of a plain-text body, quoted; of a JSON body its message. HTML error pages are left out. */
function excerpt(body: string): string {
  const text = jsonMessage(body) ?? body.trim();
  return text === "" || text.startsWith("<") ? "" : ` (${quoted(text, 120)})`;
}

/** Where services put their message, in order of preference. */
const MESSAGE_MEMBERS = ["message", "detail", "error_description", "error", "title"];

/** The message in a JSON body: `{"error":{"message":"…"}}`, `{"detail":"…"}` and the like. */
function jsonMessage(body: string): string | undefined {
  try {
    let found: unknown = JSON.parse(body);
    for (let depth = 0; depth < 4; depth++) {
      if (typeof found === "string") return found.trim();
      if (!isObject(found)) return undefined;
      const members: Readonly<Record<string, unknown>> = found;
      found = MESSAGE_MEMBERS.map((name) => members[name]).find(
        (value) => isObject(value) || typeof value === "string",
      );
    }
  } catch {
    // Plain text, or clipped.
  }
  return undefined;
}

/** Seconds in words: `"12 seconds"`, `"about 60 minutes (3600 seconds)"`. */
function duration(seconds: number): string {
  const exact = `${seconds} second${seconds === 1 ? "" : "s"}`;
  if (seconds < 120) return exact;
  const [size, unit] = seconds < 7200 ? [60, "minute"] : seconds < 172_800 ? [3600, "hour"] : [86_400, "day"];
  return `about ${Math.round(seconds / size)} ${unit}s (${exact})`;
}
