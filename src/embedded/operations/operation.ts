import type { Archive } from "../server/archive.js";
import { Cursors } from "../server/cursors.js";
import { optional, type Parameters } from "../server/parameters.js";

/** What an operation is given: the archive, the parameters, and the last part of the path where it is an id. */
export interface OperationRequest {
  archive: Archive;
  parameters: Parameters;
  /** Decoded; empty for operations without one. */
  id: string;
}

/** An operation answers with the body of a 200 answer, or throws a Fault. */
export type Operation = (request: OperationRequest) => object;

/** Rows on a page where a search has no `limit`. */
export const PAGE_SIZE = 20;

/** One page of a search, and the cursor of the next. */
export interface Page<T> {
  rows: readonly T[];
  /** There on every page, the last one included. */
  cursor: string;
}

/**
 * Cuts a page out of everything a search found. `cursor` decides where it begins; without one, `start` does.
 *
 * @param search operation name and every parameter that decides what is found: the cursor holds for these only
 * @throws Fault 400 for a cursor that this search did not give
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

/** The rows member where there are rows; a page without rows does not have it. */
export function rowsMember<T>(name: string, rows: readonly T[]): Record<string, readonly T[]> {
  return rows.length > 0 ? { [name]: rows } : {};
}
