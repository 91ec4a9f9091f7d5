import { APIError, type StatusErrorDetails } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/** The members of a new {@link RateLimitError}. */
export interface RateLimitErrorDetails extends StatusErrorDetails {
  /** Seconds. */
  retryAfter?: number | undefined;
}

/**
 * 429: too many requests, or the quota of the key is used up; the message says which, judging by Retry-After. Thrown
 * after the last retry, or immediately if the service asks for a wait longer than `maxRetryWait`.
 *
 * @example
 * if (error instanceof RateLimitError) console.log(`retry in ${error.retryAfter ?? 60} seconds`);
 * //=> retry in 12 seconds
 */
export class RateLimitError extends APIError {
  declare readonly code: "RATE_LIMITED";
  /** Seconds to wait, rounded up to a whole number; absent if the response had no readable Retry-After. */
  declare readonly retryAfter?: number;

  static {
    nameClass(RateLimitError, "RateLimitError");
  }

  constructor(what = "", details: RateLimitErrorDetails = {}) {
    super(what, { ...details, code: "RATE_LIMITED" });
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
  }
}
