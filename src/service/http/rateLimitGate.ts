import type { Clock } from "../../util/clock.js";
import { type HeldBy, LearnedLimits } from "./learnedLimits.js";

/** Permission to send one request. */
export interface Pass {
  /** The learned requests per second, if they delayed this request. */
  readonly pace: number | undefined;
  /** The response is not a 429. */
  accepted(): void;
  /**
   * The response is a 429: pauses the client.
   * @param pause receives the number of refusals in a row and returns the seconds to pause
   */
  refused(pause: (inARow: number) => number): void;
  /** The response is a 429 because the quota is used up. It says nothing about the rate; the next request is a probe. */
  exhausted(): void;
  /** The request has ended, one way or another: frees its place. Idempotent. */
  done(): void;
}

/** What admits the requests of a client: {@link RateLimitGate}, or a gate that several processes share. */
export type Gate = Pick<RateLimitGate, "accepted" | "refusals" | "isShared" | "pass">;

interface Waiter {
  heldBy: HeldBy;
  readonly admit: (pass: Pass) => void;
}

/**
 * The gate that every request of a client passes before it is sent. It limits concurrency and, once the service has refused requests
 * with 429, their rate.
 * - First in, first out, but retries first: a request that already had its turn does not queue behind newer ones.
 * - A refusal pauses the whole client. A further one can only extend the pause.
 * - After a pause one request probes while the others keep waiting. Any response but a 429 opens the gate, a 429 pauses it again, and
 *   without a response the next request is the probe. So a refilled quota meets one request, not the whole queue.
 * - A refusal lowers the concurrency or the rate ({@link LearnedLimits}). Requests that were on the wire together count once.
 * Responses to requests sent before a pause do not open the gate. Without a 429 only `concurrency` makes requests wait.
 */
export class RateLimitGate {
  /** Whether other processes send through it, too. */
  readonly isShared: boolean = false;
  /** Requests accepted so far. */
  accepted = 0;
  /** Refusals since the last accepted request. Requests on the wire together count once. */
  refusals = 0;
  readonly #limits: LearnedLimits;
  /** After a refusal: until when to wait, and the request that then probes while the others wait. */
  #paused: { readonly until: number; probe?: Pass | undefined } | undefined;
  /** The earliest time of the next request at the learned rate. */
  #next = Number.NEGATIVE_INFINITY;
  #onWire = 0;
  /** Number of refusals learned from. Requests sent before the last of them teach nothing more. */
  #lessons = 0;
  /** Since when there has been nothing to send, and the total time before that. */
  #idleSince: number | undefined;
  #idle = 0;
  #alarm: { readonly at: number; readonly stop: AbortController } | undefined;
  // Sets keep insertion order and delete from the middle cheaply.
  readonly #retries = new Set<Waiter>();
  readonly #first = new Set<Waiter>();

  constructor(
    readonly clock: Clock,
    concurrency: number,
  ) {
    this.#limits = new LearnedLimits(concurrency);
  }

  /** Waits until a request may be sent. */
  async pass(signal: AbortSignal, isRetry = false): Promise<Pass> {
    signal.throwIfAborted();
    if (this.#idleSince !== undefined) {
      this.#idle += this.clock.ticks() - this.#idleSince;
      this.#idleSince = undefined;
    }
    const queue = isRetry ? this.#retries : this.#first;
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(waiter);
        this.#admit();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        heldBy: undefined,
        admit: (pass) => {
          queue.delete(waiter);
          signal.removeEventListener("abort", leave);
          resolve(pass);
        },
      };
      queue.add(waiter);
      signal.addEventListener("abort", leave, { once: true });
      this.#admit();
    });
  }

  /** Admits the requests that may be sent, in order, and sets an alarm for the next. */
  #admit(): void {
    while (this.#retries.size + this.#first.size > 0) {
      const [waiter] = (this.#retries.size > 0 ? this.#retries : this.#first) as unknown as [Waiter];
      const at = this.#opensAt(waiter);
      if (at > this.clock.ticks()) {
        this.#wakeAt(at);
        return;
      }
      waiter.admit(this.#send(waiter));
    }
    this.#wakeAt(Number.POSITIVE_INFINITY);
    if (this.#onWire === 0) this.#idleSince ??= this.clock.ticks();
  }

  /** When the next request may be sent, as far as known. */
  #opensAt(waiter: Waiter): number {
    if (this.#paused?.probe !== undefined) return Number.POSITIVE_INFINITY;
    if (this.#paused !== undefined && this.#paused.until > this.#next) return this.#paused.until;
    if (this.#onWire >= this.#limits.concurrency) {
      waiter.heldBy = "limit";
      return Number.POSITIVE_INFINITY;
    }
    if (this.#next > this.clock.ticks()) waiter.heldBy = "pace";
    return this.#next;
  }

  #send({ heldBy }: Waiter): Pass {
    const now = this.clock.ticks();
    const { perSecond } = this.#limits;
    this.#next = Math.max(this.#next, now) + 1000 / perSecond;
    const level = ++this.#onWire;
    const lesson = this.#lessons;
    const settle = (paused: { readonly until: number } | undefined) => {
      // A 429 to an older request may have paused the gate meanwhile; then this probe no longer decides.
      if (this.#paused?.probe !== pass) return;
      this.#paused = paused;
      this.#admit();
    };
    let isOver = false;
    const pass: Pass = {
      pace: heldBy === "pace" ? perSecond : undefined,
      accepted: () => {
        this.accepted += 1;
        this.refusals = 0;
        if (lesson === this.#lessons) this.#limits.accepted(level, heldBy);
        settle(undefined);
      },
      refused: (pause) => {
        const isNews = lesson === this.#lessons;
        if (isNews) this.refusals += 1;
        const seconds = pause(this.refusals);
        if (isNews) {
          this.#lessons += 1;
          this.#limits.refused(level, this.clock.ticks() - this.#idle, seconds);
        }
        this.#pause(this.clock.ticks() + seconds * 1000);
      },
      exhausted: () => {
        this.refusals = 0;
        this.#pause(this.clock.ticks());
      },
      done: () => {
        if (isOver) return;
        isOver = true;
        this.#onWire -= 1;
        settle({ until: now });
        this.#admit();
      },
    };
    if (this.#paused !== undefined) this.#paused.probe = pass;
    return pass;
  }

  #pause(until: number): void {
    this.#paused = { until: Math.max(this.#paused?.until ?? until, until) };
    this.#admit();
  }

  /** Calls #admit at that time; infinity cancels the alarm. */
  #wakeAt(at: number): void {
    if (this.#alarm?.at === at) return;
    this.#alarm?.stop.abort();
    this.#alarm = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const alarm = { at, stop: new AbortController() };
    this.#alarm = alarm;
    const wake = () => {
      if (this.#alarm !== alarm) return;
      this.#alarm = undefined;
      this.#admit();
    };
    this.clock.sleep(at - this.clock.ticks(), alarm.stop.signal).then(wake, () => undefined);
  }
}
