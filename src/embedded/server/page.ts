import { sha256Of } from "../../util/sha256Of.js";
import { badRequest, type Parameters } from "./request.js";

/** The rows of a search, and the text for which its cursors are valid. */
export interface SearchResult {
  readonly key: string;
  readonly rows: readonly object[];
}

/**
 * The body of one page: rows, and the cursor of the next page, which even the last one has. It begins at the `cursor` parameter, or at
 * `start` if there is none. As in the live service, a page without rows omits them.
 *
 * @param member the name of the rows in the body
 * @throws HttpError 400 for the cursor of another search
 */
export function pageOf(
  parameters: Parameters,
  member: string,
  { key, rows: all }: SearchResult,
  { start = 0, size = 20 } = {},
): { readonly cursor: string } {
  const cursor = parameters.optional("cursor");
  const begin = cursor === undefined ? start : positionOf(cursor, key);
  const rows = all.slice(begin, begin + size);
  const next = cursorAt(Math.min(begin + rows.length, all.length), key);
  return { cursor: next, ...(rows.length > 0 && { [member]: rows }) };
}

/** A position with a checksum, so that cursors of other searches or data are rejected and the server keeps no state. */
function cursorAt(position: number, search: string): string {
  const checksum = sha256Of(`${position} ${search}`).slice(0, 16);
  return Buffer.from(`${position} ${checksum}`).toString("base64url");
}

function positionOf(cursor: string, search: string): number {
  const position = Number.parseInt(Buffer.from(cursor, "base64url").toString(), 10);
  if (cursorAt(position, search) === cursor) return position;
  throw badRequest("the cursor belongs to another search; leave it out to start at the first page");
}
