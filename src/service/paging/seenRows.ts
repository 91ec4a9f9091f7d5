import { randomBytes } from "node:crypto";
import { type Page, selectRows } from "./page.js";

/**
 * - new: neither an equal row nor its id was seen before
 * - duplicate: an equal row was seen before
 * - conflict: its id was seen before, but no equal row
 */
export type RowStatus = "new" | "duplicate" | "conflict";

/**
 * The rows that a pagination has seen. Two rows are equal if they have the same members with the same values as JSON, in any order and
 * however they are spelled: `1.0` is `1`, and `"\\u0061"` is `"a"`. It stores keyed hashes of each row and of its id. A row is a
 * duplicate if 85 bits match.
 */
export class SeenRows {
  readonly #byId = new HashTable();
  /** Hashes of rows without an id, and of further rows with a known id. */
  readonly #others = new HashTable();

  /** Adds the rows of a page. Returns the page without duplicates, and counts conflicts. */
  withoutDuplicates(page: Page, count: { conflicts: number }): Page {
    const statuses = this.add(page);
    const positions: number[] = [];
    for (let at = 0; at < statuses.length; at++) {
      if (statuses[at] !== "duplicate") positions.push(at);
      if (statuses[at] === "conflict") count.conflicts++;
    }
    return positions.length === statuses.length ? page : selectRows(page, positions);
  }

  /** Adds the rows of a page. Returns the status of each. */
  add({ tape }: Pick<Page, "tape">): RowStatus[] {
    const statuses: RowStatus[] = [];
    for (let row = 0; row < tape.rows; row++) {
      const id = tape.id(row);
      const low = tape.hashLow(row);
      const first = id === undefined ? undefined : this.#byId.getOrSet(id, low);
      if (id !== undefined && first === undefined) statuses.push("new");
      else if (first === low || this.#others.getOrSet(tape.hashHigh(row), low) !== undefined)
        statuses.push("duplicate");
      else statuses.push(id === undefined ? "new" : "conflict");
    }
    return statuses;
  }
}

/** By how much a segment grows, and how full it is before. */
const [GROWTH, MAX_LOAD] = [1.5, 0.8];

/**
 * A hash table from integers (0 to 2^53 - 1) to 32-bit numbers, with open addressing. It takes a quarter of the memory of a `Map`. Its 256
 * segments grow at different times, so that little is copied, and left to the garbage collector, at once. The place depends on a random
 * seed, so nobody can choose ids that collide.
 */
class HashTable {
  readonly #seed = randomBytes(4).readInt32LE();
  readonly #segments: Segment[] = [];

  /** Returns the value of a key. If the key is new, sets it and returns undefined. */
  getOrSet(key: number, value: number): number | undefined {
    const hash = hashOf(key, this.#seed);
    this.#segments[hash & 255] ??= new Segment(this.#seed, 8 + (hash & 7));
    return (this.#segments[hash & 255] as Segment).getOrSet(key, value, hash);
  }
}

class Segment {
  #keys: Float64Array;
  #values: Uint32Array;
  #size = 0;

  constructor(
    readonly seed: number,
    slots: number,
  ) {
    this.#keys = new Float64Array(slots).fill(-1);
    this.#values = new Uint32Array(slots);
  }

  getOrSet(key: number, value: number, hash: number): number | undefined {
    const keys = this.#keys;
    const slots = keys.length;
    let at = (((hash >>> 8) / 2 ** 24) * slots) | 0;
    while (keys[at] !== -1 && keys[at] !== key) at = at + 1 === slots ? 0 : at + 1;
    if (keys[at] === key) return this.#values[at];
    keys[at] = key;
    this.#values[at] = value;
    if (++this.#size > MAX_LOAD * slots) this.#grow();
    return undefined;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    const grown = new Segment(this.seed, Math.ceil(GROWTH * keys.length));
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key >= 0) grown.getOrSet(key, values[at] as number, hashOf(key, this.seed));
    }
    [this.#keys, this.#values] = [grown.#keys, grown.#values];
  }
}

function hashOf(key: number, seed: number): number {
  let hash = Math.imul((key % 2 ** 32) ^ seed, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ (key / 2 ** 32), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return hash ^ (hash >>> 16);
}
