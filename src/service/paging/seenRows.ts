import { randomInt } from "node:crypto";
import { NumberMap } from "../../pages/numberMap.js";
import { type Page, selectRows } from "./page.js";

/**
 * The rows that a pagination has seen, as keyed hashes. Two rows are equal if they have the same members with the same values as sent, in any
 * order: a service spells a value in one way.
 */
export class SeenRows {
  /** The hash of the first row with each id, which has an unknown number added: a service could choose ids that collide. */
  readonly #byId = new NumberMap();
  readonly #salt = 1 + randomInt(2 ** 47) * 32;
  /** Hashes of rows without an id, and of further rows with the same id. */
  readonly #others = new NumberMap();

  /** Adds the rows of a page. Returns the page without duplicates, and counts rows that share their id with a different one. */
  withoutDuplicates(page: Page, count: { conflicts: number }): Page {
    const { tape } = page;
    const ids = tape.ids();
    const hashes = tape.hashesLow();
    const positions: number[] = [];
    for (let row = 0; row < tape.rows; row++) {
      const hash = hashes[row] as number;
      const id = ids[row] as number;
      const first = id < 0 ? undefined : this.#byId.add(id + this.#salt, hash);
      if (id < 0 || first !== undefined) {
        if (first === hash || this.#others.add(tape.hashHigh(row) + 1, hash) !== undefined) continue;
        if (id >= 0) count.conflicts++;
      }
      positions.push(row);
    }
    return positions.length === tape.rows ? page : selectRows(page, positions);
  }
}
