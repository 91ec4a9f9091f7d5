import type { Random } from "./Random.js";

/** A list from which elements are drawn in proportion to their weights. */
export class Weighted<T> {
  readonly #items: readonly T[];
  readonly #sums: readonly number[];
  readonly #total: number;

  /** @param entries element and weight; weights are positive whole numbers */
  constructor(entries: readonly (readonly [T, number])[]) {
    let sum = 0;
    this.#items = entries.map(([item]) => item);
    this.#sums = entries.map(([, weight]) => {
      sum += weight;
      return sum;
    });
    this.#total = sum;
  }

  /** Draws one element; the list must not be empty. */
  draw(random: Random): T {
    const target = random.below(this.#total);
    let low = 0;
    let high = this.#sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sums[middle] ?? 0) > target) high = middle;
      else low = middle + 1;
    }
    const item = this.#items[low];
    if (item === undefined) throw new RangeError("draw() needs a list that is not empty");
    return item;
  }
}
