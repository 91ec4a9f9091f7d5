import pRetry from "p-retry";
import type { Dispatcher } from "undici";
import { copyCause } from "../../errors/causes.js";
import { AbortedError, ArchiveError } from "../../errors/index.js";
import { CallSignal } from "../../util/callSignal.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { type OwnedDispatcher, ownDispatcher } from "./dispatcher.js";
import { exchange, RedirectError, requestHeaders } from "./exchange.js";
import { AttemptTimeout, attemptError, errorFromResponse, errorResponse, isRetryable } from "./failures.js";
import type { HttpResponse } from "./httpResponse.js";
import type { ResolvedOptions } from "./options.js";
import { type Gate, type Pass, RateLimitGate } from "./rateLimitGate.js";
import {
  type ClosableRequester,
  clientClosedError,
  type RequestContext,
  type RetryEvent,
  type ServiceResponse,
} from "./requester.js";
import { backoff, parseHttpDate, parseRetryAfter } from "./retryAfter.js";
import { requestUrl } from "./url.js";
import { withoutKey } from "./withoutKey.js";

/**
 * Bytes of an error body to read per character of the key. A key cut off at the end cannot be recognized; with this many
 * bytes it lies beyond the 2,000 characters that an error keeps, even in a body full of keys.
 */
const ERROR_BYTES_PER_KEY_CHARACTER = 2000;

/** After this many refused probes in a row per attempt, the client stops trying: the service refuses everything. */
const PROBES_PER_ATTEMPT = 2;

/**
 * A request of the client until it settles, with all its attempts. Whatever ends it early (the signals of the user, the
 * closing of the client, a used-up quota) aborts `stop` with the typed error as the reason.
 */
class PendingRequest {
  /** HTTP requests sent so far, retries and redirects included. */
  requests = 0;
  /** The error of the last attempt, if it is retried. */
  lastFailure: Error | undefined;
  /** Attempts that failed for another reason than 429, and that got a 429 since the client's last accepted request. */
  failures = 0;
  refusals = 0;
  acceptedBefore = -1;
  /** No further attempt will be made: the quota is used up, or the service refuses everything. */
  isHopeless = false;
  /** Whether an attempt is on the wire. */
  isSending = false;
  /** Seconds to wait after the failed attempt, and those that the response asked for. */
  delay = 0;
  retryAfter: number | undefined;

  /** @param path as errors show it: redacted */
  constructor(
    readonly path: string,
    readonly url: URL,
    readonly context: RequestContext,
    readonly stop: CallSignal,
  ) {}

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** Failed attempts that count against `maxRetries`. */
  get failedAttempts(): number {
    return this.failures + this.refusals;
  }

  /**
   * Fails an attempt that could not send anything, before it waits for its turn.
   *
   * @throws ArchiveError `OUT_OF_REQUESTS` if the budget of the call is used up
   */
  checkBudget(): void {
    const { budget } = this.context;
    if (budget?.isUsedUp) throw budget.usedUpError(this.path, this.lastFailure);
  }

  /** Counts an HTTP request that is about to be sent. */
  readonly countRequest = (): void => {
    this.checkBudget();
    this.context.budget?.take();
    this.requests += 1;
    this.context.onRequest?.();
  };
}

/**
 * Sends the requests of one client.
 *
 * - At most `concurrency` requests are on the wire; the others queue in order. The timeout of an attempt starts when it
 *   is sent.
 * - 429, 5xx, timeouts, lost connections and truncated bodies are retried `maxRetries` times, after the response's
 *   Retry-After or an exponential back-off. Other responses and aborts are not retried.
 * - A 429 pauses the whole client: no request passes the {@link RateLimitGate} until the wait is over. Then one request
 *   probes ahead of the others, and the client learns how many requests the service accepts. A 429 counts against a
 *   request only while no other one gets through. A Retry-After above `maxRetryWait` means that the quota is used up:
 *   this request and all waiting ones fail with a `RateLimitError` without being sent. Later requests try afresh.
 * - A request with a {@link RequestBudget} sends nothing beyond it, retries and redirects included.
 * - The key is sent to the origin of `baseUrl` only; redirects to another origin are refused.
 * - A settled request leaves no timer, listener or half-read connection behind.
 *
 * @example
 * const transport = new Transport(resolveOptions({ apiKey: "…" }));
 * const response = await transport.request("/bills", [["query", "budget"]]);
 * response.status; //=> 200
 * await transport.close();
 */
export class Transport implements ClosableRequester {
  readonly #options: ResolvedOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #owned: OwnedDispatcher | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #gate: Gate;
  readonly #pending = new Set<PendingRequest>();
  #closing: Promise<void> | undefined;
  #hasWarnedOfKey = false;

  /**
   * @param options checked options
   * @param clock time, for tests
   * @param random a number from 0 to below 1, for the jitter of the back-off
   * @param gate what lets requests pass; default one of this client
   */
  constructor(
    options: ResolvedOptions,
    clock: Clock = systemClock,
    random: () => number = Math.random,
    gate: Gate = new RateLimitGate(clock, options.concurrency),
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    if (options.session === undefined) this.#owned = ownDispatcher(options, () => this.#pending.size > 0);
    this.#dispatcher = options.session ?? (this.#owned as OwnedDispatcher).dispatcher;
    this.#gate = gate;
  }

  /**
   * Sends a request, with retries.
   *
   * @throws ValidationError for a path that would leave the service
   * @throws AbortedError when `context.signal` or the signal of the client aborts
   * @throws APIError and its subclasses when the last attempt failed
   * @throws ArchiveError with code `CLIENT_CLOSED` after `close()`
   */
  async request(
    path: string,
    query: ReadonlyArray<readonly [string, string]>,
    context: RequestContext = {},
  ): Promise<ServiceResponse> {
    const { signal, baseUrl, key } = this.#options;
    const url = requestUrl(baseUrl, path, query, key);
    const shownPath = key.redact(path);
    if (this.#closing !== undefined) throw clientClosedError(shownPath);
    const stop = new CallSignal(
      [signal, context.signal],
      (reason) => new AbortedError(`GET ${shownPath} was stopped by its signal.`, copyCause(reason, key.redact)),
    );
    const request = new PendingRequest(shownPath, url, context, stop);
    this.#pending.add(request);
    try {
      return await pRetry((attempt) => this.#attempt(request, attempt), {
        // #beforeRetry decides whether to retry, and waits with the clock and the signal.
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: ({ error, attemptNumber }) => this.#beforeRetry(request, error, attemptNumber),
      });
    } finally {
      stop.release();
      this.#pending.delete(request);
      if (this.#pending.size === 0) this.#owned?.abandon();
    }
  }

  /** Fails every pending request with `CLIENT_CLOSED` and closes the connections; a given session stays open. Idempotent. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      for (const request of this.#pending) request.stop.abort(clientClosedError(request.path));
      this.#closing = this.#owned?.destroy() ?? Promise.resolve();
    }
    return this.#closing;
  }

  async #attempt(request: PendingRequest, attempt: number): Promise<ServiceResponse> {
    this.#setWait(request, request.failedAttempts + 1);
    request.checkBudget();
    const pass = await this.#gate.pass(request.signal, attempt > 1);
    try {
      request.signal.throwIfAborted();
      request.isSending = true;
      return await this.#send(request, attempt, pass);
    } finally {
      request.isSending = false;
      pass.done();
    }
  }

  async #send(request: PendingRequest, attempt: number, pass: Pass): Promise<ServiceResponse> {
    const { key, timeout, maxBodyBytes } = this.#options;
    const { signal, path } = request;
    const sentAt = new Date(this.#clock.now());
    const stop = new CallSignal([signal]);
    const timer = setTimeout(() => stop.abort(new AttemptTimeout()), timeout * 1000);
    let response: HttpResponse | undefined;
    let received: Buffer;
    try {
      const sending = { dispatcher: this.#dispatcher, headers: requestHeaders(key), signal: stop.signal };
      response = await exchange(request.url, sending, key, request.countRequest);
      const { status } = response;
      if (status < 200 || status > 299) throw await this.#failure(request, attempt, response, pass);
      pass.accepted();
      received = await response.read(maxBodyBytes);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ArchiveError) throw error;
      if (error instanceof RedirectError) response = error.response;
      const answer = response && errorResponse(response.status, response.headers, "", key);
      throw attemptError(error, { path, attempt, secret: key, timeout, maxBodyBytes, response: answer });
    } finally {
      clearTimeout(timer);
      stop.release();
    }
    const clean = withoutKey(received, response.headers, key);
    if (clean.redactions !== undefined) this.#warnOfKey(path);
    return {
      status: response.status,
      ...clean,
      requests: request.requests,
      retries: attempt - 1,
      ...(pass.pace !== undefined && { pace: pass.pace }),
      sentAt,
      receivedAt: new Date(this.#clock.now()),
    };
  }

  /** The error of a response outside 2xx. A 429 closes the gate before anything is awaited. */
  async #failure(request: PendingRequest, attempt: number, response: HttpResponse, pass: Pass): Promise<unknown> {
    const { key, maxRetries } = this.#options;
    const { status, headers } = response;
    const now = this.#clock.now();
    // Compared with the service's own clock if it sends one: the user's may be wrong.
    const retryAfter = parseRetryAfter(headers["retry-after"], parseHttpDate(headers.date ?? "", now) ?? now);
    const details = { method: "GET", retryAfter, attempts: attempt };
    if (status !== 429) {
      pass.accepted();
      this.#setWait(request, request.failedAttempts + 1, retryAfter);
    } else {
      // The count starts again whenever another request of the client got through.
      request.refusals = this.#gate.accepted === request.acceptedBefore ? request.refusals + 1 : 1;
      request.acceptedBefore = this.#gate.accepted;
      const isQuota = this.#isTooLong(retryAfter);
      if (!isQuota) pass.refused((inARow) => this.#pause(request, inARow, retryAfter));
      if (isQuota || this.#gate.refusals > PROBES_PER_ATTEMPT * (maxRetries + 1)) {
        request.isHopeless = true;
        pass.exhausted();
        const answer = errorResponse(status, headers, "", key);
        for (const other of this.#pending) {
          if (other.isSending) continue;
          other.stop.abort(errorFromResponse({ ...details, path: other.path, response: answer, attempts: 1 }));
        }
      }
    }
    const limit = Math.max(65_536, ERROR_BYTES_PER_KEY_CHARACTER * key.reveal().length);
    const beginning = await response.beginning(limit);
    if (request.signal.aborted) return request.signal.reason;
    const answer = errorResponse(status, headers, beginning, key);
    return errorFromResponse({ ...details, path: request.path, response: answer });
  }

  /** Seconds that a 429 pauses the client. From the second refusal in a row on, at least the back-off. */
  #pause(request: PendingRequest, inARow: number, retryAfter: number | undefined): number {
    this.#setWait(request, Math.max(inARow, request.failedAttempts));
    if (retryAfter !== undefined) request.delay = inARow > 1 ? Math.max(retryAfter, request.delay) : retryAfter;
    request.retryAfter = retryAfter;
    return request.delay;
  }

  #setWait(request: PendingRequest, failedAttempts: number, retryAfter?: number): void {
    request.delay = retryAfter ?? backoff(failedAttempts, this.#options.backoffFactor, this.#random);
    request.retryAfter = retryAfter;
  }

  /** Waits for the next attempt, or throws the error if there is none. */
  async #beforeRetry(request: PendingRequest, error: unknown, attempt: number): Promise<void> {
    request.signal.throwIfAborted();
    if (!isRetryable(error)) throw error;
    const { delay, retryAfter } = request;
    const isRefusal = error.code === "RATE_LIMITED";
    if (!isRefusal) request.failures += 1;
    const { maxRetries } = this.#options;
    const isSpent = request.failedAttempts > maxRetries && (!isRefusal || maxRetries === 0 || this.#gate.hasWaited);
    if (request.isHopeless || this.#isTooLong(retryAfter) || isSpent) throw error;
    request.lastFailure = error;
    request.checkBudget();
    const event: RetryEvent = { attempt, delay, reason: error.code, ...(retryAfter !== undefined && { retryAfter }) };
    request.context.onRetry?.(Object.freeze(event));
    // After a 429 the gate waits, on behalf of the whole client.
    if (!isRefusal) await this.#clock.sleep(delay * 1000, request.signal);
  }

  /** Only a Retry-After can be too long; the back-off is the user's own choice. */
  #isTooLong(retryAfter: number | undefined): boolean {
    return retryAfter !== undefined && retryAfter > this.#options.maxRetryWait;
  }

  /** Once per client. A key that is an ordinary word changes data. */
  #warnOfKey(path: string): void {
    if (this.#hasWarnedOfKey) return;
    this.#hasWarnedOfKey = true;
    process.emitWarning(
      `The response to GET ${path} contains the API key, which was replaced with [redacted]. If your key is an ordinary ` +
        "word, this changed rows that contain the word: the provenance counts them as redactions.",
      { type: "ArchiveFramesWarning", code: "KEY_REDACTED" },
    );
  }
}
