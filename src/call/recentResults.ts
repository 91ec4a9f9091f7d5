import type { AnyFetchedResult } from "../errors/index.js";

/** Number of results kept. */
const MAX_RESULTS = 20;

/** Number of rows kept besides the newest result, so that a long run does not accumulate its frames. */
const MAX_ROWS = 200_000;

/** The newest results of a client: a call in a list of calls may fail after others have fetched all their rows. */
export class RecentResults {
  #results: AnyFetchedResult[] = [];

  /** Newest first. */
  get all(): readonly AnyFetchedResult[] {
    return this.#results;
  }

  add(fetched: AnyFetchedResult): void {
    let rows = -fetched.rows;
    const fits = (each: AnyFetchedResult) => {
      rows += each.rows;
      return rows <= MAX_ROWS;
    };
    this.#results = [fetched, ...this.#results].slice(0, MAX_RESULTS).filter(fits);
  }
}
