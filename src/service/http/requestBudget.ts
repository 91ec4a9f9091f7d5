import { ArchiveError } from "../../errors/index.js";

/**
 * Counts down the HTTP requests that a call may still send: pages, retries, followed redirects. Responses from a journal
 * or a cache are free.
 *
 * @example
 * const budget = new RequestBudget(1);
 * budget.take(); //=> true
 * budget.take(); //=> false
 */
export class RequestBudget {
  #left: number;

  constructor(readonly maxRequests: number) {
    this.#left = maxRequests;
  }

  get isUsedUp(): boolean {
    return this.#left <= 0;
  }

  /** Takes `count` requests. If fewer are left, it takes none and returns false. */
  take(count = 1): boolean {
    if (count > this.#left) return false;
    this.#left -= count;
    return true;
  }

  /**
   * The error of a request that may not be sent.
   *
   * @param cause why the last attempt failed, if this would have been a retry
   */
  usedUpError(path: string, cause?: unknown): ArchiveError {
    const hint = "Raise maxRequests: retries and redirects count as well.";
    const what = `GET ${path} was not sent: maxRequests: ${this.maxRequests} is used up.`;
    return new ArchiveError(what, { code: "OUT_OF_REQUESTS", hint, cause });
  }
}
