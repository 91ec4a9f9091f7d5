import type { PolarsFrame } from "../frames/polars.js";

const DAY = 86_400_000;
/** So many different days one after the other, none out of order, are no accident. */
const PROOF_DAYS = 10;
/** Nor is one page alone a proof: a search that is not sorted may begin with some rows that are. */
const PROOF_PAGES = 2;

/**
 * Whether the rows of a walk are sorted by date, as far as they have come, and past a bound: then no row to come can be within
 * it. A service may ignore the sort, or sort by day alone, in a time zone of its own; so every row of the walk counts, rows
 * may be out of order by less than a day, and the bound has to be passed by a whole day.
 */
export class DateOrder {
  #isSorted = true;
  #pages = 0;
  #days = 0;
  /** The day that was counted last, and the furthest timestamp so far. */
  #day: number | undefined;
  #furthest = Number.NEGATIVE_INFINITY;

  constructor(readonly bound: { readonly descending: boolean; readonly moment: number }) {}

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

  get isBeyond(): boolean {
    const { descending, moment } = this.bound;
    if (!this.#isSorted || this.#pages < PROOF_PAGES || this.#days < PROOF_DAYS) return false;
    return this.#furthest - DAY > (descending ? -moment : moment);
  }
}
