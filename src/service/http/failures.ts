import { copyCause } from "../../errors/causes.js";
import {
  APIError,
  type APIErrorCode,
  AuthenticationError,
  type ErrorCode,
  type ErrorResponse,
  NotFoundError,
  RateLimitError,
} from "../../errors/index.js";
import { clip, quoted } from "../../util/quoted.js";
import { DEFAULTS } from "./options.js";
import type { Secret } from "./secret.js";
import { gatewaySays, messageOf, refusalOf } from "./waiting.js";

/** Failures that other requests of the client would run into, too. */
const COMMON: ReadonlySet<ErrorCode> = new Set([
  "ABORTED",
  "AUTHENTICATION",
  "RATE_LIMITED",
  "CONNECTION_FAILED",
  "CLIENT_CLOSED",
  "QUEUE_FAILED",
]);

/** Whether to send no further requests, once the attempts of this one are used up. A 403 is a wrong key or a wrong address. */
export function stopsAll({ code, statusCode }: { readonly code: ErrorCode; readonly statusCode?: number }): boolean {
  return COMMON.has(code) || statusCode === 403;
}

const RETRYABLE: ReadonlySet<APIErrorCode> = new Set([
  "RATE_LIMITED",
  "SERVER_ERROR",
  "CONNECTION_FAILED",
  "TIMEOUT",
  "BODY_TRUNCATED",
]);

/** A failed attempt: the error for the user, and whether to try again. No other place decides that, so a new rule goes here. */
export class FailedAttempt extends Error {
  /** Another attempt may succeed. 408: the service did not get the request in time. */
  readonly isRetryable: boolean;
  /** A 429: the service refuses all requests of the client for now. */
  readonly isRefusal: boolean;

  /**
   * @param isFinal no attempt of this client can succeed
   * @param retryAfter seconds that the service asks to wait
   */
  constructor(
    readonly error: APIError,
    readonly isFinal: boolean,
    readonly retryAfter?: number,
  ) {
    super(error.message);
    this.isRetryable = !isFinal && (RETRYABLE.has(error.code) || error.statusCode === 408);
    this.isRefusal = this.isRetryable && error.code === "RATE_LIMITED";
  }
}

/** A response outside 2xx. */
interface FailedResponse {
  /** Path below the base URL, without the query. */
  path: string;
  /** The response, already redacted and clipped. */
  response: ErrorResponse;
  /** Seconds that it asks to wait. */
  retryAfter?: number | undefined;
  /** The longest wait of the client in seconds. Default 300. */
  maxRetryWait?: number;
  /** Attempts made, this one included. Default 1. */
  attempts?: number;
}

const BASE_URL = "baseUrl (ARCHIVE_BASE_URL)";
const CHECK_VERSION = `Check that ${BASE_URL} ends with the version of the service, for example /2.0.`;
const CHECK_URL_AND_PROXIES = `Check ${BASE_URL} and the proxies.`;
const CHECK_PROXY =
  "Check HTTPS_PROXY and HTTP_PROXY, with user and password if it needs them: http://user:password@proxy.example:8080. NO_PROXY names hosts to connect to without it.";
const TRY_AGAIN = "Try again, or raise maxRetries.";

/** The error for a response outside 2xx, with a hint that fits its status. */
export function errorFromResponse({
  path,
  response,
  retryAfter,
  maxRetryWait = DEFAULTS.maxRetryWait,
  attempts,
}: FailedResponse): APIError {
  const { status } = response;
  const details = { method: "GET", path, statusCode: status, response };
  const failed = `GET ${path} failed with status ${status}`;
  const message = (problem: string) => `${failed}${afterAttempts(attempts)}: ${problem}${excerpt(response.body)}.`;

  if (status === 403 && gatewaySays(response, "MissingAuthenticationTokenException", "Missing Authentication Token")) {
    const hint = `The address is wrong, not the key. ${CHECK_VERSION}`;
    return new NotFoundError(`${failed}: the service has no such path.`, { ...details, hint });
  }
  if (status === 407) return new APIError(`${failed}: the proxy wants a password.`, { ...details, hint: CHECK_PROXY });
  if (status === 403 && isForeignPage(response)) {
    const problem = "a firewall or proxy between you and the service refused it, with a web page";
    const hint = "The key was not rejected. Ask whoever runs your network, or use another network.";
    return new APIError(`${failed}: ${problem}.`, { ...details, hint });
  }
  if (status === 401 || status === 403) {
    // A body that echoes the request may contain a part of the key, so it is not quoted.
    const hint = "Check ARCHIVE_API_KEY or CSPAN_API_KEY, or the apiKey option.";
    return new AuthenticationError(`${failed}: the API key was rejected.`, { ...details, hint });
  }
  if (status === 404) {
    const hint = path.startsWith("/programs/")
      ? "Check the id: programs are looked up by the numeric id of a search result."
      : `Check the id. ${CHECK_VERSION}`;
    return new NotFoundError(message("not found"), { ...details, hint });
  }
  const { isQuota, problem, hint: waitHint } = refusalOf(response, retryAfter, maxRetryWait);
  if (status === 429) return new RateLimitError(message(problem), { ...details, hint: waitHint, retryAfter, isQuota });
  if (status >= 500) {
    const hint =
      path === "/programs/search"
        ? 'The service fails on date ranges such as date:[a TO b]: sort by "date desc" and filter the frame, or search mentions with mindate and maxdate.'
        : retryAfter
          ? waitHint
          : "Try again later, or raise maxRetries.";
    return new APIError(message("server error"), { ...details, code: "SERVER_ERROR", hint });
  }
  if (status >= 300 && status < 400 && status !== 304) {
    const target = quoted(response.headers.location ?? "nowhere", 200);
    const problem = `the service redirects to ${target}, and redirects are not followed`;
    return new APIError(message(problem), { ...details, code: "REDIRECT_REFUSED", hint: `Check ${BASE_URL}.` });
  }
  if (status === 408) return new APIError(message("the request timed out"), { ...details, hint: TRY_AGAIN });
  const hint = /^\/programs\/\d+-\d+$/.test(path)
    ? "Use the numeric id of the program (the id of a search result), not its public id."
    : "Check the parameters of the call.";
  return new APIError(message("the request was rejected"), { ...details, code: "HTTP_ERROR", hint });
}

/** Whether a response is a web page that did not come through the gateway of the service. */
function isForeignPage({ headers, body }: ErrorResponse): boolean {
  const isPage = body.trim().startsWith("<") || /^text\/html/i.test(headers["content-type"] ?? "");
  return isPage && !Object.keys(headers).some((name) => /^x-am(zn|z-apigw)-/.test(name));
}

const MAX_BODY = 2000;

/** A response as errors keep it: without the key, the body clipped to 2,000 characters. */
export function errorResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
  secret: Secret,
): ErrorResponse {
  // Redact before clipping: half a key at the end would not be recognized.
  const text = clip(secret.redact(body.toString("utf8")), MAX_BODY);
  return Object.freeze({ status, headers: Object.freeze(secret.redactAll(headers)), body: text });
}

function afterAttempts(attempts = 1): string {
  return attempts > 1 ? ` after ${attempts} attempts` : "";
}

/** The beginning of a plain-text body, quoted; of a JSON body its message. HTML error pages are left out. */
function excerpt(body: string): string {
  const text = messageOf(body);
  return text === "" || text.startsWith("<") ? "" : ` (${quoted(text, 120)})`;
}

/** Why an attempt has no usable response. */
export class UnusableResponse extends Error {
  constructor(
    readonly code: APIErrorCode,
    problem: string,
    readonly hint: string = CHECK_URL_AND_PROXIES,
    cause?: unknown,
  ) {
    super(problem, { cause });
  }
}

export function truncated(cause: unknown): UnusableResponse {
  return new UnusableResponse("BODY_TRUNCATED", "the response is truncated", TRY_AGAIN, cause);
}

/** A failure to connect to a proxy. */
export class ProxyFailure extends Error {}

type ConnectionFailure = readonly [pattern: RegExp, meaning: string, hint: string, isFinal?: "final"];

/** The most frequent codes of failed connections, with meaning and hint. The first match counts. The final ones would repeat. */
const CONNECTION_FAILURES: readonly ConnectionFailure[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", `Check the network and ${BASE_URL}.`],
  [/^ECONNREFUSED$/, "connection refused", `Check ${BASE_URL}, and that the service is running.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection lost", TRY_AGAIN],
  [
    /^(UND_ERR_CLOSED|UND_ERR_DESTROYED)$/,
    "its session is closed",
    "Pass an open session to the client, or none.",
    "final",
  ],
  [
    /^UND_ERR_INVALID_ARG$/,
    "its session does not accept the request",
    "Pass a dispatcher of undici 7 as session, or none.",
    "final",
  ],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response is not valid HTTP", CHECK_URL_AND_PROXIES],
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    "the certificate has expired or is not valid yet",
    "Check the clock of this machine. If it is right, the service has to renew its certificate.",
    "final",
  ],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "the certificate belongs to another host",
    `Check ${BASE_URL}.`,
    "final",
  ],
  [
    /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/,
    "the certificate is not trusted",
    `${CHECK_URL_AND_PROXIES} For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`,
    "final",
  ],
  [/^ERR_TLS/, "TLS failure", CHECK_URL_AND_PROXIES, "final"],
  [/^ERR_SSL|^EPROTO/, "TLS failure", CHECK_URL_AND_PROXIES],
  [/^/, "no connection", `Check the network, the proxies and ${BASE_URL}.`],
];

/** What an attempt was without a usable response. */
export interface LostAttempt {
  readonly path: string;
  readonly attempt: number;
  readonly key: Secret;
  /** The response, if its headers had arrived. */
  readonly response: ErrorResponse | undefined;
}

/** The failure of an attempt without a usable response. */
export function lostAttempt(error: unknown, { path, attempt, key, response }: LostAttempt): FailedAttempt {
  const failure = response === undefined || error instanceof UnusableResponse ? error : truncated(error);
  const { code, problem, hint, cause, isFinal } =
    failure instanceof UnusableResponse
      ? { ...failure, problem: key.redact(failure.message), cause: failure.cause, isFinal: false }
      : connectionFailure(failure);
  const what = `GET ${path} failed${afterAttempts(attempt)}: ${problem}.`;
  const details = { code, hint, method: "GET", path, statusCode: response?.status, response };
  return new FailedAttempt(new APIError(what, { ...details, cause: copyCause(cause, key.redact) }), isFinal);
}

function connectionFailure(error: unknown) {
  const cause = error instanceof ProxyFailure ? error.cause : error;
  const { code, name, message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const row = CONNECTION_FAILURES.find(([pattern]) => pattern.test(String(code ?? name)));
  const [, meaning, hint, isFinal] = row as ConnectionFailure;
  const shownCode = /^[A-Z0-9_]{2,60}$/.test(String(code)) && code !== undefined ? ` (${code})` : "";
  // So undici reports what a proxy answers.
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message ?? "") ?? [];
  const common = { code: "CONNECTION_FAILED" as const, cause };
  if (status !== undefined) {
    const problem = `the proxy refused the connection with status ${status}`;
    return { ...common, problem, hint: CHECK_PROXY, isFinal: status.startsWith("4") };
  }
  if (error instanceof ProxyFailure) {
    const problem = `no connection to the proxy: ${meaning}${shownCode}`;
    return { ...common, problem, hint: CHECK_PROXY, isFinal: isFinal !== undefined };
  }
  return { ...common, problem: `${meaning}${shownCode}`, hint, isFinal: isFinal !== undefined };
}
