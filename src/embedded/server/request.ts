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
