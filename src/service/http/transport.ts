import pRetry from "p-retry";
import type { Dispatcher } from "undici";
import { copyCause } from "../../errors/causes.js";
import { AbortedError, type APIError, ArchiveError } from "../../errors/index.js";
import { CallSignal } from "../../util/callSignal.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { AttemptTimeout, attemptError } from "./attemptError.js";
import { backoff } from "./backoff.js";
import { type OwnedDispatcher, ownDispatcher } from "./dispatcher.js";
import { errorFromResponse, errorResponse } from "./errorFromResponse.js";
import { exchange, RedirectError, requestHeaders } from "./exchange.js";
import type { HttpResponse } from "./httpResponse.js";
import { isRetryable } from "./isRetryable.js";
import type { ResolvedOptions } from "./options.js";
import { PendingRequest } from "./pendingRequest.js";
import { type Pass, RateLimitGate } from "./rateLimitGate.js";
import {
  type ClosableRequester,
  clientClosedError,
  type RequestContext,
  type RetryEvent,
  type ServiceResponse,
} from "./requester.js";
import { requestUrl } from "./requestUrl.js";
import { parseHttpDate, parseRetryAfter } from "./retryAfter.js";
import { withoutKey } from "./withoutKey.js";

/**
 * Bytes of an error body to read per character of the key. A key cut off at the end cannot be recognized; with this many
 * bytes it lies beyond the 2,000 characters that an error keeps, even in a body full of keys.
 */
const ERROR_BYTES_PER_KEY_CHARACTER = 2000;

/** After this many refused probes in a row per attempt, the client stops trying: the service refuses everything. */
const PROBES_PER_ATTEMPT = 2;

/** How long to wait after a failed attempt, in seconds. */
interface Wait {
  readonly delay: number;
  readonly retryAfter: number | undefined;
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
  readonly #gate: RateLimitGate;
  readonly #pending = new Set<PendingRequest>();
  #closing: Promise<void> | undefined;
  #hasWarnedOfKey = false;

  /**
   * @param options checked options
   * @param clock time, for tests
   * @param random a number from 0 to below 1, for the jitter of the back-off
   */
  constructor(options: ResolvedOptions, clock: Clock = systemClock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    if (options.session === undefined) this.#owned = ownDispatcher(options, () => this.#pending.size > 0);
    this.#dispatcher = options.session ?? (this.#owned as OwnedDispatcher).dispatcher;
    this.#gate = new RateLimitGate(clock, options.concurrency);
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
    let wait: Wait = { delay: 0, retryAfter: undefined };
    try {
      const first = this.#attempt(request, 1, (next) => (wait = next));
      const response = await first.catch(() => undefined);
      // Most requests succeed at once; only a failure pays for p-retry, which then sees it as the first attempt.
      if (response !== undefined) return response;
      const attempts = (attempt: number) =>
        attempt === 1 ? first : this.#attempt(request, attempt, (next) => (wait = next));
      return await pRetry(attempts, {
        // #beforeRetry decides whether to retry, and waits with the clock and the signal.
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: ({ error, attemptNumber }) => this.#beforeRetry(request, error, attemptNumber, wait),
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

  async #attempt(request: PendingRequest, attempt: number, setWait: (wait: Wait) => void): Promise<ServiceResponse> {
    setWait(this.#wait(request.failedAttempts + 1, undefined));
    request.checkBudget();
    const pass = await this.#gate.pass(request.signal, attempt > 1);
    try {
      request.signal.throwIfAborted();
      request.isSending = true;
      return await this.#send(request, attempt, pass, setWait);
    } finally {
      request.isSending = false;
      pass.done();
    }
  }

  async #send(
    request: PendingRequest,
    attempt: number,
    pass: Pass,
    setWait: (wait: Wait) => void,
  ): Promise<ServiceResponse> {
    const { key, timeout, maxBodyBytes } = this.#options;
    const { signal, path } = request;
    const sentAt = new Date(this.#clock.now());
    const stop = new CallSignal([signal]);
    const timer = setTimeout(() => stop.abort(new AttemptTimeout()), timeout * 1000);
    let response: HttpResponse | undefined;
    let received: Buffer;
    try {
      const sending = { dispatcher: this.#dispatcher, headers: requestHeaders(key), signal: stop.signal };
      response = await exchange(request.url, sending, key, () => request.countRequest());
      const { status } = response;
      if (status < 200 || status > 299) throw await this.#failure(request, attempt, response, pass, setWait);
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
    const receivedAt = new Date(this.#clock.now());
    const more = {
      requests: request.requests,
      retries: attempt - 1,
      ...(pass.pace !== undefined && { pace: pass.pace }),
    };
    return { status: response.status, ...clean, ...more, sentAt, receivedAt };
  }

  /** The error of a response outside 2xx. A 429 closes the gate before anything is awaited. */
  async #failure(
    request: PendingRequest,
    attempt: number,
    response: HttpResponse,
    pass: Pass,
    setWait: (wait: Wait) => void,
  ): Promise<unknown> {
    const { key, maxRetries } = this.#options;
    const { status, headers } = response;
    const now = this.#clock.now();
    // Compared with the service's own clock if it sends one: the user's may be wrong.
    const retryAfter = parseRetryAfter(headers["retry-after"], parseHttpDate(headers.date ?? "", now) ?? now);
    const details = { method: "GET", retryAfter, attempts: attempt };
    if (status !== 429) {
      pass.accepted();
      setWait(this.#wait(request.failedAttempts + 1, retryAfter));
    } else {
      request.countRefusal(this.#gate.accepted);
      const isQuota = this.#isTooLong(retryAfter);
      if (!isQuota) pass.refused((inARow) => this.#pause(request, inARow, retryAfter, setWait));
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
  #pause(
    request: PendingRequest,
    inARow: number,
    retryAfter: number | undefined,
    setWait: (wait: Wait) => void,
  ): number {
    const own = this.#wait(Math.max(inARow, request.failedAttempts), undefined).delay;
    const delay = retryAfter === undefined || inARow > 1 ? Math.max(retryAfter ?? 0, own) : retryAfter;
    setWait({ delay, retryAfter });
    return delay;
  }

  async #beforeRetry(request: PendingRequest, error: Error, attempt: number, wait: Wait): Promise<void> {
    request.signal.throwIfAborted();
    if (!isRetryable(error)) throw error;
    if (error.code !== "RATE_LIMITED") request.failures += 1;
    if (request.isHopeless || this.#isTooLong(wait.retryAfter) || this.#isSpent(request, error)) throw error;
    request.lastFailure = error;
    request.checkBudget();
    const { delay, retryAfter } = wait;
    const event: RetryEvent = { attempt, delay, reason: error.code, ...(retryAfter !== undefined && { retryAfter }) };
    request.context.onRetry?.(Object.freeze(event));
    // After a 429 the gate waits, on behalf of the whole client.
    if (error.code !== "RATE_LIMITED") await this.#clock.sleep(delay * 1000, request.signal);
  }

  #wait(failedAttempts: number, retryAfter: number | undefined): Wait {
    return { delay: retryAfter ?? backoff(failedAttempts, this.#options.backoffFactor, this.#random), retryAfter };
  }

  /** Whether a request has no attempt left. */
  #isSpent(request: PendingRequest, { code }: APIError): boolean {
    const { maxRetries } = this.#options;
    if (request.failedAttempts <= maxRetries) return false;
    return code !== "RATE_LIMITED" || maxRetries === 0 || this.#gate.hasWaited;
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
