import type { QuotaOptions } from "../options.js";

/** Limits requests per window of fixed length. A window begins with its first request. */
export class Quota {
  readonly #requests: number;
  readonly #milliseconds: number;
  readonly #now: () => number;
  #windowEnd = Number.NEGATIVE_INFINITY;
  #used = 0;

  /** @param now a monotonic clock, in milliseconds */
  constructor(options: QuotaOptions, now: () => number) {
    this.#requests = options.requests;
    this.#milliseconds = options.seconds * 1000;
    this.#now = now;
  }

  /** Counts one request. Returns 0 if it is within the quota, otherwise the seconds to wait, an integer from 1. */
  take(): number {
    const now = this.#now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + this.#milliseconds;
      this.#used = 0;
    }
    if (this.#used < this.#requests) {
      this.#used++;
      return 0;
    }
    return Math.max(1, Math.ceil((this.#windowEnd - now) / 1000));
  }
}
