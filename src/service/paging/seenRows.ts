import { MemberOrder } from "../json/memberOrder.js";
import type { RowShape } from "../json/rowShape.js";
import { NumberTable } from "./numberTable.js";
import { type Page, selectRows } from "./page.js";
import { RowHash } from "./rowHash.js";

/**
 * - new: neither an equal row nor its id was seen before
 * - duplicate: an equal row was seen before
 * - conflict: its id was seen before, but no equal row
 */
export type RowStatus = "new" | "duplicate" | "conflict";

/**
 * The rows that a walk has seen. Two rows are equal if they have the same members with the same values, as spelled on the
 * wire. The order of members and the white space between them do not matter.
 *
 * It stores the id and a keyed hash of each row, about 25 bytes. A row with an id is a duplicate if id and hash match; a row
 * without one, if all 85 bits of the hash match.
 */
export class SeenRows {
  readonly #hash = new RowHash();
  readonly #order = new MemberOrder();
  /** The hash of the first row with each id. */
  readonly #byNumber = new NumberTable();
  readonly #byText = new Map<string, number>();
  /** Hashes of rows without an id, and of further rows with a known id. */
  readonly #others = new NumberTable();

  /** Adds the rows of a page. Returns the page without duplicates, and counts conflicts. */
  withoutDuplicates(page: Page, shape: RowShape, count: { conflicts: number }): Page {
    const positions: number[] = [];
    const statuses = this.add(page, shape);
    for (let at = 0; at < statuses.length; at++) {
      if (statuses[at] !== "duplicate") positions.push(at);
      if (statuses[at] === "conflict") count.conflicts++;
    }
    return positions.length === statuses.length ? page : selectRows(page, positions);
  }

  /** Adds the rows of a page. Returns the status of each. */
  add(page: Page, shape: RowShape): RowStatus[] {
    const { bytes, offsets, ids } = page;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const canonical = this.#order.canonicalRows(page, shape);
    const statuses: RowStatus[] = [];
    for (let at = 0; at < ids.length; at++) {
      const rewritten = canonical(at);
      if (rewritten === undefined)
        this.#hash.update(bytes, view, offsets[2 * at] as number, offsets[2 * at + 1] as number);
      else
        this.#hash.update(
          rewritten,
          new DataView(rewritten.buffer, rewritten.byteOffset, rewritten.length),
          0,
          rewritten.length,
        );
      statuses.push(this.#status(ids[at]));
    }
    return statuses;
  }

  /** The status of the row that was hashed last. */
  #status(id: number | string | undefined): RowStatus {
    const { high, low } = this.#hash;
    if (id !== undefined) {
      const first = typeof id === "number" ? this.#byNumber.getOrSet(id, low) : this.#getOrSetText(id, low);
      if (first === undefined) return "new";
      if (first === low) return "duplicate";
    }
    const known = this.#others.getOrSet(high, low) !== undefined;
    return known ? "duplicate" : id === undefined ? "new" : "conflict";
  }

  #getOrSetText(id: string, hash: number): number | undefined {
    const known = this.#byText.get(id);
    if (known === undefined) this.#byText.set(id, hash);
    return known;
  }
}
