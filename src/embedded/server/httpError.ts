/**
 * An answer other than 200, thrown by whatever finds the fault. The message names the parameter and what would be
 * valid; it never repeats a value of the request, so that a key sent in the wrong place is not echoed.
 */
export class HttpError extends Error {
  override readonly name = "Fault";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** A fault of the request itself: HTTP 400. */
export function badRequest(message: string): HttpError {
  return new HttpError(400, message);
}

/** Something that is not there: HTTP 404. */
export function notFound(message: string): HttpError {
  return new HttpError(404, message);
}
