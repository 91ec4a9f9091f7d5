import type { QuotaOptions } from "../options.js";

/** Counts requests in windows of fixed length; a window begins with its first request. */
export class Quota {
  readonly #requests: number;
  readonly #milliseconds: number;
  readonly #now: () => number;
  #ends = Number.NEGATIVE_INFINITY;
  #taken = 0;

  /** @param now a clock in milliseconds that never runs backwards */
  constructor(options: QuotaOptions, now: () => number) {
    this.#requests = options.requests;
    this.#milliseconds = options.seconds * 1000;
    this.#now = now;
  }

  /** Takes one request: 0 where the quota has room, else the whole seconds to wait, at least 1. */
  take(): number {
    const now = this.#now();
    if (now >= this.#ends) {
      this.#ends = now + this.#milliseconds;
      this.#taken = 0;
    }
    if (this.#taken < this.#requests) {
      this.#taken++;
      return 0;
    }
    return Math.max(1, Math.ceil((this.#ends - now) / 1000));
  }
}
