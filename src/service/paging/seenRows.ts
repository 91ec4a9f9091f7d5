import { randomInt } from "node:crypto";
import { type Page, selectRows } from "./page.js";

/**
 * The rows that a pagination has seen, as keyed hashes. Two rows are equal if they have the same members with the same values as sent, in any
 * order: a service formats equal values equally.
 */
export class SeenRows {
  /** The hash of the first row with each id. Ids are salted, because a service could choose ids that collide. */
  readonly #byId = new NumberMap();
  readonly #salt = 1 + randomInt(2 ** 47) * 32;
  /** Hashes of rows without an id, and of further rows with the same id. */
  readonly #byHash = new NumberMap();

  /** Adds the rows of a page. Returns the page without duplicates, and counts rows that share their id with a different one. */
  withoutDuplicates(page: Page, counts: { conflicts: number }): Page {
    const { records } = page;
    const ids = records.ids();
    const hashes = records.hashesLow();
    const positions: number[] = [];
    for (let row = 0; row < records.rows; row++) {
      const hash = hashes[row] as number;
      const id = ids[row] as number;
      const first = id < 0 ? undefined : this.#byId.add(id + this.#salt, hash);
      if (id < 0 || first !== undefined) {
        if (first === hash || this.#byHash.add(records.hashHigh(row) + 1, hash) !== undefined) continue;
        if (id >= 0) counts.conflicts++;
      }
      positions.push(row);
    }
    return positions.length === records.rows ? page : selectRows(page, positions);
  }
}

/** A map from nonzero integers to 32-bit ones, in 24 bytes per entry: a Map takes 100, and twice that while it grows. */
class NumberMap {
  #keys = new Float64Array(1024);
  #values = new Int32Array(1024);
  #size = 0;

  /** Adds a key with a value. @returns the value that the key already had */
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
