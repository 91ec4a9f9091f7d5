import pRetry from "p-retry";
import type { Dispatcher } from "undici";
import { AbortedError, type APIError, ArchiveError } from "../../errors/index.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { VERSION } from "../../util/version.js";
import { asUtf8 } from "./asUtf8.js";
import { AttemptTimeout, attemptError } from "./attemptError.js";
import { backoff } from "./backoff.js";
import { readBeginning, readBody } from "./body.js";
import { Call } from "./call.js";
import { cleanCause } from "./cleanCause.js";
import { clientClosed } from "./clientClosed.js";
import { type OwnedDispatcher, ownDispatcher } from "./dispatcher.js";
import { errorFromResponse } from "./errorFromResponse.js";
import { errorResponse } from "./errorResponse.js";
import { type Answer, exchange, RedirectRefusal } from "./exchange.js";
import { isRetryable } from "./isRetryable.js";
import type { ResolvedOptions } from "./options.js";
import { type Pass, RateLimitGate } from "./rateLimitGate.js";
import type { RequestContext, Requester, RetryEvent, ServiceResponse } from "./requester.js";
import { requestUrl } from "./requestUrl.js";
import { parseHttpDate, parseRetryAfter } from "./retryAfter.js";
import { SignalHub } from "./signalHub.js";

/**
 * Bytes read of the body of an error, for each character of the key: so many that half a key at the end of what was
 * read, which nobody can recognise, lies beyond the 2,000 characters that are kept, even in a body of nothing but keys.
 */
const ERROR_BODY = 2000;

/** The service refuses everything for good once it has refused so many probes in a row for each attempt of a call. */
const PROBES_PER_ATTEMPT = 2;

/** How long to wait after a failed attempt, in seconds. */
interface Wait {
  readonly delay: number;
  readonly retryAfter: number | undefined;
}

/**
 * Sends the requests of one client.
 *
 * - At most `concurrency` requests are on the wire; the others wait in the order in which they were asked. The time of
 *   an attempt starts when it is sent.
 * - 429, 5xx, time-outs, lost connections and cut bodies are tried again, `maxRetries` times, after the Retry-After of
 *   the answer or else after a doubling back-off. Other answers and aborts are not.
 * - A 429 stops the whole client: no request passes the {@link RateLimitGate} before the wait is over, and then one goes
 *   ahead of the others, and the client learns how many requests the service takes. It counts against a call only while no
 *   other call gets through. If the service asks for more than `maxRetryWait` seconds, the quota is used up: the call and all that
 *   are still waiting fail with a `RateLimitError`, without a request each. Calls that are made later try afresh.
 * - A call with a {@link RequestBudget} sends no request, retry or redirect beyond it.
 * - The key is sent to the origin of `baseUrl` and nowhere else; redirects to another origin are refused.
 * - A settled call leaves no timer, no listener and no half-read connection behind.
 *
 * @example
 * const transport = new Transport(resolveOptions({ apiKey: "…" }));
 * const reply = await transport.ask("/bills", [["query", "budget"]]);
 * reply.status; //=> 200
 * await transport.close();
 */
export class Transport implements Requester {
  readonly #options: ResolvedOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #owned: OwnedDispatcher | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #gate: RateLimitGate;
  readonly #signals = new SignalHub();
  readonly #calls = new Set<Call>();
  #closing: Promise<void> | undefined;
  #warned = false;

  /**
   * @param options checked options
   * @param clock time, for tests
   * @param random from 0 to below 1, for the jitter of the back-off
   */
  constructor(options: ResolvedOptions, clock: Clock = systemClock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    if (options.session === undefined) this.#owned = ownDispatcher(options);
    this.#dispatcher = options.session ?? (this.#owned as OwnedDispatcher).dispatcher;
    this.#gate = new RateLimitGate(clock, options.concurrency);
  }

  /**
   * Asks the service, with retries.
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
    const call = new Call(key.redact(path), requestUrl(baseUrl, path, query, key), context);
    if (this.#closing !== undefined) throw clientClosed(call.path);
    this.#calls.add(call);
    const unlink = [signal, context.signal].map((stopper) => stopper && this.#stopOn(call, stopper));
    let wait: Wait = { delay: 0, retryAfter: undefined };
    try {
      const first = this.#attempt(call, 1, (next) => (wait = next));
      const answered = await first.then(
        (response) => response,
        () => undefined,
      );
      // Most asks are answered at once: only a failure goes to the machinery of retries, as its first attempt.
      if (answered !== undefined) return answered;
      const attempts = (attempt: number) =>
        attempt === 1 ? first : this.#attempt(call, attempt, (next) => (wait = next));
      return await pRetry(attempts, {
        // Whether to go on is decided below, and the waiting is done through the clock and with the signal.
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: ({ error, attemptNumber }) => this.#beforeRetry(call, error, attemptNumber, wait),
      });
    } finally {
      for (const undo of unlink) undo?.();
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#owned?.abandon();
    }
  }

  /** Stops every call with `CLIENT_CLOSED` and cuts the connections; a given session stays open. Idempotent. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      for (const call of this.#calls) call.stop(clientClosed(call.path));
      this.#closing = this.#owned?.destroy() ?? Promise.resolve();
    }
    return this.#closing;
  }

  async #attempt(call: Call, attempt: number, setWait: (wait: Wait) => void): Promise<ServiceResponse> {
    setWait(this.#wait(call.failed + 1, undefined));
    call.checkBudget();
    const pass = await this.#gate.pass(call.signal, attempt > 1);
    try {
      call.signal.throwIfAborted();
      call.sending = true;
      return await this.#send(call, attempt, pass, setWait);
    } finally {
      call.sending = false;
      pass.done();
    }
  }

  async #send(call: Call, attempt: number, pass: Pass, setWait: (wait: Wait) => void): Promise<ServiceResponse> {
    const { key, timeout, maxBodyBytes } = this.#options;
    const sentAt = new Date(this.#clock.now());
    let end: (reason: unknown) => void = () => undefined;
    const stop = () => end(call.signal.reason);
    const timer = setTimeout(() => end(new AttemptTimeout()), timeout * 1000);
    call.signal.addEventListener("abort", stop, { once: true });
    let answer: Answer | undefined;
    try {
      answer = await exchange(call.url, {
        dispatcher: this.#dispatcher,
        secret: key,
        headers: this.#headers(),
        onStop: (stopper) => (end = stopper),
        onRequest: () => call.countRequest(),
      });
      if (answer.status < 200 || answer.status > 299) throw await this.#refusal(call, attempt, answer, pass, setWait);
      pass.accepted();
      const bytes = await readBody(answer.body, answer.headers["content-encoding"], maxBodyBytes);
      // A service that echoes the key would otherwise put it into every frame and file.
      const { body, redactions } = key.redactBody(asUtf8(bytes, answer.headers["content-type"]));
      if (redactions > 0) this.#warnOfKey(call.path);
      const receivedAt = new Date(this.#clock.now());
      const { status } = answer;
      const headers = key.redactAll(answer.headers);
      const cost = { requests: call.requests, retries: attempt - 1 };
      const more = { ...(redactions > 0 && { redactions }), ...(pass.pace !== undefined && { pace: pass.pace }) };
      return { status, body, headers, ...cost, sentAt, receivedAt, ...more };
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      if (error instanceof ArchiveError) throw error;
      if (error instanceof RedirectRefusal) answer = error.answer;
      const response = answer && errorResponse(answer.status, answer.headers, "", key);
      throw attemptError(error, { path: call.path, attempt, secret: key, timeout, maxBodyBytes, response });
    } finally {
      clearTimeout(timer);
      call.signal.removeEventListener("abort", stop);
    }
  }

  /** The error of an answer outside 2xx. A 429 shuts the gate before anything is awaited. */
  async #refusal(call: Call, attempt: number, answer: Answer, pass: Pass, setWait: (wait: Wait) => void) {
    const { status, headers } = answer;
    const now = this.#clock.now();
    // Compared with the clock of the service where it shows one: that of the user may be wrong.
    const retryAfter = parseRetryAfter(headers["retry-after"], parseHttpDate(headers.date ?? "", now) ?? now);
    const details = { method: "GET", retryAfter, attempts: attempt };
    if (status !== 429) {
      pass.accepted();
      setWait(this.#wait(call.failed + 1, retryAfter));
    } else {
      call.refused(this.#gate.accepted);
      const isQuota = this.#isTooLong(retryAfter);
      if (!isQuota) pass.refused((inARow) => this.#pause(call, inARow, retryAfter, setWait));
      if (isQuota || this.#gate.refusals > PROBES_PER_ATTEMPT * (this.#options.maxRetries + 1)) {
        call.isHopeless = true;
        pass.exhausted();
        const response = errorResponse(status, headers, "", this.#options.key);
        for (const other of this.#calls) {
          if (!other.sending) other.stop(errorFromResponse({ ...details, path: other.path, response, attempts: 1 }));
        }
      }
    }
    const limit = Math.max(65_536, ERROR_BODY * this.#options.key.reveal().length);
    const body = await readBeginning(answer.body, headers["content-encoding"], limit);
    if (call.signal.aborted) return call.signal.reason;
    const response = errorResponse(status, headers, body, this.#options.key);
    return errorFromResponse({ ...details, path: call.path, response });
  }

  /** Seconds that a 429 stops the client. Refused again and again, it waits longer than the service says. */
  #pause(call: Call, inARow: number, retryAfter: number | undefined, setWait: (wait: Wait) => void): number {
    const own = this.#wait(Math.max(inARow, call.failed), undefined).delay;
    const delay = retryAfter === undefined || inARow > 1 ? Math.max(retryAfter ?? 0, own) : retryAfter;
    setWait({ delay, retryAfter });
    return delay;
  }

  async #beforeRetry(call: Call, error: Error, attempt: number, wait: Wait): Promise<void> {
    call.signal.throwIfAborted();
    if (!isRetryable(error)) throw error;
    if (error.code !== "RATE_LIMITED") call.failures += 1;
    if (call.isHopeless || this.#isTooLong(wait.retryAfter) || this.#isSpent(call, error)) throw error;
    call.lastFailure = error;
    call.checkBudget();
    const { delay, retryAfter } = wait;
    const event: RetryEvent = { attempt, delay, reason: error.code, ...(retryAfter !== undefined && { retryAfter }) };
    call.context.onRetry?.(Object.freeze(event));
    // After a 429 the gate does the waiting, for everybody.
    if (error.code !== "RATE_LIMITED") await this.#clock.sleep(delay * 1000, call.signal);
  }

  #stopOn(call: Call, signal: AbortSignal): () => void {
    return this.#signals.listen(signal, () => {
      const cause = cleanCause(signal.reason, this.#options.key);
      call.stop(new AbortedError(`GET ${call.path} was stopped by its signal.`, cause));
    });
  }

  #wait(failed: number, retryAfter: number | undefined): Wait {
    return { delay: retryAfter ?? backoff(failed, this.#options.backoffFactor, this.#random), retryAfter };
  }

  /** Whether a call has no attempt left. */
  #isSpent(call: Call, { code }: APIError): boolean {
    const { maxRetries } = this.#options;
    if (call.failed <= maxRetries) return false;
    return code !== "RATE_LIMITED" || maxRetries === 0 || this.#gate.hasWaited;
  }

  /** Only what the service asks for can be too long; the back-off is the user's own. */
  #isTooLong(retryAfter: number | undefined): boolean {
    return retryAfter !== undefined && retryAfter > this.#options.maxRetryWait;
  }

  /** Once per client: a key that is an ordinary word changes data. */
  #warnOfKey(path: string): void {
    if (this.#warned) return;
    this.#warned = true;
    process.emitWarning(
      `GET ${path} answered with a body that holds the API key; [redacted] stands in its place. If the key is an ordinary ` +
        "word, rows that hold the word have changed: the provenance counts them as redactions.",
      { type: "ArchiveFramesWarning", code: "KEY_REDACTED" },
    );
  }

  #headers(): Record<string, string> {
    return {
      "x-api-key": this.#options.key.reveal(),
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": `archive-frames/${VERSION}`,
    };
  }
}
