import type { Clock } from "../../util/clock.js";

/** Permission to send one request. */
export interface Pass {
  /** The learned requests per second, if they delayed this request. */
  readonly pace: number | undefined;
  /** The response is not a 429. */
  accepted(): void;
  /**
   * The response is a 429: pauses the client.
   *
   * @param pause receives the number of refusals in a row and returns the seconds to pause
   */
  refused(pause: (inARow: number) => number): void;
  /** The response is a 429 because the quota is used up. It teaches nothing about the rate; the next request is a probe. */
  exhausted(): void;
  /** The request has ended, however: frees its place. */
  done(): void;
}

/** What a client asks before it sends a request: {@link RateLimitGate}, or one that several processes share. */
export type Gate = Pick<RateLimitGate, "accepted" | "refusals" | "isShared" | "pass">;

/** A learned rate or limit rises over so many accepted requests, at least and at most. */
const MIN_STEP = 20;
const MAX_STEP = 3200;
/** Requests per second: the rate alone delays a request by a minute at most. */
const MIN_RATE = 1 / 60;

interface Waiter {
  /** What delayed it last: the limit of concurrent requests, or the rate. */
  heldBy: "limit" | "pace" | undefined;
  readonly admit: (pass: Pass) => void;
}

/**
 * The gate that every request of a client passes before it is sent. It limits concurrency and, once the service has refused
 * requests with 429, their rate.
 *
 * - First in, first out, but retries first: a request that already had its turn does not queue behind newer ones.
 * - A refusal pauses the whole client. A further one can only extend the pause.
 * - After a pause one request probes while the others keep waiting. Any response but a 429 opens the gate, a 429 pauses it
 *   again, and without a response the next request is the probe. So a refilled quota meets one request, not the whole queue.
 * - A refusal lowers the concurrency or the rate. Requests that were on the wire together count once. The level of a request is the
 *   number of requests on the wire when it is sent: a service that limits concurrency refuses from some level on, one that limits the
 *   rate at any level. So the concurrency drops if no request at that level was accepted since the last refusal. Otherwise the new
 *   rate is the geometric mean of the refused speed and of what was accepted since, pauses included. Then both rise again.
 *
 * Responses to requests sent before a pause do not open the gate. Without a 429 only `concurrency` makes requests wait.
 */
export class RateLimitGate {
  /** The requests of other processes pass it as well. */
  readonly isShared: boolean = false;
  readonly #clock: Clock;
  #state: "open" | "paused" | "probing" = "open";
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #probe: Pass | undefined;
  /** The earliest time of the next request at the learned rate. */
  #next = Number.NEGATIVE_INFINITY;
  #onWire = 0;
  /** Requests accepted so far. */
  accepted = 0;
  /** Refusals since the last accepted request; requests on the wire together count once. */
  refusals = 0;
  /** Refusals learned from; requests sent before the last one teach nothing more. */
  #lessons = 0;
  #concurrency: number;
  /** Requests per second; infinite until a rate is learned. */
  #perSecond = Number.POSITIVE_INFINITY;
  /** By how much an accepted request that was delayed by the rate raises it, and in how many requests that grows e-fold. */
  #raise = 0;
  #rateStep = MIN_STEP;
  /** Accepted requests until a higher level is tried, and those at the limit since it changed. */
  #levelStep = MIN_STEP;
  #full = 0;
  /** The last refusal: its time, its pause in seconds; requests accepted since, and the highest level of one. */
  #since: number | undefined;
  #lastPause = 0;
  #count = 0;
  #highest = 0;
  /** Since when there is nothing to send, and for how long before that. */
  #idleSince: number | undefined;
  #idle = 0;
  #alarm: { readonly at: number; readonly stop: AbortController } | undefined;
  // Sets keep insertion order and delete from the middle cheaply.
  readonly #retries = new Set<Waiter>();
  readonly #first = new Set<Waiter>();

  constructor(
    clock: Clock,
    readonly concurrency: number,
  ) {
    this.#clock = clock;
    this.#concurrency = concurrency;
  }

  /**
   * Waits until a request may be sent.
   *
   * @throws the reason of the signal as soon as it aborts
   */
  async pass(signal: AbortSignal, isRetry = false): Promise<Pass> {
    signal.throwIfAborted();
    if (this.#idleSince !== undefined) {
      this.#idle += this.#clock.ticks() - this.#idleSince;
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
    for (;;) {
      // A retry goes first.
      const [waiter] = this.#retries.size > 0 ? this.#retries : this.#first;
      if (waiter === undefined) break;
      const at = this.#opensAt(waiter);
      if (at > this.#clock.ticks()) {
        this.#wakeAt(at);
        return;
      }
      waiter.admit(this.#send(waiter));
    }
    this.#wakeAt(Number.POSITIVE_INFINITY);
    if (this.#onWire === 0) this.#idleSince ??= this.#clock.ticks();
  }

  /** When the next request may be sent, as far as known. */
  #opensAt(waiter: Waiter): number {
    if (this.#state === "probing") return Number.POSITIVE_INFINITY;
    if (this.#state === "paused" && this.#pausedUntil > this.#next) return this.#pausedUntil;
    if (this.#onWire >= this.#concurrency) {
      waiter.heldBy = "limit";
      return Number.POSITIVE_INFINITY;
    }
    if (this.#next > this.#clock.ticks()) waiter.heldBy = "pace";
    return this.#next;
  }

  #send({ heldBy }: Waiter): Pass {
    const now = this.#clock.ticks();
    const perSecond = this.#perSecond;
    this.#next = Math.max(this.#next, now) + 1000 / perSecond;
    const level = ++this.#onWire;
    const lesson = this.#lessons;
    const settle = (state: "open" | "paused") => {
      // A 429 to an older request may have paused the gate meanwhile; then this probe no longer decides.
      if (this.#probe !== pass || this.#state !== "probing") return;
      this.#state = state;
      this.#admit();
    };
    const pass: Pass = {
      pace: heldBy === "pace" ? perSecond : undefined,
      accepted: () => {
        this.accepted += 1;
        this.refusals = 0;
        if (lesson === this.#lessons) this.#raiseLimits(level, heldBy);
        settle("open");
      },
      refused: (pause) => {
        const isNews = lesson === this.#lessons;
        if (isNews) this.refusals += 1;
        const seconds = pause(this.refusals);
        if (isNews) {
          this.#lessons += 1;
          this.#lowerLimits(level, this.#clock.ticks() - this.#idle, seconds);
        }
        this.#pause(this.#clock.ticks() + seconds * 1000);
      },
      exhausted: () => {
        this.refusals = 0;
        this.#pause(this.#clock.ticks());
      },
      done: () => {
        this.#onWire -= 1;
        settle("paused");
        this.#admit();
      },
    };
    if (this.#state === "paused") [this.#state, this.#probe] = ["probing", pass];
    return pass;
  }

  #raiseLimits(level: number, heldBy: Waiter["heldBy"]): void {
    this.#count += 1;
    this.#highest = Math.max(this.#highest, level);
    if (heldBy === "pace") {
      this.#perSecond += this.#raise;
      this.#raise *= 1 + 1 / this.#rateStep;
    } else if (heldBy === "limit" && this.#concurrency < this.concurrency && ++this.#full >= this.#levelStep) {
      this.#concurrency += 1;
      this.#full = 0;
    }
  }

  /**
   * @param now milliseconds, without the time when there was nothing to send
   * @param pause seconds that the refusal pauses the client
   */
  #lowerLimits(level: number, now: number, pause: number): void {
    const isFirst = this.#since === undefined;
    const seconds = (now - (this.#since ?? now)) / 1000;
    if (level > 1 && level > this.#highest) {
      this.#levelStep = Math.min(2 * this.#levelStep, MAX_STEP);
      this.#concurrency = level - 1;
      this.#full = 0;
    } else if (this.#count > 0 && seconds > 0) {
      const measured = this.#count / seconds;
      const speed = Math.min(this.#perSecond, this.#count / Math.max(seconds - this.#lastPause, 0.001));
      // After a short pause, the rate was only slightly too high.
      this.#perSecond = Math.max(MIN_RATE, pause < 0.2 * seconds ? 0.95 * speed : Math.sqrt(measured * speed));
      // The more requests a pause costs, the more slowly.
      this.#rateStep = Math.min(10 * Math.max(4, pause * measured), MAX_STEP);
      this.#raise = Math.max(speed - this.#perSecond, 0.02 * speed) / this.#rateStep;
    } else if (isFirst) this.#concurrency = Math.ceil(this.#concurrency / 2);
    if (this.#count > 0 || isFirst) {
      this.#since = now;
      this.#count = this.#highest = 0;
    }
    this.#lastPause = pause;
  }

  #pause(until: number): void {
    this.#pausedUntil = this.#state === "open" ? until : Math.max(this.#pausedUntil, until);
    this.#state = "paused";
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
    this.#clock.sleep(at - this.#clock.ticks(), alarm.stop.signal).then(wake, () => undefined);
  }
}
