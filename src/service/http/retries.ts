import { APIError, type APIErrorCode } from "../../errors/index.js";
import { UNTRUSTED } from "./failures.js";
import type { Failure } from "./pacer.js";
import { refusalOf } from "./waiting.js";

const RETRYABLE: ReadonlySet<APIErrorCode> = new Set([
  "RATE_LIMITED",
  "SERVER_ERROR",
  "CONNECTION_FAILED",
  "TIMEOUT",
  "BODY_TRUNCATED",
]);

/** Connection failures that would repeat: a closed session, an untrusted certificate. */
const PERMANENT = /^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$|^ERR_TLS_|^HOSTNAME_/;

/**
 * Decides whether a failed attempt is repeated. No other place does, so a new rule goes here.
 *
 * @param retryAfter seconds that the response asks to wait
 * @param isProbe only a 429 is repeated
 */
export function assess(
  error: unknown,
  retryAfter: number | undefined,
  maxRetryWait: number,
  isProbe: boolean,
): Failure {
  const { response, code, statusCode, cause } = error instanceof APIError ? error : ({} as Partial<APIError>);
  const isRefusal = code === "RATE_LIMITED";
  const isFinal = response !== undefined && refusalOf(response, retryAfter, maxRetryWait).isFinal;
  // 408: the service did not get the request in time.
  const isTemporary = code !== undefined && (RETRYABLE.has(code) || statusCode === 408);
  const reason = String((cause as { readonly code?: unknown } | null | undefined)?.code ?? "");
  const isRetryable = isTemporary && !isFinal && !PERMANENT.test(reason) && !UNTRUSTED.test(reason);
  return { isRefusal: isRefusal && !isFinal, isRetryable: isRetryable && (isRefusal || !isProbe), retryAfter };
}
