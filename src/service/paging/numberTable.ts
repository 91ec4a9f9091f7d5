import { randomBytes } from "node:crypto";
import { mix } from "./rowHash.js";

/**
 * A map from whole numbers (from 0 to 2^53 - 1) to numbers of 32 bits, in 12 bytes for each place: a harvest of a million
 * rows remembers them in 25 MB, where a `Map` takes several times that. Where a number lies depends on a key that is drawn
 * for each table, so nobody can choose numbers that all lie in one place.
 */
export class NumberTable {
  #keys = new Float64Array(1024).fill(-1);
  #values = new Uint32Array(1024);
  #size = 0;
  readonly #seed = randomBytes(4).readInt32LE();

  /** The value of a number that is there; else sets it and returns undefined. */
  getOrSet(key: number, value: number): number | undefined {
    // Free places are what makes a search short: at least a quarter of all.
    if (4 * this.#size >= 3 * this.#keys.length) this.#grow();
    const at = this.#place(key);
    if (this.#keys[at] === key) return this.#values[at];
    this.#keys[at] = key;
    this.#values[at] = value;
    this.#size++;
    return undefined;
  }

  /** Where a number lies, or the free place for it. */
  #place(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let at = mix(mix(key ^ this.#seed) ^ (key / 4294967296)) & mask;
    while (keys[at] !== -1 && keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length).fill(-1);
    this.#values = new Uint32Array(2 * keys.length);
    for (let from = 0; from < keys.length; from++) {
      const key = keys[from] as number;
      if (key < 0) continue;
      const at = this.#place(key);
      this.#keys[at] = key;
      this.#values[at] = values[from] as number;
    }
  }
}
