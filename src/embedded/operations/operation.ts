import type { Archive } from "../server/archive.js";
import { Cursors } from "../server/cursors.js";
import { optional, type Parameters } from "../server/parameters.js";

/** The input of an operation. */
export interface OperationRequest {
  archive: Archive;
  parameters: Parameters;
  /** The decoded id at the end of the path; empty for operations without one. */
  id: string;
}

/** Returns the body of a 200 response, or throws an HttpError. */
export type Operation = (request: OperationRequest) => object;

/** Default rows per page. */
export const PAGE_SIZE = 20;

/** One page of a search, with the cursor of the next page. */
export interface Page<T> {
  rows: readonly T[];
  /** Present on every page, the last one included. */
  cursor: string;
}

/**
 * One page of everything a search found. It begins at the request's `cursor`, or at `start` if there is none.
 *
 * @param search operation name and every parameter that decides what is found; the cursor is valid for these only
 * @throws HttpError 400 for the cursor of another search
 */
export function pageOf<T>(
  { archive, parameters }: OperationRequest,
  search: readonly (string | undefined)[],
  found: readonly T[],
  { start = 0, size = PAGE_SIZE }: { start?: number; size?: number } = {},
): Page<T> {
  const cursors = new Cursors([...archive.identity, ...search]);
  const given = optional(parameters, "cursor");
  const begin = given === undefined ? start : cursors.position(given);
  const rows = found.slice(begin, begin + size);
  return { rows, cursor: cursors.at(Math.min(begin + rows.length, found.length)) };
}

/** The member that holds the rows. As in the live service, a page without rows omits it. */
export function rowsMember<T>(name: string, rows: readonly T[]): Record<string, readonly T[]> {
  return rows.length > 0 ? { [name]: rows } : {};
}
