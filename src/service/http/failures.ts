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
import { gatewaySays, messageOf, refusalOf, waitHint } from "./waiting.js";

/** Codes of a certificate that no trusted authority has signed. */
export const UNTRUSTED = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

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

/** A response outside 2xx. */
interface FailedResponse {
  /** Path below the base URL, without the query. */
  path: string;
  /** The response, already redacted and clipped. */
  response: ErrorResponse;
  /** Seconds that it asks to wait, see `retryAfterOf`. */
  retryAfter?: number | undefined;
  /** The longest wait of the client in seconds. Default 300. */
  maxRetryWait?: number;
  /** Attempts made, this one included. Default 1. */
  attempts?: number;
}

const MAX_BODY = 2000;

const PUBLIC_PROGRAM_ID = /^\/programs\/\d+-\d+$/;

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
  if (status === 429) {
    const { isQuota, problem, hint } = refusalOf(response, retryAfter, maxRetryWait);
    return new RateLimitError(message(problem), { ...details, hint, retryAfter, isQuota });
  }
  if (status >= 500) {
    const hint =
      path === "/programs/search"
        ? 'The service fails on date ranges such as date:[a TO b]: sort by "date desc" and filter the frame, or search mentions with mindate and maxdate.'
        : !retryAfter
          ? "Try again later, or raise maxRetries."
          : waitHint(retryAfter, maxRetryWait);
    return new APIError(message("server error"), { ...details, code: "SERVER_ERROR", hint });
  }
  if (status >= 300 && status < 400 && status !== 304) {
    const target = quoted(response.headers.location ?? "nowhere", 200);
    const problem = `the service redirects to ${target}, and redirects are not followed`;
    return new APIError(message(problem), { ...details, code: "REDIRECT_REFUSED", hint: `Check ${BASE_URL}.` });
  }
  if (status === 408) return new APIError(message("the request timed out"), { ...details, hint: TRY_AGAIN });
  const hint = PUBLIC_PROGRAM_ID.test(path)
    ? "Use the numeric id of the program (the id of a search result), not its public id."
    : "Check the parameters of the call.";
  return new APIError(message("the request was rejected"), { ...details, code: "HTTP_ERROR", hint });
}

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
  const text = (messageOf(body) ?? body).trim();
  return text === "" || text.startsWith("<") ? "" : ` (${quoted(text, 120)})`;
}

export interface FailedAttempt {
  readonly path: string;
  readonly attempt: number;
  readonly secret: Secret;
  readonly timeout: number;
  readonly maxBodyBytes: number;
  /** The response, if its headers had arrived. */
  readonly response?: ErrorResponse | undefined;
}

/** Why a body could not be read. */
export class BodyError extends Error {
  constructor(
    readonly kind: "truncated" | "too large" | "undecodable",
    detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}

/** Aborts an attempt that takes longer than `timeout`. */
export class AttemptTimeout extends Error {
  constructor() {
    super("the attempt timed out");
  }
}

const TIMEOUT = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

const BASE_URL = "baseUrl (ARCHIVE_BASE_URL)";
const CHECK_VERSION = `Check that ${BASE_URL} ends with the version of the service, for example /2.0.`;
const CHECK_URL_AND_PROXIES = `Check ${BASE_URL} and the proxies.`;
const TRY_AGAIN = "Try again, or raise maxRetries.";

/** The most frequent codes of failed connections, with meaning and hint. The first match counts. */
const CONNECTION_FAILURES: ReadonlyArray<readonly [code: RegExp, meaning: string, hint: string]> = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", `Check the network and ${BASE_URL}.`],
  [/^ECONNREFUSED$/, "connection refused", `Check ${BASE_URL}, and that the service is running.`],
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
    `Check ${BASE_URL}.`,
  ],
  [
    UNTRUSTED,
    "the certificate is not trusted",
    `${CHECK_URL_AND_PROXIES} For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`,
  ],
  [/^ERR_TLS|^ERR_SSL|^EPROTO/, "TLS failure", CHECK_URL_AND_PROXIES],
];

/** The typed error of an attempt without a usable response. */
export function attemptError(error: unknown, failed: FailedAttempt): APIError {
  if (error instanceof BodyError) return bodyFailure(error, failed);
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (error instanceof AttemptTimeout || TIMEOUT.test(String(code))) {
    const what = failed.response === undefined ? "no response" : "no complete response";
    const hint = "Raise the timeout option, or try again.";
    return apiError("TIMEOUT", `${what} within ${failed.timeout} s`, hint, failed, error);
  }
  if (failed.response !== undefined) return truncated(failed, error);
  const known = CONNECTION_FAILURES.find(([pattern]) => pattern.test(String(code ?? name)));
  const [, meaning, hint] = known ?? [undefined, "no connection", `Check the network, the proxies and ${BASE_URL}.`];
  return apiError("CONNECTION_FAILED", `${meaning}${inParentheses(code)}`, hint, failed, error);
}

function bodyFailure({ kind, message, cause }: BodyError, failed: FailedAttempt): APIError {
  if (kind === "truncated") return truncated(failed, cause);
  if (kind === "undecodable") {
    const problem = `the response cannot be decoded: ${failed.secret.redact(message)}`;
    return apiError("UNEXPECTED_BODY", problem, CHECK_URL_AND_PROXIES, failed, cause);
  }
  const hint = "Request less at a time, for example with a smaller limit, or raise maxBodyBytes.";
  return apiError("BODY_TOO_LARGE", `the response is larger than ${failed.maxBodyBytes} bytes`, hint, failed);
}

function truncated(failed: FailedAttempt, cause: unknown): APIError {
  return apiError("BODY_TRUNCATED", "the response is truncated", TRY_AGAIN, failed, cause);
}

function apiError(code: APIErrorCode, problem: string, hint: string, failed: FailedAttempt, cause?: unknown): APIError {
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
