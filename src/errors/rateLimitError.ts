import { APIError, type APIErrorDetails } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/** What a {@link RateLimitError} is built from. */
export interface RateLimitErrorDetails extends APIErrorDetails {
  retryAfter?: number | undefined;
}

/**
 * 429: asked too fast, or the quota of the key is used up; the message tells which, by how long the service asks to
 * wait. It is thrown when the retries are used up, or at once when the wait would be longer than `maxRetryWait`.
 *
 * @example
 * if (error instanceof RateLimitError) console.log(`come back in ${error.retryAfter ?? 60} seconds`);
 * //=> come back in 12 seconds
 */
export class RateLimitError extends APIError {
  /** Seconds to wait, a whole number, rounded up; absent when the service did not say. */
  declare readonly retryAfter?: number;

  static {
    nameClass(RateLimitError, "RateLimitError");
  }

  constructor(what = "", details: RateLimitErrorDetails = {}) {
    super(what, { code: "RATE_LIMITED", ...details });
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
  }
}
