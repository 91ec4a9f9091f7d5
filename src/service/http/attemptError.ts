import { APIError, type APIErrorCode, type ErrorResponse } from "../../errors/index.js";
import { BodyProblem } from "./body.js";
import { cleanCause } from "./cleanCause.js";
import { afterAttempts } from "./errorFromResponse.js";
import { RedirectRefusal } from "./exchange.js";
import type { Secret } from "./secret.js";

/** What was asked, as errors need it. */
export interface Asked {
  readonly path: string;
  readonly attempt: number;
  readonly secret: Secret;
  readonly timeout: number;
  readonly maxBodyBytes: number;
  /** The answer, when its head had arrived. */
  readonly response?: ErrorResponse | undefined;
}

/** The reason with which an attempt is aborted when its time is over. */
export class AttemptTimeout extends Error {
  constructor() {
    super("the time of the attempt is over");
  }
}

const TIMEOUTS: ReadonlySet<unknown> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

/** Codes of a certificate that leads to no authority that is trusted. */
export const UNTRUSTED = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

/** What the commonest codes of a failed connection mean, and what helps. */
const CONNECTION_HINTS: ReadonlyArray<readonly [RegExp, string, string]> = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name was not found", "Check the network and the baseUrl option."],
  [/^ECONNREFUSED$/, "the connection was refused", "Check the baseUrl option, and that the service is up."],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was lost", "Try again, or raise maxRetries."],
  [/^(UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, "its session is closed", "Give the client an open session, or none."],
  [
    /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/,
    "the answer is no HTTP",
    "Check the baseUrl option and the proxies.",
  ],
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    "the certificate has expired, or is not valid yet",
    "Check the clock of this machine; otherwise only whoever runs the service can renew it.",
  ],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "the certificate is that of another host",
    "Check the baseUrl option.",
  ],
  [
    UNTRUSTED,
    "the certificate is not trusted",
    "Check the baseUrl option and the proxies; for an authority of your own set NODE_EXTRA_CA_CERTS to its certificate.",
  ],
  [/^ERR_TLS|^ERR_SSL|^EPROTO/, "TLS failed", "Check the baseUrl option and the proxies."],
];

/** Makes the typed error of an attempt that brought no usable answer. */
export function attemptError(error: unknown, asked: Asked): APIError {
  if (error instanceof RedirectRefusal) {
    return typed("REDIRECT_REFUSED", error.problem, "Check the baseUrl option.", asked);
  }
  if (error instanceof BodyProblem) return bodyFailure(error, asked);
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (error instanceof AttemptTimeout || TIMEOUTS.has(code)) {
    const what = asked.response === undefined ? "got no answer" : "got no complete body";
    return typed(
      "TIMEOUT",
      `${what} within ${asked.timeout} s`,
      "Raise the timeout option, or try again.",
      asked,
      error,
    );
  }
  if (asked.response !== undefined) return cutOff(asked, error);
  const known = CONNECTION_HINTS.find(([pattern]) => pattern.test(String(code ?? name)));
  const [, reason, hint] = known ?? [undefined, "the connection failed", "Check the network, the proxies and baseUrl."];
  return typed("CONNECTION_FAILED", `got no answer: ${reason}${named(code)}`, hint, asked, error);
}

function bodyFailure({ kind, message, cause }: BodyProblem, asked: Asked): APIError {
  if (kind === "truncated") return cutOff(asked, cause);
  if (kind === "undecodable") {
    const problem = `got a body that cannot be decoded: ${asked.secret.redact(message)}`;
    return typed("UNEXPECTED_BODY", problem, "Check the baseUrl option and the proxies.", asked, cause);
  }
  const hint = "Ask for less at once, for example with a smaller limit, or raise maxBodyBytes.";
  return typed("BODY_TOO_LARGE", `got a body of more than ${asked.maxBodyBytes} bytes`, hint, asked);
}

function cutOff(asked: Asked, cause: unknown): APIError {
  return typed("BODY_TRUNCATED", "got a body that breaks off", "Try again, or raise maxRetries.", asked, cause);
}

function typed(code: APIErrorCode, problem: string, hint: string, asked: Asked, cause?: unknown): APIError {
  const { path, response, secret } = asked;
  return new APIError(`GET ${path} ${problem}${afterAttempts(asked.attempt)}.`, {
    code,
    hint,
    method: "GET",
    path,
    statusCode: response?.status,
    response,
    cause: cleanCause(cause, secret),
  });
}

function named(code: unknown): string {
  return typeof code === "string" && /^[A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : "";
}
