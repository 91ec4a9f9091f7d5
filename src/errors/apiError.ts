import { ArchiveError, type ArchiveErrorDetails, type ArchiveErrorJson, nameClass } from "./archiveError.js";
import type { APIErrorCode } from "./errorCode.js";

/** The HTTP response behind an error, without the API key. */
export interface ErrorResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response headers; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2,000 characters of the body. */
  readonly body: string;
}

/** The members of a new {@link APIError}. */
export interface APIErrorDetails extends ArchiveErrorDetails {
  /** Default `"HTTP_ERROR"`. */
  code?: APIErrorCode | undefined;
  /** Default `"GET"`. */
  method?: string | undefined;
  /** Default `""`. */
  path?: string | undefined;
  statusCode?: number | undefined;
  response?: ErrorResponse | undefined;
}

/** The members of a new subclass of {@link APIError}, whose code is fixed. */
export type StatusErrorDetails = Omit<APIErrorDetails, "code">;

/** What `JSON.stringify` shows of an {@link APIError}. */
export interface APIErrorJson extends ArchiveErrorJson {
  method: string;
  path: string;
  statusCode?: number;
}

/**
 * A request failed: an error status, an unusable body, or no response at all. Without a response there is no
 * `statusCode`, and `cause` is the connection error.
 *
 * 401 and 403 throw an `AuthenticationError`, 404 a `NotFoundError`, 429 a `RateLimitError`; all three are subclasses.
 *
 * @example
 * if (error instanceof APIError) console.log(error.code, error.statusCode, error.path);
 * //=> SERVER_ERROR 503 /mentions
 */
export class APIError extends ArchiveError {
  declare readonly code: APIErrorCode;
  /** HTTP method; always `"GET"` today. */
  readonly method: string;
  /** Path below the base URL, without the query: `"/mentions"`. Empty if no request was made. */
  readonly path: string;
  /** HTTP status; absent if there was no response. */
  declare readonly statusCode?: number;
  /** The response, redacted and clipped; absent if there was none. */
  declare readonly response?: ErrorResponse;

  static {
    nameClass(APIError, "APIError");
  }

  /**
   * @param what what went wrong, ending with a full stop
   * @param details the other members
   */
  constructor(what = "", details: APIErrorDetails = {}) {
    super(what, { code: "HTTP_ERROR", ...details });
    this.method = details.method ?? "GET";
    this.path = details.path ?? "";
    if (details.statusCode !== undefined) this.statusCode = details.statusCode;
    if (details.response !== undefined) this.response = details.response;
  }

  /** The error for `JSON.stringify`: name, code, message, hint, method, path and status. */
  override toJSON(): APIErrorJson {
    const json: APIErrorJson = { ...super.toJSON(), method: this.method, path: this.path };
    if (this.statusCode !== undefined) json.statusCode = this.statusCode;
    return json;
  }
}
