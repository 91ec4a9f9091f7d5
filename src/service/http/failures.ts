import { copyCause } from "../../errors/causes.js";
import {
  APIError,
  type APIErrorCode,
  type APIErrorDetails,
  AuthenticationError,
  type ErrorResponse,
  NotFoundError,
  RateLimitError,
} from "../../errors/index.js";
import { clip, quoted } from "../../util/quoted.js";
import { DEFAULTS } from "./options.js";
import type { Secret } from "./secret.js";

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

const BASE_URL = "baseUrl (ARCHIVE_BASE_URL)";
const CHECK_VERSION = `Check that ${BASE_URL} ends with the version of the service, for example /2.0.`;
const CHECK_NETWORK = `Check the network, the proxies and ${BASE_URL}.`;
const CHECK_PROXY =
  "Check HTTPS_PROXY and HTTP_PROXY, with user and password if it needs them: http://user:password@proxy.example:8080. NO_PROXY names hosts to connect to without it.";
const TRY_AGAIN = "Try again later, or raise maxRetries.";

/** A response outside 2xx. */
interface FailedResponse {
  /** Path below the base URL, without the query. */
  readonly path: string;
  /** The response, already redacted and clipped. */
  readonly response: ErrorResponse;
  /** Seconds that it asks to wait. */
  readonly retryAfter?: number | undefined;
  /** The longest wait of the client in seconds. */
  readonly maxRetryWait?: number;
  /** Attempts made, this one included. */
  readonly attempts?: number;
}

/** What only some statuses have. */
type StatusDetails = Pick<APIErrorDetails, "code"> & { retryAfter?: number | undefined; isQuota?: boolean };
type ErrorClass = new (what: string, details: APIErrorDetails & StatusDetails) => APIError;

/** The failure of an attempt with a response outside 2xx, with a hint that fits its status. */
export function failedResponse(failed: FailedResponse): FailedAttempt {
  const { path, response, retryAfter = 0, maxRetryWait = DEFAULTS.maxRetryWait, attempts } = failed;
  const { status } = response;
  const isUsedUp =
    status === 429 && gatewaySays(response, "LimitExceededException", "Limit Exceeded", "Too Many Requests");
  const isFinal = isUsedUp || retryAfter > maxRetryWait;
  const fail = (Type: ErrorClass, problem: string, hint: string, more?: StatusDetails) => {
    const what = `GET ${path} failed with status ${status}${afterAttempts(attempts)}: ${problem}.`;
    const error = new Type(what, { path, statusCode: status, response, hint, ...more });
    return new FailedAttempt(error, isFinal, failed.retryAfter);
  };
  const excerpt = excerptOf(response.body);

  if (status === 403 && gatewaySays(response, "MissingAuthenticationTokenException", "Missing Authentication Token")) {
    const hint = `The address is wrong, not the key. ${CHECK_VERSION}`;
    return fail(NotFoundError, "the service has no such path", hint);
  }
  if (status === 403 && isForeignPage(response)) {
    const problem = "a firewall or proxy between you and the service refused it, with a web page";
    return fail(APIError, problem, "The service has not rejected the key. Ask whoever runs your network.");
  }
  if (status === 401 || status === 403) {
    // A body that echoes the request may contain a part of the key, so it is not quoted.
    const hint = "Check ARCHIVE_API_KEY or CSPAN_API_KEY, or the apiKey option.";
    return fail(AuthenticationError, "the API key was rejected", hint);
  }
  if (status === 404) {
    const hint = path.startsWith("/programs/")
      ? "Check the id: programs are looked up by the numeric id of a search result."
      : `Check the id. ${CHECK_VERSION}`;
    return fail(NotFoundError, `not found${excerpt}`, hint);
  }
  if (status === 407) return fail(APIError, `the proxy wants a password${excerpt}`, CHECK_PROXY);
  if (status === 429) {
    const isQuota = isUsedUp || retryAfter > MAX_THROTTLE;
    const problem = isQuota ? "the quota of this key is used up" : "too many requests";
    const hint = isUsedUp ? "Run it again when its day, week or month is over, or use another key." : waitHint(failed);
    return fail(RateLimitError, problem + excerpt, hint, { retryAfter: failed.retryAfter, isQuota });
  }
  if (status >= 500) {
    const hint = path === "/programs/search" ? SORT_BY_DATE : retryAfter > 0 ? waitHint(failed) : TRY_AGAIN;
    return fail(APIError, `server error${excerpt}`, hint, { code: "SERVER_ERROR" });
  }
  if (status >= 300 && status < 400 && status !== 304) {
    const target = quoted(response.headers.location ?? "nowhere", 200);
    const problem = `the service redirects to ${target}, and redirects are not followed`;
    return fail(APIError, problem, `Check ${BASE_URL}.`, { code: "REDIRECT_REFUSED" });
  }
  const hint = /^\/programs\/\d+-\d+$/.test(path)
    ? "Use the numeric id of the program (the id of a search result), not its public id."
    : "Check the parameters of the call.";
  return fail(APIError, `the request was rejected${excerpt}`, hint);
}

/** The error for a response outside 2xx. */
export function errorFromResponse(failed: FailedResponse): APIError {
  return failedResponse(failed).error;
}

const SORT_BY_DATE =
  'The service fails on date ranges such as date:[a TO b]: sort by "date desc" and filter the frame, or search mentions with mindate and maxdate.';

/** Seconds. A longer Retry-After means that the quota is used up, a shorter one that requests came too fast. */
const MAX_THROTTLE = 300;

function waitHint({ retryAfter = 0, maxRetryWait = DEFAULTS.maxRetryWait }: FailedResponse): string {
  // A wait that is over already has not helped.
  const wait = retryAfter > 0 ? `Wait ${retryAfter} seconds` : "Wait a minute";
  const remedy = retryAfter > maxRetryWait ? `let the client wait: maxRetryWait: ${retryAfter}` : "lower concurrency";
  return `${wait} and run it again, or ${remedy}.`;
}

/**
 * Whether AWS API Gateway, which the live service stands behind, gives an error of a type: by its message, or in its header unless the
 * message is `other`.
 */
function gatewaySays({ headers, body }: ErrorResponse, type: string, message: string, other?: string): boolean {
  const text = messageOf(body);
  // The type may be followed by a colon and a URL.
  return text === message || (text !== other && headers["x-amzn-errortype"]?.split(":")[0] === type);
}

/** Where services put their message in a JSON body, even a clipped one: `{"error":{"message":"…"}}`. */
const MESSAGE = /"(?:message|detail|error_description|error|title)"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The message in a JSON body; otherwise the body. */
function messageOf(body: string): string {
  try {
    return String(JSON.parse(MESSAGE.exec(body)?.[1] ?? "")).trim();
  } catch {
    return body.trim();
  }
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

/** The message of a body, quoted. HTML error pages are left out. */
function excerptOf(body: string): string {
  const text = messageOf(body);
  return text === "" || text.startsWith("<") ? "" : ` (${quoted(text, 120)})`;
}

/** Why an attempt has no usable response. */
export class UnusableResponse extends Error {
  constructor(
    readonly code: APIErrorCode,
    problem: string,
    readonly hint: string = CHECK_NETWORK,
    cause?: unknown,
    readonly isFinal = false,
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
const CHECK_CERTIFICATE = `Check ${BASE_URL} and the clock of this machine. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`;

type ConnectionFailure = readonly [pattern: RegExp, problem: string, hint: string, isFinal?: "final"];

/** The most frequent codes of failed connections, with problem and hint. The first match counts. The final ones would repeat. */
const CONNECTION_FAILURES: readonly ConnectionFailure[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", CHECK_NETWORK],
  [/^ECONNREFUSED$/, "connection refused", `Check ${BASE_URL}, and that the service is running.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection lost", TRY_AGAIN],
  [/^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$/, "its session is closed or of another undici", CHECK_SESSION, "final"],
  [/CERT|ALTNAME|^UNABLE_TO_|^INVALID_/, "the certificate is not trusted", CHECK_CERTIFICATE, "final"],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response is not valid HTTP", CHECK_NETWORK],
  [/^/, "no connection", CHECK_NETWORK],
];

/** The failure of an attempt without a usable response. @param response if its headers had arrived */
export function lostAttempt(
  error: unknown,
  { path, attempt, key }: { readonly path: string; readonly attempt: number; readonly key: Secret },
  response: ErrorResponse | undefined,
): FailedAttempt {
  const failure =
    error instanceof UnusableResponse ? error : response === undefined ? failedConnection(error) : truncated(error);
  const { code, message, hint, cause, isFinal } = failure;
  const what = `GET ${path} failed${afterAttempts(attempt)}: ${key.redact(message)}.`;
  const details = { code, hint, path, statusCode: response?.status, response };
  return new FailedAttempt(new APIError(what, { ...details, cause: copyCause(cause, key.redact) }), isFinal);
}

function failedConnection(error: unknown): UnusableResponse {
  const isProxy = error instanceof ProxyFailure;
  const cause = isProxy ? error.cause : error;
  const { code = "", name = "", message = "" } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const failed = (problem: string, hint: string, isFinal: boolean) =>
    new UnusableResponse("CONNECTION_FAILED", problem, hint, cause, isFinal);
  // So undici reports what a proxy answers.
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined)
    return failed(`the proxy refused the connection with status ${status}`, CHECK_PROXY, status.startsWith("4"));
  const row = CONNECTION_FAILURES.find(([pattern]) => pattern.test(code || name)) as ConnectionFailure;
  const [, meaning, hint, final] = row;
  const problem = /^[A-Z0-9_]{2,60}$/.test(code) ? `${meaning} (${code})` : meaning;
  return isProxy
    ? failed(`no connection to the proxy: ${problem}`, CHECK_PROXY, final !== undefined)
    : failed(problem, hint, final !== undefined);
}
