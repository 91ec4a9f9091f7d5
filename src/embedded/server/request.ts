import { sha256Of } from "../../util/hash.js";

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

/** The parameters of a request. If one is repeated, the first value counts. Blank counts as absent. */
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

  /** An optional parameter, without surrounding white space. */
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
