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
