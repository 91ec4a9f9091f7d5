import type { PolarsFrame } from "../frames/polars.js";

const DAY = 86_400_000;
/** That many different days in order are no accident. */
const PROOF_DAYS = 10;
/** One page is no proof: a search that is not sorted may begin with some rows in order. */
const PROOF_PAGES = 2;

/**
 * Proves that a search is sorted by date and has passed a bound, so that no later row can be within it.
 *
 * The service may ignore the sort, or sort by day alone in a time zone of its own. Therefore every row is checked, rows may
 * be out of order by less than a day, and the bound must be passed by a whole day.
 */
export class DateOrder {
  #isSorted = true;
  #pages = 0;
  #days = 0;
  /** The day that was counted last. */
  #day: number | undefined;
  /** The furthest date so far, in the direction of the sort. */
  #furthest = Number.NEGATIVE_INFINITY;

  constructor(readonly bound: { readonly descending: boolean; readonly timestamp: number }) {}

  add(rows: PolarsFrame): void {
    if (rows.height === 0 || !this.#isSorted) return;
    this.#pages++;
    const sign = this.bound.descending ? -1 : 1;
    for (const date of rows.getColumn("date").toArray() as Iterable<unknown>) {
      if (!(date instanceof Date) || sign * date.getTime() <= this.#furthest - DAY) {
        this.#isSorted = false;
        return;
      }
      const time = sign * date.getTime();
      this.#furthest = Math.max(this.#furthest, time);
      if (this.#day !== undefined && time < this.#day + DAY) continue;
      this.#day = time;
      this.#days++;
    }
  }

  /** The order is proven and the bound is passed. */
  get isBeyond(): boolean {
    const { descending, timestamp } = this.bound;
    if (!this.#isSorted || this.#pages < PROOF_PAGES || this.#days < PROOF_DAYS) return false;
    return this.#furthest - DAY > (descending ? -timestamp : timestamp);
  }
}
