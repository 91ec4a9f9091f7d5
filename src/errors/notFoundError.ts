import { APIError, type StatusErrorDetails } from "./apiError.js";
import { nameClass } from "./archiveError.js";

/** 404: no such id or path. An unknown person is no error: the service returns an empty result. */
export class NotFoundError extends APIError {
  declare readonly code: "NOT_FOUND";

  static {
    nameClass(NotFoundError, "NotFoundError");
  }

  constructor(what = "", details: StatusErrorDetails = {}) {
    super(what, { ...details, code: "NOT_FOUND" });
  }
}
