import { MemberOrder } from "../json/memberOrder.js";
import type { RowShape } from "../json/rowShape.js";
import { NumberTable } from "./numberTable.js";
import { type Page, selectRows } from "./page.js";
import { RowHash } from "./rowHash.js";

/**
 * - new: no row like it has come
 * - duplicate: an equal row has come
 * - conflict: a row with the same id has come, but none that is equal
 */
export type RowStatus = "new" | "duplicate" | "conflict";

/**
 * The rows that have come in a walk. Two rows are equal if they have the same members with the same values as they are
 * spelled on the wire; the order of the members and white space between them do not count.
 *
 * Of a row its id and a keyed hash of its bytes are kept, about 25 bytes: a row is dropped only where its id is known and
 * its hash is, or, without an id, where a hash of 85 bits is.
 */
export class SeenRows {
  readonly #hash = new RowHash();
  readonly #order = new MemberOrder();
  /** The hash of the first row of each id. */
  readonly #byNumber = new NumberTable();
  readonly #byText = new Map<string, number>();
  /** Hashes of rows without an id, and of further rows of an id. */
  readonly #others = new NumberTable();

  /** Adds the rows of a page; gives the page without those that are equal to one that has come, and counts conflicts. */
  withoutDuplicates(page: Page, shape: RowShape, count: { conflicts: number }): Page {
    const kept: number[] = [];
    const statuses = this.add(page, shape);
    for (let at = 0; at < statuses.length; at++) {
      if (statuses[at] !== "duplicate") kept.push(at);
      if (statuses[at] === "conflict") count.conflicts++;
    }
    return kept.length === statuses.length ? page : selectRows(page, kept);
  }

  /** Adds the rows of a page. */
  add(page: Page, shape: RowShape): RowStatus[] {
    const { bytes, offsets, ids } = page;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const canonical = this.#order.canonicalRows(page, shape);
    const statuses: RowStatus[] = [];
    for (let at = 0; at < ids.length; at++) {
      const sorted = canonical(at);
      if (sorted === undefined)
        this.#hash.update(bytes, view, offsets[2 * at] as number, offsets[2 * at + 1] as number);
      else this.#hash.update(sorted, new DataView(sorted.buffer, sorted.byteOffset, sorted.length), 0, sorted.length);
      statuses.push(this.#status(ids[at]));
    }
    return statuses;
  }

  /** The status of the row whose hash was made last. */
  #status(id: number | string | undefined): RowStatus {
    const { high, low } = this.#hash;
    if (id !== undefined) {
      const first = typeof id === "number" ? this.#byNumber.getOrSet(id, low) : this.#text(id, low);
      if (first === undefined) return "new";
      if (first === low) return "duplicate";
    }
    const known = this.#others.getOrSet(high, low) !== undefined;
    return known ? "duplicate" : id === undefined ? "new" : "conflict";
  }

  #text(id: string, hash: number): number | undefined {
    const known = this.#byText.get(id);
    if (known === undefined) this.#byText.set(id, hash);
    return known;
  }
}
