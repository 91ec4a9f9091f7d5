import { randomBytes } from "node:crypto";
import { mappedMemory, unmap } from "../../util/mappedMemory.js";

const FIRST_SLOTS = 1024;

/**
 * A hash table from integers (0 to 2^53 - 1) to 32-bit numbers, 12 bytes per slot: a million rows take 25 MB, several times
 * less than in a `Map`. The slot depends on a random seed per table, so nobody can choose keys that collide.
 */
export class NumberTable {
  #keys = new Float64Array(FIRST_SLOTS).fill(-1);
  #values = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  readonly #seed = randomBytes(4).readInt32LE();

  /** Returns the value of a key. If the key is new, sets it and returns undefined. */
  getOrSet(key: number, value: number): number | undefined {
    // At least a quarter of the slots stays free, so that probing stays short.
    if (4 * this.#size >= 3 * this.#keys.length) this.#grow();
    const at = this.#slot(key);
    if (this.#keys[at] === key) return this.#values[at];
    this.#keys[at] = key;
    this.#values[at] = value;
    this.#size++;
    return undefined;
  }

  /** The slot of a key, or the free slot for it. */
  #slot(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let at = mix(mix(key ^ this.#seed) ^ (key / 4294967296)) & mask;
    while (keys[at] !== -1 && keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    const slots = 2 * keys.length;
    this.#keys = new Float64Array(mappedMemory(8 * slots), 0, slots).fill(-1);
    this.#values = new Uint32Array(mappedMemory(4 * slots), 0, slots);
    for (let from = 0; from < keys.length; from++) {
      const key = keys[from] as number;
      if (key < 0) continue;
      const at = this.#slot(key);
      this.#keys[at] = key;
      this.#values[at] = values[from] as number;
    }
    // V8 would keep them for a while.
    if (keys.length === FIRST_SLOTS) return;
    unmap(keys.buffer);
    unmap(values.buffer);
  }
}

/** Mixes the bits of a value: every bit of the result depends on every bit of the input. */
function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
