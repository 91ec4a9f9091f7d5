import { createHash } from "node:crypto";

/**
 * A response other than 200. The message names the parameter and what is valid. It never repeats a value of the request, so a
 * key sent in the wrong place is not echoed.
 */
export class HttpError extends Error {
  override readonly name = "HttpError";

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export function badRequest(message: string): HttpError {
  return new HttpError(400, message);
}

export function notFound(message: string): HttpError {
  return new HttpError(404, message);
}

/** The parameters of a request. If one is repeated, the first value counts. */
export class Parameters {
  readonly #values: URLSearchParams;

  constructor(query: string) {
    this.#values = new URLSearchParams(query);
  }

  required(name: string): string {
    const value = this.#values.get(name);
    if (value === null || value.trim() === "") throw badRequest(`${name} is required and must not be empty`);
    return value;
  }

  /** An optional parameter. Blank counts as absent; surrounding white space is ignored. */
  optional(name: string): string | undefined {
    return this.#values.get(name)?.trim() || undefined;
  }

  /** An integer from 1, or the default if the parameter is absent. */
  positiveInteger(name: string, fallback: number): number {
    const value = this.optional(name) ?? String(fallback);
    if (/^[0-9]{1,9}$/.test(value) && Number(value) > 0) return Number(value);
    throw badRequest(`${name} must be an integer from 1`);
  }

  /** A valid date as yyyy-mm-dd, or undefined if the parameter is absent. */
  day(name: string): string | undefined {
    const value = this.optional(name);
    if (value === undefined) return undefined;
    const time = Date.parse(`${value}T00:00:00Z`);
    if (!Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value) return value;
    throw badRequest(`${name} must be a valid date, written yyyy-mm-dd`);
  }
}

/** A search that was made: what it found, and the text for which its cursors are valid. */
export interface Search {
  readonly key: string;
  readonly rows: readonly object[];
}

/**
 * The body of one page of everything a search found: rows, and the cursor of the next page, which even the last one has. It begins at
 * the `cursor` parameter, or at `start` if there is none. As in the live service, a page without rows omits them.
 *
 * @param member the name of the rows in the body
 * @throws HttpError 400 for the cursor of another search
 */
export function pageOf(
  parameters: Parameters,
  member: string,
  { key, rows: all }: Search,
  { start = 0, size = 20 } = {},
): { readonly cursor: string } {
  const cursor = parameters.optional("cursor");
  const begin = cursor === undefined ? start : positionOf(cursor, key);
  const rows = all.slice(begin, begin + size);
  const next = cursorAt(Math.min(begin + rows.length, all.length), key);
  return { cursor: next, ...(rows.length > 0 && { [member]: rows }) };
}

/**
 * A position with a checksum over position and search, so that cursors that are made up or belong to another search or collection are
 * rejected. The server keeps no state.
 */
function cursorAt(position: number, search: string): string {
  const bytes = Buffer.alloc(15);
  bytes.writeUInt32BE(position);
  createHash("sha256").update(`${position} ${search}`).digest().copy(bytes, 4, 0, 11);
  return bytes.toString("base64url");
}

function positionOf(cursor: string, search: string): number {
  const bytes = Buffer.from(cursor, "base64url");
  const position = bytes.length === 15 ? bytes.readUInt32BE() : -1;
  if (position >= 0 && cursorAt(position, search) === cursor) return position;
  throw badRequest("the cursor belongs to another search; leave it out to start at the first page");
}
