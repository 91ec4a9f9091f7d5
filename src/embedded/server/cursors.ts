import { createHash } from "node:crypto";
import { badRequest } from "./httpError.js";

const POSITION_BYTES = 4;
const CHECKSUM_BYTES = 11;

/**
 * The cursors of one search. A cursor encodes a position and a checksum over position and search, so cursors that are made up
 * or belong to another search or corpus are rejected. The server keeps no state.
 */
export class Cursors {
  readonly #search: string;

  /** @param search every value that decides which rows are found, in a fixed order */
  constructor(search: readonly (string | number | undefined)[]) {
    this.#search = JSON.stringify(search.map((part) => part ?? null));
  }

  /** The cursor for the row at a position. */
  at(position: number): string {
    const bytes = Buffer.alloc(POSITION_BYTES + CHECKSUM_BYTES);
    bytes.writeUInt32BE(position);
    createHash("sha256").update(`${position} ${this.#search}`).digest().copy(bytes, POSITION_BYTES, 0, CHECKSUM_BYTES);
    return bytes.toString("base64url");
  }

  /**
   * The position of a cursor.
   *
   * @throws HttpError 400 if the cursor belongs to another search
   */
  position(cursor: string): number {
    const bytes = Buffer.from(cursor, "base64url");
    const position = bytes.length === POSITION_BYTES + CHECKSUM_BYTES ? bytes.readUInt32BE() : -1;
    if (position < 0 || this.at(position) !== cursor) {
      throw badRequest("the cursor belongs to another search; leave it out to start at the first page");
    }
    return position;
  }
}
