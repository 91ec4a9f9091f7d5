import {
  APIError,
  type APIErrorCode,
  AuthenticationError,
  type ErrorResponse,
  NotFoundError,
  RateLimitError,
} from "../../errors/index.js";

const RETRYABLE: ReadonlySet<APIErrorCode> = new Set([
  "RATE_LIMITED",
  "SERVER_ERROR",
  "CONNECTION_FAILED",
  "TIMEOUT",
  "BODY_TRUNCATED",
]);

/** The errors that have a class of their own. */
const CLASSES: Readonly<Partial<Record<APIErrorCode, typeof APIError>>> = {
  AUTHENTICATION: AuthenticationError,
  NOT_FOUND: NotFoundError,
  RATE_LIMITED: RateLimitError,
};

interface FailureDetails {
  /** The response, redacted and clipped; absent without one. */
  response?: ErrorResponse | undefined;
  /** Seconds that the response asks to wait. */
  readonly retryAfter?: number | undefined;
  /** No attempt of this client can succeed. */
  readonly isFinal?: boolean;
  /** The quota of the key is used up. */
  readonly isQuota?: boolean;
  readonly cause?: unknown;
}

/** Why an attempt failed, and whether to try again. No other place decides that, so a new rule goes here. */
export class FailedAttempt extends Error {
  constructor(
    readonly code: APIErrorCode,
    problem: string,
    readonly hint: string,
    readonly details: FailureDetails = {},
  ) {
    super(problem);
  }

  /** Another attempt may succeed. 408: the service did not get the request in time. */
  get isRetryable(): boolean {
    const { isFinal, response } = this.details;
    return !isFinal && (RETRYABLE.has(this.code) || response?.status === 408);
  }

  /** A 429: the service refuses all requests of the client for now. */
  get isRefusal(): boolean {
    return this.isRetryable && this.code === "RATE_LIMITED";
  }

  /** The error for the user. */
  toError(path: string, attempts = 1): APIError {
    const { code, hint, message, details } = this;
    const statusCode = details.response?.status;
    const status = statusCode === undefined ? "" : ` with status ${statusCode}`;
    const after = attempts > 1 ? ` after ${attempts} attempts` : "";
    const Type = CLASSES[code] ?? APIError;
    return new Type(`GET ${path} failed${status}${after}: ${message}.`, { ...details, code, hint, path, statusCode });
  }
}
