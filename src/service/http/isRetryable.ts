import { APIError, type APIErrorCode } from "../../errors/index.js";
import { UNTRUSTED } from "./attemptError.js";

/** Failures that may be gone at the next attempt. */
const RETRYABLE: ReadonlySet<APIErrorCode> = new Set([
  "RATE_LIMITED",
  "SERVER_ERROR",
  "CONNECTION_FAILED",
  "TIMEOUT",
  "BODY_TRUNCATED",
]);

/** Connection failures that would repeat: a closed session, an untrusted certificate. */
const PERMANENT = new RegExp(`^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$|^ERR_TLS_|^HOSTNAME_|${UNTRUSTED.source}`);

/** Whether another attempt may succeed. */
export function isRetryable(error: unknown): error is APIError {
  if (!(error instanceof APIError) || !RETRYABLE.has(error.code)) return false;
  const code = (error.cause as { code?: unknown } | null | undefined)?.code;
  return !(typeof code === "string" && PERMANENT.test(code));
}
