import pRetry from "p-retry";
import { onAbort, untilAborted } from "../../util/callSignal.js";
import type { Clock } from "../../util/clock.js";
import { FailedAttempt } from "./failures.js";
import type { ResolvedOptions } from "./options.js";
import { backoff } from "./waiting.js";

/** A request with its attempts. */
export interface PacedRequest<T> {
  readonly send: (attempt: number) => Promise<T>;
  /** Called after each failed attempt, before others get a turn. */
  readonly onFailure: (failure: FailedAttempt) => void;
  /** Called before the wait for another attempt. May throw instead. @param delay seconds */
  readonly onRetry: (failure: FailedAttempt, attempt: number, delay: number) => void;
  /** Repeat it after a 429 only. */
  readonly isProbe: boolean;
  readonly signal: AbortSignal;
}

/** After a refusal, requests keep the distance that was accepted, times `SLOWER`. Each accepted request shortens it, times `FASTER`. */
const [SLOWER, FASTER] = [1.05, 0.998];
/** Accepted requests after which one more is sent at once. */
const MORE_PLACES = 200;
/** Seconds between two requests, at most. */
const MAX_DISTANCE = 60;

/**
 * Says when each request of a client may be sent: at most `concurrency` at once, none while the service has asked to wait, and after a 429
 * no faster than the service accepts. After a pause one request goes ahead of the others. A request is sent at most `maxRetries + 1` times
 * and keeps its place meanwhile.
 */
export class Pacer {
  /** Refusals since the last accepted request. Requests that were on the wire together count once. */
  refusals = 0;
  #places: number;
  #taken = 0;
  readonly #queue: Array<() => void> = [];
  /** The requests that have no response yet. */
  readonly #onWire = new Set<Promise<unknown>>();
  /** In milliseconds of the clock: no request before; and the distance between two. */
  #notBefore = 0;
  #distance = 0;
  #refusedAt: number | undefined;
  /** Since the last refusal: accepted requests, and the most that were on the wire with one of them. */
  #accepted = 0;
  #acceptedTogether = 0;

  constructor(
    readonly clock: Clock,
    readonly options: Pick<ResolvedOptions, "concurrency" | "maxRetries" | "backoffFactor">,
    readonly random: () => number,
  ) {
    this.#places = options.concurrency;
  }

  /** Requests per second, after the service has refused some. */
  get pace(): number | undefined {
    return this.#distance > 0 ? 1000 / this.#distance : undefined;
  }

  async run<T>(request: PacedRequest<T>): Promise<T> {
    const { onRetry, isProbe, signal } = request;
    const { maxRetries } = this.options;
    await this.#takePlace(signal);
    try {
      return await pRetry((attempt) => this.#send(request, attempt), {
        retries: maxRetries,
        minTimeout: 0,
        signal,
        shouldRetry: ({ error }) =>
          error instanceof FailedAttempt && error.isRetryable && (error.isRefusal || !isProbe),
        onFailedAttempt: async ({ error, attemptNumber }) => {
          if (!(error instanceof FailedAttempt && error.isRetryable) || attemptNumber > maxRetries) return;
          signal.throwIfAborted();
          const { isRefusal, retryAfter } = error;
          const delay = isRefusal
            ? Math.max(this.#pause, retryAfter ?? 0)
            : (retryAfter ?? this.#backoff(attemptNumber));
          onRetry(error, attemptNumber, delay);
          // After a refusal all wait, see `#send`.
          if (!isRefusal) await this.clock.sleep(1000 * delay, signal);
        },
      });
    } finally {
      this.#taken--;
      this.#admit();
    }
  }

  async #send<T>({ send, onFailure, signal }: PacedRequest<T>, attempt: number): Promise<T> {
    for (;;) {
      // After a pause one request goes ahead.
      const most = this.refusals > 0 ? 1 : this.#places;
      if (this.#onWire.size >= most)
        await untilAborted(
          Promise.race(this.#onWire).catch(() => undefined),
          signal,
        );
      else if (this.#pause > 0) await this.clock.sleep(1000 * this.#pause, signal);
      else break;
    }
    // Nothing is awaited from here on until it is sent: others are waiting for the same turn.
    const sentAt = this.clock.ticks();
    this.#notBefore = Math.max(this.#notBefore, sentAt) + this.#distance;
    const sent = send(attempt);
    const together = this.#onWire.add(sent).size;
    try {
      const response = await sent;
      this.#accept(sentAt, together);
      return response;
    } catch (error) {
      if (error instanceof FailedAttempt) {
        if (error.isRefusal) this.#refuse(sentAt, together, attempt, error.retryAfter);
        onFailure(error);
      }
      throw error;
    } finally {
      this.#onWire.delete(sent);
    }
  }

  /** Waits in line for one of the places. */
  #takePlace(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const take = () => {
        unsubscribe();
        this.#taken++;
        resolve();
      };
      this.#queue.push(take);
      const unsubscribe = onAbort(signal, () => {
        this.#queue.splice(this.#queue.indexOf(take), 1);
        reject(signal.reason);
      });
      this.#admit();
    });
  }

  #admit(): void {
    while (this.#taken < this.#places && this.#queue.length > 0) this.#queue.shift()?.();
  }

  /** Seconds until the next request may be sent. */
  get #pause(): number {
    return Math.max(0, this.#notBefore - this.clock.ticks()) / 1000;
  }

  #accept(sentAt: number, together: number): void {
    // Sent before the refusal, it says nothing about the time after.
    if (sentAt < (this.#refusedAt ?? 0)) return;
    this.refusals = 0;
    this.#accepted++;
    this.#acceptedTogether = Math.max(this.#acceptedTogether, together);
    this.#distance *= FASTER;
    if (this.#accepted % MORE_PLACES === 0 && this.#places < this.options.concurrency) {
      this.#places++;
      this.#admit();
    }
  }

  /** Pauses the client, and slows it down. */
  #refuse(sentAt: number, together: number, attempt: number, retryAfter: number | undefined): void {
    const now = this.clock.ticks();
    if (sentAt >= (this.#refusedAt ?? Number.NEGATIVE_INFINITY)) {
      this.refusals++;
      // Never accepted beside so many others: perhaps the service limits how many it serves at once. Otherwise it limits the rate.
      if (together > Math.max(1, this.#acceptedTogether)) this.#places = Math.max(1, together - 1);
      else if (this.#refusedAt !== undefined && this.#accepted > 0) {
        const accepted = (now - this.#refusedAt) / this.#accepted;
        this.#distance = Math.min(1000 * MAX_DISTANCE, SLOWER * Math.max(accepted, this.#distance));
      }
      this.#refusedAt = now;
      this.#accepted = 0;
      this.#acceptedTogether = 0;
    }
    const delay = this.#backoff(Math.max(this.refusals, attempt));
    const seconds = this.refusals > 1 ? Math.max(retryAfter ?? 0, delay) : (retryAfter ?? delay);
    this.#notBefore = Math.max(this.#notBefore, now + 1000 * seconds);
  }

  #backoff(failures: number): number {
    return backoff(failures, this.options.backoffFactor, this.random);
  }
}
