import { APIError, type APIErrorCode } from "../../errors/index.js";
import { UNTRUSTED } from "./attemptError.js";

/** Failures that another attempt may mend. */
const RETRYABLE: ReadonlySet<APIErrorCode> = new Set([
  "RATE_LIMITED",
  "SERVER_ERROR",
  "CONNECTION_FAILED",
  "TIMEOUT",
  "BODY_TRUNCATED",
]);

/** Failed connections that would fail the same way again: a closed session, a certificate that is not trusted. */
const LASTING = new RegExp(`^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$|^ERR_TLS_|^HOSTNAME_|${UNTRUSTED.source}`);

/** Whether an error may be gone with the next attempt. */
export function isRetryable(error: unknown): error is APIError {
  if (!(error instanceof APIError) || !RETRYABLE.has(error.code)) return false;
  const code = (error.cause as { code?: unknown } | null | undefined)?.code;
  return !(typeof code === "string" && LASTING.test(code));
}
