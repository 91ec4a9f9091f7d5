/**
 * A pseudo-random number stream. The same seed and stream name give the same numbers on every machine.
 *
 * Uses 32-bit integer arithmetic only. The state is signed, because the engine stores integers above 2^31 as doubles, which is
 * slower.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /**
   * @param seed any safe integer
   * @param stream name of the stream; each collection has its own
   */
  constructor(seed: number, stream: string) {
    const key = `${seed}/${stream}`;
    this.#a = hash(key, 0x9e3779b9) | 0;
    this.#b = hash(key, 0x243f6a88) | 0;
    this.#c = hash(key, 0xb7e15162) | 0;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** The next integer, 0 to 2^32 - 1 (the "small fast counter" recurrence). */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  below(bound: number): number {
    return Math.floor((this.next() / 0x100000000) * bound);
  }

  /** An integer from `low` to `high`, inclusive. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() / 0x100000000 < probability;
  }

  /** One element of a non-empty list. */
  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new RangeError("pick() needs a non-empty list");
    return item;
  }

  /** Up to `count` distinct elements, in the order drawn. */
  sample<T>(list: readonly T[], count: number): T[] {
    const taken: T[] = [];
    const wanted = Math.min(count, list.length);
    for (let tries = 0; taken.length < wanted && tries < wanted * 20; tries++) {
      const item = this.pick(list);
      if (!taken.includes(item)) taken.push(item);
    }
    return taken;
  }
}

/** FNV-1a over UTF-16 units from a given basis, 32 bits. */
function hash(text: string, basis: number): number {
  let value = basis >>> 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/** A list whose elements are drawn in proportion to their weights, which are positive integers. */
export class WeightedList<T> {
  readonly #items: readonly T[];
  readonly #sums: readonly number[];

  constructor(entries: readonly (readonly [T, number])[]) {
    let sum = 0;
    this.#items = entries.map(([item]) => item);
    this.#sums = entries.map(([, weight]) => (sum += weight));
  }

  draw(random: Random): T {
    const target = random.below(this.#sums.at(-1) ?? 0);
    return this.#items[this.#sums.findIndex((sum) => sum > target)] as T;
  }
}
