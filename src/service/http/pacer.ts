import { onAbort } from "../../util/callSignal.js";
import type { Clock } from "../../util/clock.js";
import { FailedAttempt } from "./failedAttempt.js";
import type { ResolvedOptions } from "./options.js";

/** After a refusal, requests keep the distance that was accepted, times `SLOWER`. Each accepted request shortens it, times `FASTER`. */
const [SLOWER, FASTER] = [1.05, 0.998];
/** Accepted requests after which one more is sent at once. */
const MORE_PLACES = 200;
/** Seconds: the longest distance between two requests, and where doubling stops. */
const [MAX_DISTANCE, MAX_BACKOFF] = [60, 300];

/**
 * Says when each attempt of a client may be sent: at most `concurrency` at once, none while the service has asked to wait, and after a 429
 * no faster than the service accepts. All wait in one line, a repeated attempt behind at most `concurrency` others: while the service refuses
 * everything, not always the same request tries again and fails.
 */
export class Pacer {
  /** Refusals since the last accepted request. Requests that were on the wire together count once. */
  refusals = 0;
  readonly #line: Array<{ readonly signal: AbortSignal; readonly admit: () => void }> = [];
  #isAsleep = false;
  #onWire = 0;
  #places: number;
  /** In milliseconds of the clock: no request before; and the distance between two. */
  #notBefore = 0;
  #distance = 0;
  #refusedAt: number | undefined;
  /** Since the last refusal: accepted requests, and the most that were on the wire with one of them. */
  #accepted = 0;
  #acceptedTogether = 0;

  constructor(
    readonly clock: Clock,
    readonly options: Pick<ResolvedOptions, "concurrency" | "backoffFactor">,
    readonly random: () => number,
  ) {
    this.#places = options.concurrency;
  }

  /** Requests per second, after the service has refused some. */
  get pace(): number | undefined {
    return this.#distance > 0 ? 1000 / this.#distance : undefined;
  }

  /** Sends an attempt as soon as it may be sent. @param attempt its number, from 1 */
  async send<T>(attempt: number, signal: AbortSignal, exchange: () => Promise<T>): Promise<T> {
    const together = await this.#place(signal, attempt > 1);
    const sentAt = this.clock.ticks();
    try {
      const response = await exchange();
      this.#accept(sentAt, together);
      return response;
    } catch (error) {
      if (error instanceof FailedAttempt && error.isRefusal)
        this.#refuse(sentAt, together, attempt, error.details.retryAfter);
      throw error;
    } finally {
      this.#onWire--;
      this.#admit();
    }
  }

  /** Waits after a failed attempt. After a refusal the whole line waits, each attempt in its place. @param onDelay called with the seconds */
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

  /** Waits in line for a place. @returns the requests on the wire, this one included */
  #place(signal: AbortSignal, isRepeated: boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        unsubscribe();
        resolve(++this.#onWire);
      };
      const request = { signal, admit };
      this.#line.splice(isRepeated ? this.options.concurrency : this.#line.length, 0, request);
      const unsubscribe = onAbort(signal, () => {
        this.#line.splice(this.#line.indexOf(request), 1);
        reject(signal.reason);
      });
      this.#admit();
    });
  }

  /** Admits as many as may be sent now. */
  #admit(): void {
    const [first] = this.#line;
    // After a pause one request goes ahead.
    if (first === undefined || this.#onWire >= (this.refusals > 0 ? 1 : this.#places)) return;
    if (this.#pause > 0) return void this.#sleep(first.signal);
    this.#notBefore = Math.max(this.#notBefore, this.clock.ticks()) + this.#distance;
    this.#line.shift();
    first.admit();
    this.#admit();
  }

  /** Waits for the end of the pause with the signal of the first in line. If that one leaves, the next one waits on. */
  async #sleep(signal: AbortSignal): Promise<void> {
    if (this.#isAsleep) return;
    this.#isAsleep = true;
    await this.clock.sleep(1000 * this.#pause, signal).catch(() => undefined);
    this.#isAsleep = false;
    this.#admit();
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
    if (this.#accepted % MORE_PLACES === 0 && this.#places < this.options.concurrency) this.#places++;
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

  /** Doubled with each failure, plus up to 25 % jitter, so that clients that failed together do not retry together. In seconds. */
  #backoff(failures: number): number {
    const { backoffFactor } = this.options;
    const doubled = backoffFactor * 2 ** Math.min(failures - 1, 64);
    return Math.min(doubled, Math.max(MAX_BACKOFF, backoffFactor)) * (1 + this.random() / 4);
  }
}
