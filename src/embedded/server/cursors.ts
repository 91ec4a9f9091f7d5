import { createHash } from "node:crypto";
import { badRequest } from "./httpError.js";

const POSITION_BYTES = 4;
const CHECK_BYTES = 11;

/**
 * The cursors of one search. A cursor is opaque and holds all there is to know: the position, and a check over the
 * position and the search, so that a cursor of another search, of another corpus, or one made up, is refused.
 */
export class Cursors {
  readonly #search: string;

  /** @param search everything that decides which rows are found, in a fixed order */
  constructor(search: readonly (string | number | undefined)[]) {
    this.#search = JSON.stringify(search.map((part) => part ?? null));
  }

  /** The cursor of the row at a position. */
  at(position: number): string {
    const bytes = Buffer.alloc(POSITION_BYTES + CHECK_BYTES);
    bytes.writeUInt32BE(position);
    createHash("sha256").update(`${position} ${this.#search}`).digest().copy(bytes, POSITION_BYTES, 0, CHECK_BYTES);
    return bytes.toString("base64url");
  }

  /**
   * The position of a cursor.
   *
   * @throws Fault 400 where this search did not give the cursor
   */
  position(cursor: string): number {
    const bytes = Buffer.from(cursor, "base64url");
    const position = bytes.length === POSITION_BYTES + CHECK_BYTES ? bytes.readUInt32BE() : -1;
    if (position < 0 || this.at(position) !== cursor) {
      throw badRequest("cursor is not one that this search gave; repeat the search without it to start again");
    }
    return position;
  }
}
