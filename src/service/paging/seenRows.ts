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
    const ids = tape.ids();
    const hashes = tape.hashesLow();
    for (let row = 0; row < tape.rows; row++) {
      const id = ids[row] as number;
      const low = hashes[row] as number;
      const first = id < 0 ? undefined : this.#byId.getOrSet(id, low);
      if (id >= 0 && first === undefined) statuses.push("new");
      else if (first === low || this.#others.getOrSet(tape.hashHigh(row), low) !== undefined)
        statuses.push("duplicate");
      else statuses.push(id < 0 ? "new" : "conflict");
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
  readonly #sizes = new Uint32Array(256);
  readonly #keys: Float64Array[] = [];
  readonly #values: Uint32Array[] = [];

  /** Returns the value of a key. If the key is new, sets it and returns undefined. */
  getOrSet(key: number, value: number): number | undefined {
    const hash = hashOf(key, this.#seed);
    const segment = hash & 255;
    this.#keys[segment] ??= new Float64Array(8 + (hash & 7)).fill(-1);
    const keys = this.#keys[segment] as Float64Array;
    this.#values[segment] ??= new Uint32Array(keys.length);
    const values = this.#values[segment] as Uint32Array;
    const at = slotOf(keys, key, hash);
    if (keys[at] === key) return values[at];
    keys[at] = key;
    values[at] = value;
    this.#sizes[segment] = (this.#sizes[segment] as number) + 1;
    if ((this.#sizes[segment] as number) > MAX_LOAD * keys.length) this.#grow(segment, keys, values);
    return undefined;
  }

  #grow(segment: number, keys: Float64Array, values: Uint32Array): void {
    const grownKeys = new Float64Array(Math.ceil(GROWTH * keys.length)).fill(-1);
    const grownValues = new Uint32Array(grownKeys.length);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key < 0) continue;
      const slot = slotOf(grownKeys, key, hashOf(key, this.#seed));
      grownKeys[slot] = key;
      grownValues[slot] = values[at] as number;
    }
    this.#keys[segment] = grownKeys;
    this.#values[segment] = grownValues;
  }
}

/** The slot of a key, or the free slot where it would be. */
function slotOf(keys: Float64Array, key: number, hash: number): number {
  let at = (((hash >>> 8) / 2 ** 24) * keys.length) | 0;
  while (keys[at] !== -1 && keys[at] !== key) at = at + 1 === keys.length ? 0 : at + 1;
  return at;
}

function hashOf(key: number, seed: number): number {
  let hash = Math.imul((key % 2 ** 32) ^ seed, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ (key / 2 ** 32), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return hash ^ (hash >>> 16);
}
