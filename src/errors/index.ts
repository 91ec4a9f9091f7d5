import type { Engine, FrameTypes } from "../util/frameTypes.js";
import { escaped } from "../util/text.js";
import { copyCause } from "./causes.js";
import type { APIErrorCode, ErrorCode } from "./errorCode.js";

export type * from "./errorCode.js";

/** Longer messages and hints are clipped: they may quote a megabyte. */
const MAX_LENGTH = 4000;

/**
 * The rows fetched by a call: `error.partial` after a failure, `archive.lastResult()` at any time.
 *
 * @example
 * const { rows, cursor } = error.partial!;
 * const rest = await archive.mentions("climate", { maxItems: 1000 - rows, cursor });
 */
export interface FetchedResult<E extends Engine = Engine> {
  /** The operation, or the method: `"speechesOnBill"`, `"withPeople"`, `"withPrograms"`. */
  readonly operation: string;
  /** The query of the search, if there is one. */
  readonly query: string | undefined;
  /** The dataframe library of `frame`. */
  readonly engine: E;
  /** The rows as a frame, created on first access. */
  readonly frame: FrameTypes[E];
  /** Rows fetched. */
  readonly rows: number;
  /** Pages fetched. */
  readonly pages: number;
  /** HTTP requests sent, retries included. */
  readonly requests: number;
  /**
   * Where to resume: pass it as `{ cursor }` to the next call, which fetches a partly used page again. Undefined if the search cannot
   * continue.
   */
  readonly cursor: string | undefined;
}

/** A result in any engine; check `engine` to narrow the type of `frame`. */
export type AnyFetchedResult = { [E in Engine]: FetchedResult<E> }[Engine];

/** The members of a new {@link ArchiveError}. */
export interface ErrorDetails<Code extends ErrorCode = ErrorCode> {
  /** Default: the most general code of the class. */
  code?: Code | undefined;
  /** The file or directory concerned. Default: none. */
  path?: string | undefined;
  /** What to type or do next, in one or two sentences. Default: nothing. */
  hint?: string | undefined;
  /** The underlying error. An error of another library is copied; its text must not contain the API key. */
  cause?: unknown;
}

/**
 * The base class of every error in this package. The message says what went wrong and ends with what to do next.
 *
 * @example
 * try {
 *   await archive.mentions("climate", { limit: 0 });
 * } catch (error) {
 *   if (error instanceof ArchiveError) console.log(error.code, "|", error.message);
 *   //=> INVALID_INPUT | invalid limit: 0. Give a whole number from 1, for example limit: 50.
 * }
 */
export class ArchiveError extends Error {
  /** The stable code of the error, see {@link ErrorCode}. */
  readonly code: ErrorCode;
  /** What to do next; the end of the message. */
  readonly hint: string;
  /** The file or directory concerned, if there is one. */
  declare readonly path?: string;
  /** The rows fetched before the call failed. Check `engine` to narrow the type of `frame`. */
  declare partial?: AnyFetchedResult;

  /**
   * @param what what went wrong, ending with a full stop
   * @param details code, hint, path and cause
   */
  constructor(what = "", { code = "UNKNOWN", hint = "", path, cause }: ErrorDetails = {}) {
    const copy = cause instanceof ArchiveError ? cause : copyCause(cause);
    super(joinEscaped(what, hint), cause === undefined ? undefined : { cause: copy });
    this.code = code;
    this.hint = joinEscaped(hint);
    if (path !== undefined) this.path = path;
  }

  /**
   * Appends to hint and message, for a caller that knows better what to do next than the code that threw.
   *
   * @internal
   */
  advise(advice: string): this {
    // V8 fixes the message in the stack on first access, so read it before the message changes.
    const { message: before, stack } = this;
    (this as { hint: string }).hint = [this.hint, joinEscaped(advice)].filter(Boolean).join(" ");
    this.message = `${before} ${joinEscaped(advice)}`;
    this.stack = stack?.replace(before, () => this.message);
    return this;
  }

  /** For `JSON.stringify`: name, code, message and hint. */
  toJSON(): object {
    return { name: this.name, code: this.code, message: this.message, hint: this.hint };
  }
}

/** Escapes and joins parts of a message: quoted text stays on one line and cannot control a terminal. */
function joinEscaped(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part) => escaped(part, MAX_LENGTH))
    .join(" ");
}

/**
 * An option or parameter is invalid, or a frame lacks a column. Every function throws it before any request.
 *
 * @example
 * new ArchiveClient({ apiKey: "…", timeout: -1 });
 * //=> ValidationError: invalid timeout: -1. Give a number of seconds above 0, for example timeout: 30.
 */
export class ValidationError extends ArchiveError {
  declare readonly code: "INVALID_INPUT";
  /** The invalid option or parameter, if there is a single one. */
  declare readonly parameter?: string;

  /**
   * @param what what is invalid, ending with a full stop
   * @param details the other members
   */
  constructor(what = "", details: Omit<ErrorDetails, "code" | "path"> & { parameter?: string | undefined } = {}) {
    super(what, { ...details, code: "INVALID_INPUT" });
    if (details.parameter !== undefined) this.parameter = details.parameter;
  }
}

/** The response behind an error, without the API key. */
export interface ErrorResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response headers; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2,000 characters of the body. */
  readonly body: string;
}

/** The members of a new {@link APIError}. */
export interface APIErrorDetails extends Omit<ErrorDetails<APIErrorCode>, "path"> {
  /** Default `"GET"`. */
  method?: string | undefined;
  /** Default `""`. */
  path?: string | undefined;
  statusCode?: number | undefined;
  response?: ErrorResponse | undefined;
}

/** Headers in which services and gateways send the request id. */
const REQUEST_IDS = ["x-amzn-requestid", "x-amz-apigw-id", "x-request-id"];

/** The request id in a response. Ignores anything but a plain id. */
function requestIdOf(response: ErrorResponse | undefined): string | undefined {
  const ids = REQUEST_IDS.map((name) => response?.headers[name] ?? "");
  return ids.find((id) => /^[\w.:=+/-]{1,100}$/.test(id));
}

/** The members of a subclass of {@link APIError} with a fixed code. */
type StatusErrorDetails = Omit<APIErrorDetails, "code">;

/**
 * A request failed: an error status, an unusable body, or no response (`cause` is then the connection error).
 *
 * @example
 * if (error instanceof APIError) console.log(error.code, error.statusCode, error.path);
 * //=> SERVER_ERROR 503 /mentions
 */
export class APIError extends ArchiveError {
  declare readonly code: APIErrorCode;
  /** HTTP method: `"GET"`. */
  readonly method: string;
  /** Path below the base URL: `"/mentions"`. Empty if no request was made. */
  declare readonly path: string;
  /** HTTP status; absent if there was no response. */
  declare readonly statusCode?: number;
  /** The response; absent if there was none. */
  declare readonly response?: ErrorResponse;
  /** The service's id of the request, for reports to its operators. */
  declare readonly requestId?: string;

  /**
   * @param what what went wrong, ending with a full stop
   * @param details the other members
   */
  constructor(what = "", details: APIErrorDetails = {}) {
    const requestId = requestIdOf(details.response);
    const report = requestId && `If you report this to the service, include the request id ${requestId}.`;
    super(what, {
      code: "HTTP_ERROR",
      path: "",
      ...details,
      hint: [details.hint, report].filter(Boolean).join(" "),
    });
    this.method = details.method ?? "GET";
    if (details.statusCode !== undefined) this.statusCode = details.statusCode;
    if (details.response !== undefined) this.response = details.response;
    if (requestId !== undefined) this.requestId = requestId;
  }

  /** For `JSON.stringify`, without the response. */
  override toJSON(): object {
    const { method, path, statusCode, requestId } = this;
    // JSON has no member for what is undefined.
    return { ...super.toJSON(), method, path, statusCode, requestId };
  }
}

/** 401 or 403, which are never retried; without `statusCode` if a client is created without a key. */
export class AuthenticationError extends APIError {
  declare readonly code: "AUTHENTICATION";

  constructor(what = "", details: StatusErrorDetails = {}) {
    super(what, { ...details, code: "AUTHENTICATION" });
  }
}

/** 404: no such id or path. An unknown person does not throw: the service returns an empty result. */
export class NotFoundError extends APIError {
  declare readonly code: "NOT_FOUND";

  constructor(what = "", details: StatusErrorDetails = {}) {
    super(what, { ...details, code: "NOT_FOUND" });
  }
}

/**
 * 429: too many requests. Thrown after the last retry, or immediately if the quota of the key is used up or the service asks for a wait
 * longer than `maxRetryWait`. Waiting requests of the client fail, too.
 *
 * @example
 * if (error instanceof RateLimitError) console.log(`retry in ${error.retryAfter ?? 60} seconds`);
 * //=> retry in 12 seconds
 */
export class RateLimitError extends APIError {
  declare readonly code: "RATE_LIMITED";
  /** Seconds to wait; absent if the response had no readable Retry-After. */
  declare readonly retryAfter?: number;
  /** Whether the quota is used up: the service says so, or its Retry-After exceeds five minutes. */
  readonly isQuota: boolean;

  constructor(
    what = "",
    details: StatusErrorDetails & { retryAfter?: number | undefined; isQuota?: boolean | undefined } = {},
  ) {
    super(what, { ...details, code: "RATE_LIMITED" });
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
    this.isQuota = details.isQuota ?? false;
  }
}

export const ABORTED_HINT = "Run it again, with a new signal if you pass one.";

/** Named like the errors of Node's own APIs. */
class AbortError extends ArchiveError {}

/**
 * The error of a call that the `AbortSignal` of its caller stopped: `ABORTED`. An attempt that exceeds `timeout` throws `TIMEOUT` instead,
 * and a closed client `CLIENT_CLOSED`.
 *
 * @param what what was stopped, ending with a full stop
 * @param cause the reason of the signal
 */
export function abortedError(what = "The call was stopped by its signal.", cause?: unknown): ArchiveError {
  return new AbortError(what, { code: "ABORTED", hint: ABORTED_HINT, cause });
}

const CLASSES = {
  ArchiveError,
  AbortError,
  ValidationError,
  APIError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
};
// On the prototypes, names appear in stacks, survive minifiers, and consoles do not print them twice.
for (const [name, { prototype }] of Object.entries(CLASSES))
  Object.defineProperty(prototype, "name", { value: name, configurable: true, writable: true });
