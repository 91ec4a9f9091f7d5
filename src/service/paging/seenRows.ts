import type { RowTape } from "../../pages/rows.js";
import { NumberTable } from "./numberTable.js";
import { type Page, selectRows } from "./page.js";

/**
 * - new: neither an equal row nor its id was seen before
 * - duplicate: an equal row was seen before
 * - conflict: its id was seen before, but no equal row
 */
export type RowStatus = "new" | "duplicate" | "conflict";

/**
 * The rows that a pagination has seen. Two rows are equal if they have the same members with the same values, as JSON: how texts and
 * numbers are spelled, the order of members and the white space between them do not matter.
 *
 * It stores keyed hashes of each row and of its id, about 23 bytes. A row is a duplicate if 85 bits match.
 */
export class SeenRows {
  /** The hash of the first row with each id. */
  readonly #byId = new NumberTable();
  /** Hashes of rows without an id, and of further rows with a known id. */
  readonly #others = new NumberTable();

  /** Adds the rows of a page. Returns the page without duplicates, and counts conflicts. */
  withoutDuplicates(page: Page, count: { conflicts: number }): Page {
    const positions: number[] = [];
    const statuses = this.add(page);
    for (let at = 0; at < statuses.length; at++) {
      if (statuses[at] !== "duplicate") positions.push(at);
      if (statuses[at] === "conflict") count.conflicts++;
    }
    return positions.length === statuses.length ? page : selectRows(page, positions);
  }

  /** Adds the rows of a page. Returns the status of each. */
  add({ ids, tape }: Pick<Page, "ids" | "tape">): RowStatus[] {
    return ids.map((id, row) => this.#status(id, tape, row));
  }

  #status(id: number | undefined, tape: RowTape, row: number): RowStatus {
    const low = tape.hashLow(row);
    if (id !== undefined) {
      const first = this.#byId.getOrSet(id, low);
      if (first === undefined) return "new";
      if (first === low) return "duplicate";
    }
    const known = this.#others.getOrSet(tape.hashHigh(row), low) !== undefined;
    return known ? "duplicate" : id === undefined ? "new" : "conflict";
  }
}
