import pRetry from "p-retry";
import type { Dispatcher } from "undici";
import { AbortedError, ArchiveError, errorFromResponse } from "../errors/index.js";
import { VERSION } from "../version.js";
import type { AskContext, Asker, Reply, RetryEvent } from "./asker.js";
import { asUtf8 } from "./asUtf8.js";
import { backoff } from "./backoff.js";
import { readBeginning, readBody } from "./body.js";
import { Call } from "./call.js";
import { cleanCause } from "./cleanCause.js";
import { clientClosed } from "./clientClosed.js";
import { type Clock, systemClock } from "./clock.js";
import { type OwnedDispatcher, ownDispatcher } from "./dispatcher.js";
import { errorResponse } from "./errorResponse.js";
import { type Answer, exchange, RedirectRefusal } from "./exchange.js";
import { AttemptTimeout, failure } from "./failure.js";
import { Gate, type Pass } from "./gate.js";
import { isRetryable } from "./isRetryable.js";
import type { ResolvedOptions } from "./options.js";
import { requestUrl } from "./requestUrl.js";
import { parseHttpDate, parseRetryAfter } from "./retryAfter.js";
import { SignalHub } from "./signalHub.js";
import { Slots } from "./slots.js";

/**
 * Bytes read of the body of an error, for each character of the key: so many that half a key at the end of what was
 * read, which nobody can recognise, lies beyond the 2,000 characters that are kept, even in a body of nothing but keys.
 */
const ERROR_BODY = 2000;

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
 * - A 429 stops the whole client: no request passes the {@link Gate} before the wait is over, and then one goes ahead
 *   of the others. If the service asks for more than `maxRetryWait` seconds, the quota is used up: the call and all that
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
export class Transport implements Asker {
  readonly #options: ResolvedOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #owned: OwnedDispatcher | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #slots: Slots;
  readonly #gate: Gate;
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
    this.#slots = new Slots(options.concurrency);
    this.#gate = new Gate(clock);
  }

  /**
   * Asks the service, with retries.
   *
   * @throws ValidationError for a path that would leave the service
   * @throws AbortedError when `context.signal` or the signal of the client aborts
   * @throws APIError and its subclasses when the last attempt failed
   * @throws ArchiveError with code `CLIENT_CLOSED` after `close()`
   */
  async ask(path: string, query: ReadonlyArray<readonly [string, string]>, context: AskContext = {}): Promise<Reply> {
    const { signal, baseUrl, maxRetries, key } = this.#options;
    const call = new Call(key.redact(path), requestUrl(baseUrl, path, query, key), context);
    if (this.#closing !== undefined) throw clientClosed(call.path);
    this.#calls.add(call);
    const unlink = [signal, context.signal].map((stopper) => stopper && this.#stopOn(call, stopper));
    let wait: Wait = { delay: 0, retryAfter: undefined };
    try {
      const first = this.#attempt(call, 1, (next) => (wait = next));
      const answered = await first.then(
        (reply) => reply,
        () => undefined,
      );
      // Most asks are answered at once: only a failure goes to the machinery of retries, as its first attempt.
      if (answered !== undefined) return answered;
      const attempts = (attempt: number) =>
        attempt === 1 ? first : this.#attempt(call, attempt, (next) => (wait = next));
      return await pRetry(attempts, {
        retries: maxRetries,
        // The waiting is done below, through the clock and with the signal.
        minTimeout: 0,
        onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
          this.#beforeRetry(call, error, attemptNumber, retriesLeft, wait),
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

  async #attempt(call: Call, attempt: number, setWait: (wait: Wait) => void): Promise<Reply> {
    setWait(this.#wait(attempt, undefined));
    call.checkBudget();
    const release = await this.#slots.acquire(call.signal, attempt > 1);
    try {
      const pass = await this.#gate.pass(call.signal);
      call.sending = true;
      try {
        return await this.#send(call, attempt, pass, setWait);
      } finally {
        call.sending = false;
        pass.ended();
      }
    } finally {
      release();
    }
  }

  async #send(call: Call, attempt: number, pass: Pass, setWait: (wait: Wait) => void): Promise<Reply> {
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
      return { status, body, headers, ...cost, sentAt, receivedAt, ...(redactions > 0 && { redactions }) };
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      if (error instanceof ArchiveError) throw error;
      if (error instanceof RedirectRefusal) answer = error.answer;
      const response = answer && errorResponse(answer.status, answer.headers, "", key);
      throw failure(error, { path: call.path, attempt, secret: key, timeout, maxBodyBytes, response });
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
    const wait = this.#wait(attempt, retryAfter);
    setWait(wait);
    const details = { method: "GET", retryAfter, attempts: attempt };
    if (status !== 429) {
      pass.accepted();
    } else if (wait.delay <= this.#longest(wait)) {
      this.#gate.pause(this.#clock.ticks() + wait.delay * 1000);
    } else {
      // Whoever asks later sends a single probe first.
      this.#gate.pause(this.#clock.ticks());
      const response = errorResponse(status, headers, "", this.#options.key);
      for (const other of this.#calls) {
        if (!other.sending) other.stop(errorFromResponse({ ...details, path: other.path, response, attempts: 1 }));
      }
    }
    const limit = Math.max(65_536, ERROR_BODY * this.#options.key.reveal().length);
    const body = await readBeginning(answer.body, headers["content-encoding"], limit);
    if (call.signal.aborted) return call.signal.reason;
    const response = errorResponse(status, headers, body, this.#options.key);
    return errorFromResponse({ ...details, path: call.path, response });
  }

  async #beforeRetry(call: Call, error: Error, attempt: number, retriesLeft: number, wait: Wait): Promise<void> {
    call.signal.throwIfAborted();
    if (!isRetryable(error) || retriesLeft === 0 || wait.delay > this.#longest(wait)) throw error;
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

  #wait(attempt: number, retryAfter: number | undefined): Wait {
    return { delay: retryAfter ?? backoff(attempt, this.#options.backoffFactor, this.#random), retryAfter };
  }

  /** Only what the service asks for can be too long; the back-off is the user's own. */
  #longest(wait: Wait): number {
    return wait.retryAfter === undefined ? Number.POSITIVE_INFINITY : this.#options.maxRetryWait;
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
