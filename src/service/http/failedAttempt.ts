import { copyCause } from "../../errors/causes.js";
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
  /** The response, if there was one: redacted and clipped. */
  response?: ErrorResponse | undefined;
  /** Seconds that the response asks to wait. */
  readonly retryAfter?: number | undefined;
  /** No attempt of this client can succeed. */
  readonly isFinal?: boolean;
  /** The quota of the key is used up. */
  readonly isQuota?: boolean;
  readonly cause?: unknown;
}

/** Why an attempt failed, and whether to try again: the only place that decides that. */
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

  toError(path: string, attempts = 1): APIError {
    const { code, hint, message, details } = this;
    const statusCode = details.response?.status;
    const status = statusCode === undefined ? "" : ` with status ${statusCode}`;
    const after = attempts > 1 ? ` after ${attempts} attempts` : "";
    const Type = CLASSES[code] ?? APIError;
    return new Type(`GET ${path} failed${status}${after}: ${message}.`, { ...details, code, hint, path, statusCode });
  }
}

/** The option with the address of the service, as hints name it. */
export const URL_OPTION = "baseUrl (ARCHIVE_BASE_URL)";

export const CHECK_NETWORK = `Check the network, the proxies and ${URL_OPTION}.`;

export const CHECK_PROXY =
  "Check HTTPS_PROXY and HTTP_PROXY, with user and password if it needs them: http://user:password@proxy.example:8080. NO_PROXY names hosts to connect to without it.";

export const TRY_AGAIN = "Try again later, or raise maxRetries.";

/** A failure to connect to a proxy. */
export class ProxyFailure extends Error {}

const CHECK_SESSION = "Pass an open dispatcher of undici 7 as session, or none.";
const CHECK_CERTIFICATE = `Check ${URL_OPTION} and the clock of this machine. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`;

type ConnectionFailure = readonly [pattern: RegExp, problem: string, hint: string, isFinal?: "final"];

/** Problem and hint by error code; the first match counts. Another attempt would repeat a final one. */
const CONNECTION_FAILURES: readonly ConnectionFailure[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", CHECK_NETWORK],
  [/^ECONNREFUSED$/, "connection refused", `Check ${URL_OPTION}, and that the service is running.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection lost", TRY_AGAIN],
  [/^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$/, "its session is closed or of another undici", CHECK_SESSION, "final"],
  [/CERT|ALTNAME|^UNABLE_TO_|^INVALID_/, "the certificate is not trusted", CHECK_CERTIFICATE, "final"],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response is not valid HTTP", CHECK_NETWORK],
  [/^/, "no connection", CHECK_NETWORK],
];

/** The failure of an attempt without a response. */
export function failedConnection(error: unknown, redact: (text: string) => string): FailedAttempt {
  const isProxy = error instanceof ProxyFailure;
  const reason = isProxy ? error.cause : error;
  const cause = copyCause(reason, redact);
  const { code = "", name = "", message = "" } = (reason ?? {}) as Partial<NodeJS.ErrnoException>;
  // undici reports the status of a proxy only in its message.
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined) {
    const problem = `the proxy refused the connection with status ${status}`;
    return new FailedAttempt("CONNECTION_FAILED", problem, CHECK_PROXY, { cause, isFinal: status.startsWith("4") });
  }
  const [, description, hint, final] = CONNECTION_FAILURES.find(([pattern]) =>
    pattern.test(code || name),
  ) as ConnectionFailure;
  const failure = /^[A-Z0-9_]{2,60}$/.test(code) ? `${description} (${redact(code)})` : description;
  const [problem, remedy] = isProxy ? [`no connection to the proxy: ${failure}`, CHECK_PROXY] : [failure, hint];
  return new FailedAttempt("CONNECTION_FAILED", problem, remedy, { cause, isFinal: final !== undefined });
}
