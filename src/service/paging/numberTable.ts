import { randomBytes } from "node:crypto";
import { mappedMemory, unmap } from "../../util/mappedMemory.js";

/** A power of two. */
const SEGMENTS = 8;
/** Slots of the smallest segment at first, and by what a segment grows. */
const FIRST_SLOTS = 64;
const GROWTH = 2;
/** A key and a value. */
const SLOT_BYTES = 8 + 4;
/** Smaller segments are in ordinary memory. */
const MAPPED_FROM = 4096;

/**
 * A hash table from integers (0 to 2^53 - 1) to 32-bit numbers: a million rows take 23 MB, several times less than in a `Map`. It grows
 * in segments, one after another, so that it never exists twice. The slot depends on a random seed per table, so nobody can choose keys
 * that collide.
 */
export class NumberTable {
  readonly #seed = randomBytes(4).readInt32LE();
  /** Of different sizes, so that they do not all grow at once. */
  readonly #segments = Array.from(
    { length: SEGMENTS },
    (_, at) => new Segment(Math.round(FIRST_SLOTS * GROWTH ** (at / SEGMENTS)), this.#seed),
  );

  /** Returns the value of a key. If the key is new, sets it and returns undefined. */
  getOrSet(key: number, value: number): number | undefined {
    const hash = hashOf(key, this.#seed);
    return (this.#segments[hash & (SEGMENTS - 1)] as Segment).getOrSet(key, value, hash);
  }
}

class Segment {
  #keys: Float64Array;
  #values: Uint32Array;
  #size = 0;

  constructor(
    slots: number,
    readonly seed: number,
  ) {
    [this.#keys, this.#values] = columns(slots);
  }

  getOrSet(key: number, value: number, hash: number): number | undefined {
    // At least a quarter of the slots stays free, so that probing stays short.
    if (4 * this.#size >= 3 * this.#keys.length) this.#grow();
    const at = this.#slot(key, hash);
    if (this.#keys[at] === key) return this.#values[at];
    this.#keys[at] = key;
    this.#values[at] = value;
    this.#size++;
    return undefined;
  }

  /** The slot of a key, or the free slot for it. The upper bits of the hash decide; the lower ones have chosen the segment. */
  #slot(key: number, hash: number): number {
    const keys = this.#keys;
    let at = Math.floor(((hash >>> 0) / 2 ** 32) * keys.length);
    while (keys[at] !== -1 && keys[at] !== key) at = at + 1 === keys.length ? 0 : at + 1;
    return at;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    [this.#keys, this.#values] = columns(Math.ceil(GROWTH * keys.length));
    for (let from = 0; from < keys.length; from++) {
      const key = keys[from] as number;
      if (key < 0) continue;
      const at = this.#slot(key, hashOf(key, this.seed));
      this.#keys[at] = key;
      this.#values[at] = values[from] as number;
    }
    // V8 would keep it for a while.
    if (keys.length >= MAPPED_FROM) unmap(keys.buffer);
  }
}

/** Free slots: keys of -1, and their values. */
function columns(slots: number): [Float64Array, Uint32Array] {
  const bytes = SLOT_BYTES * slots;
  const memory = slots < MAPPED_FROM ? new ArrayBuffer(bytes) : mappedMemory(bytes);
  return [new Float64Array(memory, 0, slots).fill(-1), new Uint32Array(memory, 8 * slots, slots)];
}

/** The hash of a key: 32 bits, as a signed integer. */
function hashOf(key: number, seed: number): number {
  return mix(mix(key ^ seed) ^ (key / 2 ** 32));
}

/** Mixes the bits of a value: every bit of the result depends on every bit of the input. */
function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
