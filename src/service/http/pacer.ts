import { onAbort } from "../../util/callSignal.js";
import type { Clock } from "../../util/clock.js";
import { FailedAttempt } from "./failedAttempt.js";
import type { ResolvedOptions } from "./options.js";

/** After a refusal, the interval between requests is the last accepted one times `SLOWER`. Each accepted request multiplies it by `FASTER`. */
const [SLOWER, FASTER] = [1.05, 0.998];
/** Accepted requests after which one more may be in flight. */
const ACCEPTED_PER_SLOT = 200;
/** Seconds: the longest interval between two requests, and where doubling stops. */
const [MAX_INTERVAL, MAX_BACKOFF] = [60, 300];

/**
 * Decides when each attempt of a client may be sent: at most `concurrency` at once, none while the service asks to wait, and after a 429
 * no faster than the service accepts. All wait in one queue, a retry behind at most `concurrency` others, so that a service that refuses
 * everything does not use up the attempts of the same request.
 */
export class Pacer {
  /** Refusals since the last accepted request. Refusals of requests that were in flight together count once. */
  refusals = 0;
  readonly #queue: Array<{ readonly signal: AbortSignal; readonly admit: () => void }> = [];
  #isPausing = false;
  #inFlight = 0;
  #slots: number;
  /** In milliseconds of the clock: the time of the next request, and the interval between two. */
  #notBefore = 0;
  #interval = 0;
  #refusedAt: number | undefined;
  /** Since the last refusal: accepted requests, and the most that were in flight with one of them. */
  #accepted = 0;
  #maxAcceptedInFlight = 0;

  constructor(
    readonly clock: Clock,
    readonly options: Pick<ResolvedOptions, "concurrency" | "backoffFactor">,
    readonly random: () => number,
  ) {
    this.#slots = options.concurrency;
  }

  /** Requests per second once refusals have shown a rate limit; undefined before. */
  get pace(): number | undefined {
    return this.#interval > 0 ? 1000 / this.#interval : undefined;
  }

  /** Sends an attempt as soon as it may be sent. @param attempt its number, from 1 */
  async send<T>(attempt: number, signal: AbortSignal, exchange: () => Promise<T>): Promise<T> {
    const inFlight = await this.#enqueue(signal, attempt > 1);
    const sentAt = this.clock.ticks();
    try {
      const response = await exchange();
      this.#accept(sentAt, inFlight);
      return response;
    } catch (error) {
      if (error instanceof FailedAttempt && error.isRefusal)
        this.#refuse(sentAt, inFlight, attempt, error.details.retryAfter);
      throw error;
    } finally {
      this.#inFlight--;
      this.#admit();
    }
  }

  /** Waits after a failed attempt. After a refusal the whole queue waits. @param onDelay called with the seconds */
  async wait(
    { isRefusal, details }: FailedAttempt,
    attempt: number,
    signal: AbortSignal,
    onDelay?: (delay: number) => void,
  ) {
    const { retryAfter } = details;
    const delay = isRefusal ? Math.max(this.#pause, retryAfter ?? 0) : (retryAfter ?? this.#backoff(attempt));
    onDelay?.(delay);
    if (!isRefusal) await this.clock.sleep(1000 * delay, signal);
  }

  /** Waits in the queue. @returns the requests in flight, this one included */
  #enqueue(signal: AbortSignal, isRetry: boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        unsubscribe();
        resolve(++this.#inFlight);
      };
      const request = { signal, admit };
      this.#queue.splice(isRetry ? this.options.concurrency : this.#queue.length, 0, request);
      const unsubscribe = onAbort(signal, () => {
        this.#queue.splice(this.#queue.indexOf(request), 1);
        reject(signal.reason);
      });
      this.#admit();
    });
  }

  #admit(): void {
    const [first] = this.#queue;
    // After a pause one request goes ahead.
    if (first === undefined || this.#inFlight >= (this.refusals > 0 ? 1 : this.#slots)) return;
    if (this.#pause > 0) return void this.#sleep(first.signal);
    this.#notBefore = Math.max(this.#notBefore, this.clock.ticks()) + this.#interval;
    this.#queue.shift();
    first.admit();
    this.#admit();
  }

  /** Waits for the end of the pause with the signal of the first in the queue. If that one is aborted, the next one waits. */
  async #sleep(signal: AbortSignal): Promise<void> {
    if (this.#isPausing) return;
    this.#isPausing = true;
    await this.clock.sleep(1000 * this.#pause, signal).catch(() => undefined);
    this.#isPausing = false;
    this.#admit();
  }

  /** Seconds until the next request may be sent. */
  get #pause(): number {
    return Math.max(0, this.#notBefore - this.clock.ticks()) / 1000;
  }

  #accept(sentAt: number, inFlight: number): void {
    // A request sent before the refusal says nothing about the rate after it.
    if (sentAt < (this.#refusedAt ?? 0)) return;
    this.refusals = 0;
    this.#accepted++;
    this.#maxAcceptedInFlight = Math.max(this.#maxAcceptedInFlight, inFlight);
    this.#interval *= FASTER;
    if (this.#accepted % ACCEPTED_PER_SLOT === 0 && this.#slots < this.options.concurrency) this.#slots++;
  }

  #refuse(sentAt: number, inFlight: number, attempt: number, retryAfter: number | undefined): void {
    const now = this.clock.ticks();
    if (sentAt >= (this.#refusedAt ?? Number.NEGATIVE_INFINITY)) {
      this.refusals++;
      // If the service never accepted so many at once, it may limit concurrency; otherwise it limits the rate.
      if (inFlight > Math.max(1, this.#maxAcceptedInFlight)) this.#slots = Math.max(1, inFlight - 1);
      else if (this.#refusedAt !== undefined && this.#accepted > 0) {
        const interval = (now - this.#refusedAt) / this.#accepted;
        this.#interval = Math.min(1000 * MAX_INTERVAL, SLOWER * Math.max(interval, this.#interval));
      }
      this.#refusedAt = now;
      this.#accepted = 0;
      this.#maxAcceptedInFlight = 0;
    }
    const delay = this.#backoff(Math.max(this.refusals, attempt));
    const seconds = this.refusals > 1 ? Math.max(retryAfter ?? 0, delay) : (retryAfter ?? delay);
    this.#notBefore = Math.max(this.#notBefore, now + 1000 * seconds);
  }

  /** Doubled with each failure, plus up to 25 % jitter, so that clients that failed together do not retry together. In seconds. */
  #backoff(failures: number): number {
    const { backoffFactor } = this.options;
    const doubled = backoffFactor * 2 ** Math.min(failures - 1, 64);
    return Math.min(doubled, Math.max(MAX_BACKOFF, backoffFactor)) * (1 + this.random() / 4);
  }
}
