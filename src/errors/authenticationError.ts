import { APIError, type StatusErrorDetails } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/**
 * 401 or 403: the service rejected the API key. Never retried.
 *
 * Also thrown, without a `statusCode` and before any request, when a client is created without a key.
 */
export class AuthenticationError extends APIError {
  declare readonly code: "AUTHENTICATION";

  static {
    nameClass(AuthenticationError, "AuthenticationError");
  }

  constructor(what = "", details: StatusErrorDetails = {}) {
    super(what, { ...details, code: "AUTHENTICATION" });
  }
}
