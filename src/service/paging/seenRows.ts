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

/**
 * A hash table from integers (0 to 2^53 - 1) to 32-bit numbers, with open addressing. It takes a third of the memory of a `Map`. The
 * slot depends on a random seed, so nobody can choose ids that collide.
 */
class HashTable {
  readonly #seed = randomBytes(4).readInt32LE();
  #keys = new Float64Array(64).fill(-1);
  #values = new Uint32Array(64);
  #size = 0;

  /** Returns the value of a key. If the key is new, sets it and returns undefined. */
  getOrSet(key: number, value: number): number | undefined {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let hash = Math.imul((key % 2 ** 32) ^ this.#seed, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15) ^ (key / 2 ** 32), 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
    let at = (hash ^ (hash >>> 16)) & mask;
    while (keys[at] !== -1 && keys[at] !== key) at = (at + 1) & mask;
    if (keys[at] === key) return this.#values[at];
    keys[at] = key;
    this.#values[at] = value;
    if (4 * ++this.#size > 3 * keys.length) this.#grow();
    return undefined;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length).fill(-1);
    this.#values = new Uint32Array(2 * keys.length);
    this.#size = 0;
    for (const [at, key] of keys.entries()) if (key >= 0) this.getOrSet(key, values[at] as number);
  }
}
