import { APIError, type APIErrorDetails } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/** 404: nothing has this id or path. The service does not answer so for an unknown person: that is an empty answer. */
export class NotFoundError extends APIError {
  static {
    nameClass(NotFoundError, "NotFoundError");
  }

  constructor(what = "", details: APIErrorDetails = {}) {
    super(what, { code: "NOT_FOUND", ...details });
  }
}
