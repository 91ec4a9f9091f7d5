import { ArchiveError } from "../../errors/index.js";

/**
 * Counts the requests that a call may still send. Whatever goes over the wire takes one first: pages, retries, followed
 * redirects. Answers from a journal or a cache are free.
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

  /** Whether no request may be sent any more. */
  get isUsedUp(): boolean {
    return this.#left <= 0;
  }

  /** Takes `count` requests, or none and returns false where fewer are left. */
  take(count = 1): boolean {
    if (count > this.#left) return false;
    this.#left -= count;
    return true;
  }

  /**
   * The error of a request that may not be sent.
   *
   * @param cause why the last attempt failed, where this was to be a retry
   */
  refuse(path: string, cause?: unknown): ArchiveError {
    const hint = "Raise maxRequests: retries and redirects count as well.";
    const what = `GET ${path} was not answered: maxRequests: ${this.maxRequests} allows no further request.`;
    return new ArchiveError(what, { code: "OUT_OF_REQUESTS", hint, cause });
  }
}
