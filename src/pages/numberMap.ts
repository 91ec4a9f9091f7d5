/** A map from whole numbers other than 0 to 32-bit ones, in 24 bytes for each: a Map takes 100, and twice that while it grows. */
export class NumberMap {
  #keys = new Float64Array(1024);
  #values = new Int32Array(1024);
  #size = 0;

  /** Adds a key with a value. @returns the value of a key that is there already */
  add(key: number, value: number): number | undefined {
    const keys = this.#keys;
    const last = keys.length - 1;
    let hash = Math.imul((key % 2 ** 32) ^ (key / 2 ** 32), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    let at = (hash ^ (hash >>> 16)) & last;
    while (keys[at] !== 0 && keys[at] !== key) at = (at + 1) & last;
    if (keys[at] === key) return this.#values[at];
    keys[at] = key;
    this.#values[at] = value;
    if (++this.#size > keys.length / 2) this.#grow(keys, this.#values);
    return undefined;
  }

  #grow(keys: Float64Array, values: Int32Array): void {
    [this.#keys, this.#values] = [new Float64Array(2 * keys.length), new Int32Array(2 * keys.length)];
    this.#size = 0;
    for (let at = 0; at < keys.length; at++) if (keys[at] !== 0) this.add(keys[at] as number, values[at] as number);
  }
}
