import { createHash } from "node:crypto";
import type { Archive } from "./archive.js";

/**
 * A response other than 200. The message names the parameter and what is valid. It never repeats a value of the request, so a
 * key sent in the wrong place is not echoed.
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** HTTP 400: the request is invalid. */
export function badRequest(message: string): HttpError {
  return new HttpError(400, message);
}

/** HTTP 404: there is no such resource. */
export function notFound(message: string): HttpError {
  return new HttpError(404, message);
}

/** A parameter that must be present and not blank. */
export function required(parameters: URLSearchParams, name: string): string {
  const value = parameters.get(name);
  if (value === null || value.trim() === "") throw badRequest(`${name} is required and must not be empty`);
  return value;
}

/** An optional parameter. Blank counts as absent; surrounding white space is ignored. */
export function optional(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name)?.trim();
  return value === "" ? undefined : value;
}

/** An integer from 1, or the default if the parameter is absent. */
export function positiveInteger(parameters: URLSearchParams, name: string, fallback: number): number {
  const value = optional(parameters, name);
  if (value === undefined) return fallback;
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1) throw badRequest(`${name} must be an integer from 1`);
  return number;
}

/** A valid date as yyyy-mm-dd, or undefined if the parameter is absent. */
export function day(parameters: URLSearchParams, name: string): string | undefined {
  const value = optional(parameters, name);
  if (value === undefined) return undefined;
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value) {
    throw badRequest(`${name} must be a valid date, written yyyy-mm-dd`);
  }
  return value;
}

/** The input of an operation. */
export interface OperationRequest {
  archive: Archive;
  /** If one is repeated, the first value counts. */
  parameters: URLSearchParams;
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
