import { APIError } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/**
 * 401 or 403: the service refused the key. It is never tried again.
 *
 * A key that is missing altogether is a `ValidationError`, thrown when the client is made.
 */
export class AuthenticationError extends APIError {
  static {
    nameClass(AuthenticationError, "AuthenticationError");
  }
}
