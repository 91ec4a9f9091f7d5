import { copyCause } from "../../errors/causes.js";
import { APIError, type APIErrorCode, type ErrorResponse } from "../../errors/index.js";
import { inApi, option, type Wording, wording } from "../../errors/wording.js";
import { afterAttempts } from "./errorFromResponse.js";
import { RedirectError } from "./exchange.js";
import { BodyError } from "./httpResponse.js";
import type { Secret } from "./secret.js";

/** The attempt that failed. */
export interface FailedAttempt {
  readonly path: string;
  readonly attempt: number;
  readonly secret: Secret;
  readonly timeout: number;
  readonly maxBodyBytes: number;
  /** The response, if its headers had arrived. */
  readonly response?: ErrorResponse | undefined;
}

/** Aborts an attempt that takes longer than `timeout`. */
export class AttemptTimeout extends Error {
  /** @param seconds how long it took, if another process has sent the request */
  constructor(readonly seconds?: number) {
    super("the attempt timed out");
  }
}

const TIMEOUTS: ReadonlySet<unknown> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

/** Codes of a certificate that no trusted authority has signed. */
export const UNTRUSTED = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

const BASE_URL = inApi("the baseUrl option", "ARCHIVE_BASE_URL");
const CHECK_URL_AND_PROXIES = wording`Check ${BASE_URL} and the proxies.`;
const TRY_AGAIN = wording`Try again${inApi(", or raise maxRetries")}.`;

/** The most frequent codes of a failed connection: what they mean, and what helps. The first match counts. */
const CONNECTION_FAILURES: ReadonlyArray<readonly [code: RegExp, meaning: string, hint: Wording]> = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", wording`Check the network and ${BASE_URL}.`],
  [/^ECONNREFUSED$/, "connection refused", wording`Check ${BASE_URL}, and that the service is running.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection lost", TRY_AGAIN],
  [/^(UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, "its session is closed", "Pass an open session to the client, or none."],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response is not valid HTTP", CHECK_URL_AND_PROXIES],
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    "the certificate has expired or is not valid yet",
    "Check the clock of this machine. If it is right, the service has to renew its certificate.",
  ],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "the certificate belongs to another host",
    wording`Check ${BASE_URL}.`,
  ],
  [
    UNTRUSTED,
    "the certificate is not trusted",
    wording`${CHECK_URL_AND_PROXIES} For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`,
  ],
  [/^ERR_TLS|^ERR_SSL|^EPROTO/, "TLS failure", CHECK_URL_AND_PROXIES],
];

/** The typed error of an attempt without a usable response. */
export function attemptError(error: unknown, failed: FailedAttempt): APIError {
  if (error instanceof RedirectError) {
    return apiError("REDIRECT_REFUSED", error.problem, wording`Check ${BASE_URL}.`, failed);
  }
  if (error instanceof BodyError) return bodyFailure(error, failed);
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (error instanceof AttemptTimeout || TIMEOUTS.has(code)) {
    const what = failed.response === undefined ? "no response" : "no complete response";
    const hint = wording`${inApi("Raise the timeout option, or try", "Try")} again.`;
    const { seconds = failed.timeout } = error as Partial<AttemptTimeout>;
    return apiError("TIMEOUT", `${what} within ${seconds} s`, hint, failed, error);
  }
  if (failed.response !== undefined) return truncated(failed, error);
  const known = CONNECTION_FAILURES.find(([pattern]) => pattern.test(String(code ?? name)));
  const [, meaning, hint] = known ?? [
    undefined,
    "no connection",
    wording`Check the network, the proxies and ${inApi("baseUrl", "ARCHIVE_BASE_URL")}.`,
  ];
  return apiError("CONNECTION_FAILED", `${meaning}${inParentheses(code)}`, hint, failed, error);
}

function bodyFailure({ kind, message, cause }: BodyError, failed: FailedAttempt): APIError {
  if (kind === "truncated") return truncated(failed, cause);
  if (kind === "undecodable") {
    const problem = `the response cannot be decoded: ${failed.secret.redact(message)}`;
    return apiError("UNEXPECTED_BODY", problem, CHECK_URL_AND_PROXIES, failed, cause);
  }
  const hint = wording`Request less at a time, for example with a smaller ${option("limit")}${inApi(", or raise maxBodyBytes")}.`;
  return apiError("BODY_TOO_LARGE", `the response is larger than ${failed.maxBodyBytes} bytes`, hint, failed);
}

function truncated(failed: FailedAttempt, cause: unknown): APIError {
  return apiError("BODY_TRUNCATED", "the response is truncated", TRY_AGAIN, failed, cause);
}

function apiError(
  code: APIErrorCode,
  problem: string,
  hint: Wording,
  failed: FailedAttempt,
  cause?: unknown,
): APIError {
  const { path, response, secret, attempt } = failed;
  return new APIError(`GET ${path} failed${afterAttempts(attempt)}: ${problem}.`, {
    code,
    hint,
    method: "GET",
    path,
    statusCode: response?.status,
    response,
    cause: copyCause(cause, secret.redact),
  });
}

function inParentheses(code: unknown): string {
  return typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : "";
}
