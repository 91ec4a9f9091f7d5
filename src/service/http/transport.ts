import { copyCause } from "../../errors/causes.js";
import { type APIError, ArchiveError, abortedError } from "../../errors/index.js";
import { faulty } from "../../errors/validators.js";
import { warn } from "../../errors/warn.js";
import { CallSignal } from "../../util/callSignal.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { quoted } from "../../util/quoted.js";
import { VERSION } from "../../util/version.js";
import { type OwnedDispatcher, ownDispatcher } from "./dispatcher.js";
import { AttemptTimeout, attemptError, errorFromResponse, errorResponse } from "./failures.js";
import { HttpResponse } from "./httpResponse.js";
import type { ResolvedOptions } from "./options.js";
import { type Gate, type Pass, RateLimitGate } from "./rateLimitGate.js";
import {
  type ClosableRequester,
  clientClosedError,
  type Query,
  REQUESTS_HEADER,
  type RequestContext,
  type RetryEvent,
  type ServiceResponse,
} from "./requester.js";
import { Retries } from "./retries.js";
import type { Secret } from "./secret.js";
import { retryAfterOf } from "./waiting.js";

/** No timeouts of undici's: that of the attempt covers all phases. */
const REQUEST = { method: "GET", headersTimeout: 0, bodyTimeout: 0 } as const;
const HEADERS = {
  accept: "application/json",
  "accept-encoding": "identity",
  "user-agent": `archive-frames/${VERSION}`,
};

/**
 * Bytes of an error body to read per character of the key. A key cut off at the end cannot be recognized; with this many
 * bytes it lies beyond the 2,000 characters that an error keeps, even in a body full of keys.
 */
const ERROR_BYTES_PER_KEY_CHARACTER = 2000;

/** A request of the client until it settles, with all its attempts. */
interface PendingRequest {
  /** As errors show it: redacted. */
  readonly path: string;
  readonly url: URL;
  readonly context: RequestContext;
  /** Whatever ends it early (a signal of the user, the closing of the client, a used-up quota) aborts this with the typed error. */
  readonly stop: CallSignal;
  /** Whether an attempt is on the wire. */
  isSending: boolean;
  /** Seconds that the response to the last attempt asked to wait. */
  retryAfter?: number | undefined;
  /** After the first failure. */
  retries?: Retries;
}

/**
 * Sends the requests of one client.
 * - At most `concurrency` requests are on the wire; the others queue in order. The timeout of an attempt starts when it is sent.
 * - 408, 429, 5xx, timeouts, lost connections and truncated bodies are retried `maxRetries` times, after the response's Retry-After or
 *   an exponential back-off. Other responses and aborts are not retried.
 * - A 429 pauses the whole client: no request passes the {@link RateLimitGate} until the wait is over. Then one request probes ahead of
 *   the others, and the client learns how many requests the service accepts. A 429 counts against a request only while no other one
 *   gets through. If the service says that the quota is used up, or asks for more than `maxRetryWait`, this request and all waiting
 *   ones fail with a `RateLimitError` without being sent. Later requests try afresh.
 * - A request with a {@link RequestBudget} sends nothing beyond it, retries included.
 * - The key is sent to the origin of `baseUrl` only; redirects are errors.
 * - A settled request leaves no timer, listener or half-read connection behind.
 */
export class Transport implements ClosableRequester {
  readonly #options: ResolvedOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  #owned: OwnedDispatcher | undefined;
  /** Whether an attempt was aborted since the connections are open: undici may still be connecting for it. */
  #hasAborted = false;
  readonly #gate: Gate;
  readonly #pending = new Set<PendingRequest>();
  #closing: Promise<void> | undefined;
  #hasWarnedOfKey = false;

  constructor(
    options: ResolvedOptions,
    clock: Clock = systemClock,
    random: () => number = Math.random,
    gate: Gate = new RateLimitGate(clock, options.concurrency),
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#gate = gate;
  }

  async request(path: string, query: Query, context: RequestContext = {}): Promise<ServiceResponse> {
    const { signal, baseUrl, key } = this.#options;
    const url = requestUrl(baseUrl, path, query, key);
    const shownPath = key.redact(path);
    if (this.#closing !== undefined) throw clientClosedError(shownPath);
    const stop = new CallSignal([signal, context.signal], (reason) =>
      abortedError(`GET ${shownPath} was stopped by its signal.`, copyCause(reason, key.redact)),
    );
    const request: PendingRequest = { path: shownPath, url, context, stop, isSending: false };
    this.#pending.add(request);
    try {
      for (let attempt = 1; ; attempt++) {
        checkBudget(request);
        // What the gate throws is not the failure of an attempt: it ends the request.
        const pass = await this.#gate.pass(stop.signal, attempt > 1);
        let wait: number | undefined;
        try {
          request.isSending = true;
          return await this.#send(request, attempt, pass);
        } catch (error) {
          wait = this.#waitAfter(request, error, attempt, pass);
        } finally {
          request.isSending = false;
          pass.done();
        }
        if (wait !== undefined) await this.#clock.sleep(wait * 1000, stop.signal);
      }
    } finally {
      stop.release();
      this.#pending.delete(request);
      if (this.#pending.size === 0 && this.#hasAborted) void this.#disconnect();
    }
  }

  /** Fails every pending request with `CLIENT_CLOSED` and closes the connections; a given session stays open. Idempotent. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      for (const request of this.#pending) request.stop.abort(clientClosedError(request.path));
      this.#closing = this.#disconnect();
    }
    return this.#closing;
  }

  async #disconnect(): Promise<void> {
    const owned = this.#owned;
    this.#owned = undefined;
    this.#hasAborted = false;
    await owned?.destroy();
  }

  async #send(request: PendingRequest, attempt: number, pass: Pass): Promise<ServiceResponse> {
    const { key, timeout, maxBodyBytes, maxRetryWait, session } = this.#options;
    const {
      path,
      stop: { signal },
    } = request;
    request.retryAfter = undefined;
    this.#owned ??= session === undefined ? ownDispatcher(this.#options) : undefined;
    const sentAt = new Date(this.#clock.now());
    const stop = new CallSignal([signal]);
    const timer = setTimeout(() => stop.abort(new AttemptTimeout()), timeout * 1000);
    const maxErrorBytes = Math.max(65_536, ERROR_BYTES_PER_KEY_CHARACTER * key.reveal().length);
    const response = new HttpResponse(stop.signal, (head) => {
      if (head.status !== 429) pass.accepted();
      return head.isSuccess ? maxBodyBytes : maxErrorBytes;
    });
    let received: Buffer;
    try {
      signal.throwIfAborted();
      checkBudget(request);
      request.context.budget?.take();
      request.context.onRequest?.();
      const { origin, pathname, search } = request.url;
      const headers = { ...HEADERS, "x-api-key": key.reveal() };
      const dispatcher = session ?? (this.#owned as OwnedDispatcher).dispatcher;
      dispatcher.dispatch({ ...REQUEST, headers, origin, path: pathname + search }, response);
      await response.received;
      this.#hasAborted ||= response.isCut;
      for (let more = Number(session && response.headers[REQUESTS_HEADER]); more > 1; more--) {
        request.context.budget?.take();
        request.context.onRequest?.();
      }
      if (!response.isSuccess) {
        const { status, headers } = response;
        const answer = errorResponse(status, headers, await response.beginning(maxErrorBytes), key);
        // By the service's own clock if it sends the time: the user's may be wrong.
        const retryAfter = retryAfterOf(response, Date.parse(headers.date ?? "") || this.#clock.now());
        request.retryAfter = retryAfter;
        throw errorFromResponse({ path, response: answer, retryAfter, maxRetryWait, attempts: attempt });
      }
      received = await response.body(maxBodyBytes);
      stop.signal.throwIfAborted();
    } catch (error) {
      this.#hasAborted ||= stop.signal.aborted;
      if (signal.aborted) throw signal.reason;
      if (error instanceof ArchiveError) throw error;
      const { status, headers } = response;
      const answer = status > 0 ? errorResponse(status, headers, "", key) : undefined;
      throw attemptError(error, { path, attempt, secret: key, timeout, maxBodyBytes, response: answer });
    } finally {
      clearTimeout(timer);
      stop.release();
    }
    const { body, redactions } = key.redactBody(received);
    if (redactions > 0) this.#warnOfKey(path);
    return {
      status: response.status,
      body,
      headers: key.redactAll(response.headers),
      ...(redactions > 0 && { redactions }),
      requests: attempt,
      retries: attempt - 1,
      ...(pass.pace !== undefined && { pace: pass.pace }),
      sentAt,
      receivedAt: new Date(this.#clock.now()),
    };
  }

  /**
   * The seconds to wait for the next attempt; undefined after a 429, for which the gate waits.
   *
   * @throws the error, if there is no other attempt
   */
  #waitAfter(request: PendingRequest, error: unknown, attempt: number, pass: Pass): number | undefined {
    const { retryAfter, context, stop } = request;
    stop.signal.throwIfAborted();
    request.retries ??= new Retries(this.#options, this.#gate, this.#random, context.isProbe === true);
    const delay = request.retries.next(error, retryAfter, pass);
    const { response, code: reason } = error as APIError;
    if (delay === "none for all" && response !== undefined) {
      const { maxRetryWait } = this.#options;
      for (const { path, stop, isSending } of this.#pending)
        if (!isSending) stop.abort(errorFromResponse({ response, retryAfter, maxRetryWait, path }));
    }
    if (typeof delay === "string") throw error;
    checkBudget(request);
    const event: RetryEvent = { attempt, delay, reason, ...(retryAfter !== undefined && { retryAfter }) };
    context.onRetry?.(Object.freeze(event));
    return reason === "RATE_LIMITED" ? undefined : delay;
  }

  /** Once per client. A key that is an ordinary word changes data. */
  #warnOfKey(path: string): void {
    if (this.#hasWarnedOfKey) return;
    this.#hasWarnedOfKey = true;
    warn(
      "KEY_REDACTED",
      `The response to GET ${path} contains the API key, which was replaced with [redacted]. If your key is an ordinary ` +
        "word, this changed rows that contain the word: the provenance counts them as redactions.",
    );
  }
}

/** Fails an attempt that could not send anything, before it waits for its turn. */
function checkBudget({ path, context: { budget }, retries }: PendingRequest): void {
  if (budget?.isUsedUp) throw budget.usedUpError(path, retries?.lastFailure);
}

/** `new URL` resolves dot segments; white space, `?` and `#` would change the request. */
const SAFE_PATH = /^(\/(?!(?:\.|%2e){1,2}(?:\/|$))[^/?#\\\s\p{Cc}]+)+$/iu;

function requestUrl(baseUrl: string, path: string, query: Query, key: Secret): URL {
  if (!SAFE_PATH.test(path)) {
    const hint = "Percent-encode the segments, for example /people/6153.";
    throw faulty("path", quoted(key.redact(path), 200), hint);
  }
  const url = new URL(baseUrl + path);
  // %20 instead of +: some services read + as a plus sign.
  url.search = new URLSearchParams(query as [string, string][]).toString().replaceAll("+", "%20");
  return url;
}
