import { APIError, type ErrorResponse } from "../../errors/apiError.js";
import { AuthenticationError } from "../../errors/authenticationError.js";
import { NotFoundError } from "../../errors/notFoundError.js";
import { RateLimitError } from "../../errors/rateLimitError.js";
import { quoted } from "../../util/quoted.js";

/** An answer outside 2xx, as {@link errorFromResponse} takes it. */
export interface FailedAnswer {
  method: string;
  /** Path below the base URL, without the query. */
  path: string;
  /** The answer, already redacted and clipped. */
  response: ErrorResponse;
  /** Seconds of its Retry-After, if it had a readable one. */
  retryAfter?: number | undefined;
  /** How many attempts were made, this one included. Default 1. */
  attempts?: number;
}

/** A wait longer than this many seconds means that the quota is used up, a shorter one that the pace was too high. */
const LONGEST_THROTTLE = 300;

const PUBLIC_PROGRAM_ID = /^\/programs\/\d+-\d+$/;

/** Turns an answer outside 2xx into the error of its status, with a hint that fits it. */
export function errorFromResponse(answer: FailedAnswer): APIError {
  const { method, path, response, retryAfter } = answer;
  const { status } = response;
  const details = { method, path, statusCode: status, response };
  const say = (problem: string) =>
    `${method} ${path} answered ${status}${afterAttempts(answer.attempts)}: ${problem}${excerpt(response.body)}.`;

  if (status === 401 || status === 403) {
    const hint = "Check ARCHIVE_API_KEY or the apiKey option.";
    return new AuthenticationError(`${method} ${path} answered ${status}: the key was refused.`, {
      ...details,
      hint,
    });
  }
  if (status === 404) {
    return new NotFoundError(say("there is nothing"), { ...details, hint: notFoundHint(path) });
  }
  if (status === 429) {
    const quota = retryAfter !== undefined && retryAfter > LONGEST_THROTTLE;
    return new RateLimitError(say(quota ? "the quota of this key is used up" : "asked too fast"), {
      ...details,
      hint: waitHint(retryAfter, quota),
      retryAfter,
    });
  }
  if (status >= 500) {
    return new APIError(say("the service failed"), { ...details, code: "SERVER_ERROR", hint: failureHint(path) });
  }
  return new APIError(say("the request was not accepted"), { ...details, code: "HTTP_ERROR", hint: refusalHint(path) });
}

/** `" after 4 attempts"`, or nothing for the first. */
export function afterAttempts(attempts = 1): string {
  return attempts > 1 ? ` after ${attempts} attempts` : "";
}

function waitHint(retryAfter: number | undefined, quota: boolean): string {
  if (retryAfter === undefined) {
    return "Wait a minute and run it again; a lower concurrency or a higher backoffFactor asks more slowly.";
  }
  const wait = `Wait ${duration(retryAfter)} and run it again`;
  return quota
    ? `${wait}, or let the client wait: maxRetryWait: ${retryAfter}.`
    : `${wait}; more maxRetries or a lower concurrency helps.`;
}

function notFoundHint(path: string): string {
  return path.startsWith("/programs/")
    ? "Check the id: programs are looked up by the numeric id of a search result."
    : "Check the id, and that baseUrl ends with the version of the service, for example /2.0.";
}

function refusalHint(path: string): string {
  return PUBLIC_PROGRAM_ID.test(path)
    ? "Use the numeric id of the program (the id of a search result), not its public id."
    : "Check the parameters of the call.";
}

function failureHint(path: string): string {
  return path === "/programs/search"
    ? 'The service fails on date ranges such as date:[a TO b]: sort by "date desc" and filter the frame, or search mentions with mindate and maxdate.'
    : "Try again later, or raise maxRetries.";
}

/** The first words of a text body, quoted, so that control characters reach no terminal. HTML pages say nothing. */
function excerpt(body: string): string {
  const text = body.trim();
  return text === "" || text.startsWith("<") ? "" : ` (${quoted(text, 120)})`;
}

/** Seconds in words: `"12 seconds"`, `"1 hour (3600 seconds)"`. */
function duration(seconds: number): string {
  const plain = `${seconds} second${seconds === 1 ? "" : "s"}`;
  if (seconds < 120) return plain;
  const [size, unit] = seconds < 7200 ? [60, "minute"] : seconds < 172_800 ? [3600, "hour"] : [86_400, "day"];
  return `about ${Math.round(seconds / size)} ${unit}s (${plain})`;
}
