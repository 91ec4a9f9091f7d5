import type { Clock } from "../../util/clock.js";
import { ConcurrencyLimit } from "./concurrencyLimit.js";
import { type Elapsed, RateController } from "./rateController.js";

/** Leave to send one request. */
export interface Pass {
  /** Requests per second that the client keeps to, where this request had to wait for that. */
  readonly pace: number | undefined;
  /** An answer came, and it was not 429. */
  accepted(): void;
  /**
   * The answer was 429: nobody passes for so many seconds.
   *
   * @param pause is given how many times in a row the service has refused by now, and returns the seconds
   */
  refused(pause: (inARow: number) => number): void;
  /** The answer was 429 and says nothing about the pace: the quota is used up. One goes ahead of those who come later. */
  exhausted(): void;
  /** The request is over, whatever came: gives the place back. Calling it again does nothing. */
  done(): void;
}

/** A request before it is sent. */
interface Candidate {
  /** What it waited for last. */
  heldBy: "limit" | "pace" | undefined;
}

interface Waiter extends Candidate {
  readonly admit: (pass: Pass) => void;
}

/** A service that refuses everything is waited for no longer than this for the time that was saved before (milliseconds). */
const LONGEST_DEBT = 60_000;

/**
 * The gate that every request of a client goes through before it is sent. It bounds the requests at once and, once the
 * service has refused some with 429, their rate.
 *
 * - First come, first served, retries first: a call that already had its turn does not queue behind everything that was
 *   asked after it.
 * - A refusal pauses the whole client. A further pause can only make it longer.
 * - After a pause one request goes ahead as a probe while the others go on waiting. When it is answered with anything but
 *   429 the gate is open; when it is answered with 429 the gate is paused again; when no answer comes, the next in line
 *   is the probe. So a quota that is just refilled meets one request, not all that have been piling up.
 * - A refusal teaches: fewer at once ({@link ConcurrencyLimit}) or more slowly ({@link RateController}), whichever
 *   explains it. Requests that were on the wire at the same time teach once.
 *
 * Answers to requests that were sent before a pause do not open the gate. Without a 429 nothing waits but for the
 * concurrency of the client.
 */
export class RateLimitGate {
  readonly #clock: Clock;
  readonly #limit: ConcurrencyLimit;
  readonly #rate = new RateController();
  #state: "open" | "paused" | "probing" = "open";
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #probe: Pass | undefined;
  /** The earliest time of the next request, by the pace. */
  #next = Number.NEGATIVE_INFINITY;
  #onWire = 0;
  #accepted = 0;
  /** Refusals since a request was accepted, each with a pause of its own, and when the first of them came. */
  #inARow = 0;
  #refusedSince = 0;
  /** Time that accepted requests took, one by one, and the time in which they were made side by side. */
  #served = 0;
  #servedSince = 0;
  #saved = 0;
  /** Refusals that taught something; requests sent before the last one teach nothing more. */
  #lessons = 0;
  /** Since when there is nothing to send, and how long there was nothing before. */
  #idleSince: number | undefined;
  #idle = 0;
  #pausedSince: number | undefined;
  #paused = 0;
  #alarm: { readonly at: number; readonly stop: AbortController } | undefined;
  // Sets keep the order of insertion and forget one in the middle at no cost.
  readonly #retries = new Set<Waiter>();
  readonly #first = new Set<Waiter>();

  constructor(clock: Clock, concurrency: number) {
    this.#clock = clock;
    this.#limit = new ConcurrencyLimit(concurrency);
  }

  /** Requests accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Refusals since a request was accepted, those of requests that were on the wire together counted once. */
  get refusals(): number {
    return this.#inARow;
  }

  /**
   * Whether the service has been refusing for at least as long as concurrency had saved before: a client that asks one by
   * one would have met it so much later.
   */
  get hasWaited(): boolean {
    return this.#clock.ticks() - this.#refusedSince >= this.#saved;
  }

  /**
   * Waits until a request may be sent.
   *
   * @throws the reason of the signal, at once when it aborts
   */
  async pass(signal: AbortSignal, isRetry = false): Promise<Pass> {
    signal.throwIfAborted();
    if (this.#idleSince !== undefined) {
      this.#idle += this.#clock.ticks() - this.#idleSince;
      this.#idleSince = undefined;
    }
    const queue = isRetry ? this.#retries : this.#first;
    const quick: Candidate = { heldBy: undefined };
    if (this.#head() === undefined && this.#opensAt(quick) <= this.#clock.ticks()) return this.#send(quick);
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

  /** Lets those pass who may, in order, and sets an alarm for the next. */
  #admit(): void {
    for (let waiter = this.#head(); waiter !== undefined; waiter = this.#head()) {
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

  #head(): Waiter | undefined {
    for (const queue of [this.#retries, this.#first]) for (const waiter of queue) return waiter;
    return undefined;
  }

  /** When the next request may be sent, as far as is known now. */
  #opensAt(candidate: Candidate): number {
    if (this.#state === "probing") return Number.POSITIVE_INFINITY;
    const isPaused = this.#state === "paused" && this.#pausedUntil > this.#next;
    if (isPaused) return this.#pausedUntil;
    if (this.#onWire >= this.#limit.value) {
      candidate.heldBy = "limit";
      return Number.POSITIVE_INFINITY;
    }
    if (this.#next > this.#clock.ticks()) candidate.heldBy = "pace";
    return this.#next;
  }

  #send({ heldBy }: Candidate): Pass {
    const now = this.#clock.ticks();
    const rate = this.#rate.perSecond;
    if (rate !== Number.POSITIVE_INFINITY) this.#next = Math.max(this.#next, now) + 1000 / rate;
    const level = ++this.#onWire;
    const isPaced = heldBy === "pace";
    const lesson = this.#lessons;
    const settle = (state: "open" | "paused") => {
      // A 429 to an older request may have paused the gate meanwhile: then this probe decides nothing any more.
      if (this.#probe !== pass || this.#state !== "probing") return;
      this.#state = state;
      this.#admit();
    };
    let isOver = false;
    const pass: Pass = {
      pace: isPaced ? rate : undefined,
      accepted: () => {
        this.#accepted += 1;
        this.#inARow = 0;
        this.#served += this.#clock.ticks() - now;
        if (lesson === this.#lessons) this.#rate.accepted(this.#elapsed(), isPaced);
        const isHigher = this.#limit.accepted(level, heldBy === "limit");
        if (isHigher && this.#rate.perSecond === Number.POSITIVE_INFINITY) this.#rate.follow();
        settle("open");
      },
      refused: (pause) => {
        const isNews = lesson === this.#lessons;
        if (isNews && ++this.#inARow === 1) this.#refusedFirst();
        const seconds = pause(this.#inARow);
        if (isNews) this.#learn(level, isPaced, seconds);
        this.#pause(this.#clock.ticks() + seconds * 1000);
      },
      exhausted: () => {
        this.#inARow = 0;
        this.#pause(this.#clock.ticks());
      },
      done: () => {
        if (isOver) return;
        isOver = true;
        this.#onWire -= 1;
        settle("paused");
        this.#admit();
      },
    };
    if (this.#state === "paused") {
      this.#state = "probing";
      this.#probe = pass;
      this.#paused += now - (this.#pausedSince ?? now);
      this.#pausedSince = undefined;
    }
    return pass;
  }

  #learn(level: number, isPaced: boolean, seconds: number): void {
    this.#lessons += 1;
    this.#limit.refused(level);
    if (this.#limit.explains(level, isPaced)) {
      this.#limit.lower(level, seconds * this.#rate.crowded(this.#elapsed(), seconds));
    } else {
      if (this.#rate.perSecond === Number.POSITIVE_INFINITY) this.#limit.halve();
      this.#rate.refused(this.#elapsed(), seconds);
    }
  }

  #refusedFirst(): void {
    const { open } = this.#elapsed();
    this.#saved = Math.min(Math.max(0, this.#served - (open - this.#servedSince)), LONGEST_DEBT);
    this.#refusedSince = this.#clock.ticks();
    this.#served = 0;
    this.#servedSince = open;
  }

  #elapsed(): Elapsed {
    const now = this.#clock.ticks();
    const active = now - this.#idle;
    return { active, open: active - this.#paused - (now - (this.#pausedSince ?? now)) };
  }

  #pause(until: number): void {
    this.#pausedUntil = this.#state === "open" ? until : Math.max(this.#pausedUntil, until);
    this.#state = "paused";
    this.#pausedSince ??= this.#clock.ticks();
    this.#admit();
  }

  /** Looks again at that time; an infinite one is for nobody to wait. */
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
