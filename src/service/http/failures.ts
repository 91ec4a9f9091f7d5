import { copyCause } from "../../errors/causes.js";
import {
  APIError,
  type APIErrorCode,
  AuthenticationError,
  type ErrorResponse,
  NotFoundError,
  RateLimitError,
} from "../../errors/index.js";
import { clip, quoted } from "../../util/quoted.js";
import { DEFAULTS } from "./options.js";
import type { Secret } from "./secret.js";
import { gatewaySays, messageOf, refusalOf } from "./waiting.js";

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
  readonly path: string;
  /** The response, already redacted and clipped. */
  readonly response: ErrorResponse;
  /** Seconds that it asks to wait. */
  readonly retryAfter?: number | undefined;
  /** The longest wait of the client in seconds. Default 300. */
  readonly maxRetryWait?: number;
  /** Attempts made, this one included. Default 1. */
  readonly attempts?: number;
}

const BASE_URL = "baseUrl (ARCHIVE_BASE_URL)";
const CHECK_VERSION = `Check that ${BASE_URL} ends with the version of the service, for example /2.0.`;
const CHECK_URL_AND_PROXIES = `Check ${BASE_URL} and the proxies.`;
const CHECK_PROXY =
  "Check HTTPS_PROXY and HTTP_PROXY, with user and password if it needs them: http://user:password@proxy.example:8080. NO_PROXY names hosts to connect to without it.";
const TRY_AGAIN = "Try again, or raise maxRetries.";

/** The error for a response outside 2xx, with a hint that fits its status. */
export function errorFromResponse(failed: FailedResponse): APIError {
  const { path, response, retryAfter, maxRetryWait = DEFAULTS.maxRetryWait, attempts } = failed;
  const { status } = response;
  const details = (hint: string) => ({ method: "GET", path, statusCode: status, response, hint });
  const plain = (problem: string) => `GET ${path} failed with status ${status}${afterAttempts(attempts)}: ${problem}.`;
  const message = (problem: string) => plain(`${problem}${excerpt(response.body)}`);

  if (status === 403 && gatewaySays(response, "MissingAuthenticationTokenException", "Missing Authentication Token")) {
    const hint = `The address is wrong, not the key. ${CHECK_VERSION}`;
    return new NotFoundError(plain("the service has no such path"), details(hint));
  }
  if (status === 403 && isForeignPage(response)) {
    const problem = "a firewall or proxy between you and the service refused it, with a web page";
    const hint = "The service has not rejected the key. Ask whoever runs your network, or use another network.";
    return new APIError(plain(problem), details(hint));
  }
  if (status === 401 || status === 403) {
    // A body that echoes the request may contain a part of the key, so it is not quoted.
    const hint = "Check ARCHIVE_API_KEY or CSPAN_API_KEY, or the apiKey option.";
    return new AuthenticationError(plain("the API key was rejected"), details(hint));
  }
  if (status === 404) {
    const hint = path.startsWith("/programs/")
      ? "Check the id: programs are looked up by the numeric id of a search result."
      : `Check the id. ${CHECK_VERSION}`;
    return new NotFoundError(message("not found"), details(hint));
  }
  if (status === 407) return new APIError(message("the proxy wants a password"), details(CHECK_PROXY));
  if (status === 408) return new APIError(message("the request timed out"), details(TRY_AGAIN));
  const { isQuota, problem, hint: waitHint } = refusalOf(response, retryAfter, maxRetryWait);
  if (status === 429) return new RateLimitError(message(problem), { ...details(waitHint), retryAfter, isQuota });
  if (status >= 500) {
    const hint =
      path === "/programs/search"
        ? 'The service fails on date ranges such as date:[a TO b]: sort by "date desc" and filter the frame, or search mentions with mindate and maxdate.'
        : retryAfter
          ? waitHint
          : "Try again later, or raise maxRetries.";
    return new APIError(message("server error"), { ...details(hint), code: "SERVER_ERROR" });
  }
  if (status >= 300 && status < 400 && status !== 304) {
    const target = quoted(response.headers.location ?? "nowhere", 200);
    const problem = `the service redirects to ${target}, and redirects are not followed`;
    return new APIError(message(problem), { ...details(`Check ${BASE_URL}.`), code: "REDIRECT_REFUSED" });
  }
  const hint = /^\/programs\/\d+-\d+$/.test(path)
    ? "Use the numeric id of the program (the id of a search result), not its public id."
    : "Check the parameters of the call.";
  return new APIError(message("the request was rejected"), details(hint));
}

/** The failure of an attempt with a response outside 2xx. */
export function failedResponse(failed: FailedResponse): FailedAttempt {
  const { response, retryAfter, maxRetryWait = DEFAULTS.maxRetryWait } = failed;
  const { isFinal } = refusalOf(response, retryAfter, maxRetryWait);
  return new FailedAttempt(errorFromResponse(failed), isFinal, retryAfter);
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

const CHECK_SESSION = "Pass an open dispatcher of undici 7 as session, or none.";
const CHECK_CLOCK = "Check the clock of this machine. If it is right, the service has to renew its certificate.";
const ADD_AUTHORITY = "For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.";

type ConnectionFailure = readonly [pattern: RegExp, meaning: string, hint: string, isFinal?: "final"];

/** The most frequent codes of failed connections, with meaning and hint. The first match counts. The final ones would repeat. */
const CONNECTION_FAILURES: readonly ConnectionFailure[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", `Check the network and ${BASE_URL}.`],
  [/^ECONNREFUSED$/, "connection refused", `Check ${BASE_URL}, and that the service is running.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection lost", TRY_AGAIN],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, "its session is closed", CHECK_SESSION, "final"],
  [/^UND_ERR_INVALID_ARG$/, "its session does not accept the request", CHECK_SESSION, "final"],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response is not valid HTTP", CHECK_URL_AND_PROXIES],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "the certificate has expired or is not valid yet", CHECK_CLOCK, "final"],
  [/ALTNAME|^HOSTNAME_/, "the certificate belongs to another host", `Check ${BASE_URL}.`, "final"],
  [
    /CERT|^UNABLE_TO_|^INVALID_|^PATH_LENGTH/,
    "the certificate is not trusted",
    `${CHECK_URL_AND_PROXIES} ${ADD_AUTHORITY}`,
    "final",
  ],
  [/^ERR_TLS/, "TLS failure", CHECK_URL_AND_PROXIES, "final"],
  [/^(ERR_SSL|EPROTO)/, "TLS failure", CHECK_URL_AND_PROXIES],
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
  const isConnection = response === undefined && !(error instanceof UnusableResponse);
  const { failure, isFinal } = isConnection ? connectionFailure(error) : { failure: error, isFinal: false };
  const { code, message, hint, cause } = failure instanceof UnusableResponse ? failure : truncated(failure);
  const what = `GET ${path} failed${afterAttempts(attempt)}: ${key.redact(message)}.`;
  const details = { code, hint, method: "GET", path, statusCode: response?.status, response };
  return new FailedAttempt(new APIError(what, { ...details, cause: copyCause(cause, key.redact) }), isFinal);
}

function connectionFailure(error: unknown): { failure: UnusableResponse; isFinal: boolean } {
  const cause = error instanceof ProxyFailure ? error.cause : error;
  const { code = "", name, message = "" } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const failed = (problem: string, hint: string, isFinal: boolean) => ({
    failure: new UnusableResponse("CONNECTION_FAILED", problem, hint, cause),
    isFinal,
  });
  // So undici reports what a proxy answers.
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined) {
    const problem = `the proxy refused the connection with status ${status}`;
    return failed(problem, CHECK_PROXY, status.startsWith("4"));
  }
  const row = CONNECTION_FAILURES.find(([pattern]) => pattern.test(code || String(name)));
  const [, meaning, hint, final] = row as ConnectionFailure;
  const problem = /^[A-Z0-9_]{2,60}$/.test(code) ? `${meaning} (${code})` : meaning;
  return error instanceof ProxyFailure
    ? failed(`no connection to the proxy: ${problem}`, CHECK_PROXY, final !== undefined)
    : failed(problem, hint, final !== undefined);
}
