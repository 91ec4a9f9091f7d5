import { ArchiveError, type ArchiveErrorDetails, type ArchiveErrorJson, nameClass } from "./archiveError.js";

/** The answer behind an error, with the key taken out. */
export interface ErrorResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2,000 characters of the body. */
  readonly body: string;
}

/** What an {@link APIError} is built from. */
export interface APIErrorDetails extends ArchiveErrorDetails {
  /** Default `"GET"`. */
  method?: string | undefined;
  /** Default: none, an empty text. */
  path?: string | undefined;
  statusCode?: number | undefined;
  response?: ErrorResponse | undefined;
}

/** An {@link APIError} for `JSON.stringify`. */
export interface APIErrorJson extends ArchiveErrorJson {
  method: string;
  path: string;
  statusCode?: number;
}

/**
 * A request failed: the service answered with an error, with a body that cannot be used, or not at all. In the last
 * case there is no `statusCode`, and `cause` is the error of the connection.
 *
 * 401 and 403 are an `AuthenticationError`, 404 a `NotFoundError`, 429 a `RateLimitError`.
 */
export class APIError extends ArchiveError {
  /** HTTP method: always `"GET"` today. */
  readonly method: string;
  /** Path below the base URL, without the query: `"/mentions"`; empty where nothing was asked. */
  readonly path: string;
  /** HTTP status; absent when no answer came. */
  declare readonly statusCode?: number;
  /** The answer, redacted and clipped; absent when none came. */
  declare readonly response?: ErrorResponse;

  static {
    nameClass(APIError, "APIError");
  }

  constructor(what = "", details: APIErrorDetails = {}) {
    super(what, { code: "HTTP_ERROR", ...details });
    this.method = details.method ?? "GET";
    this.path = details.path ?? "";
    if (details.statusCode !== undefined) this.statusCode = details.statusCode;
    if (details.response !== undefined) this.response = details.response;
  }

  override toJSON(): APIErrorJson {
    const json: APIErrorJson = { ...super.toJSON(), method: this.method, path: this.path };
    if (this.statusCode !== undefined) json.statusCode = this.statusCode;
    return json;
  }
}
