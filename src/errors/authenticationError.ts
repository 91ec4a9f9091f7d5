import { APIError, type APIErrorDetails } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/**
 * 401 or 403: the service refused the key. It is never tried again. A key that is missing or empty is one as well, thrown
 * when the client is made: nothing is sent, and `statusCode` is absent.
 */
export class AuthenticationError extends APIError {
  static {
    nameClass(AuthenticationError, "AuthenticationError");
  }

  constructor(what = "", details: APIErrorDetails = {}) {
    super(what, { code: "AUTHENTICATION", ...details });
  }
}
