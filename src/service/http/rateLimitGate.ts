import type { Clock } from "../../util/clock.js";

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
export type Gate = Pick<RateLimitGate, "accepted" | "refusals" | "pass">;

interface Waiter {
  heldBy: HeldBy;
  readonly admit: (pass: Pass) => void;
}

/** What delayed a request last: the limit of concurrent requests, or the rate. */
type HeldBy = "limit" | "pace" | undefined;

/** Accepted requests before the concurrency is raised: initially and at most. */
const [MIN_STEP, MAX_STEP] = [20, 3200];
/** The rate that was refused is at most this multiple of the rate that was accepted. */
const HEADROOM = 1.1;
/** Each accepted request that the rate delayed raises it by `RAISE`, divided by the number of requests that a refusal costs (at least `LEAST`). */
const [RAISE, LEAST] = [1 / 300, 1.5];
/** Requests per second. The rate alone delays a request by at most a minute. */
const MIN_RATE = 1 / 60;

/**
 * The gate that every request of a client passes before it is sent. It limits concurrency and, once the service has refused requests
 * with 429, their rate.
 * - First in, first out, but retries first: a request that already had its turn does not queue behind newer ones.
 * - A refusal pauses the whole client. A further one can only extend the pause.
 * - After a pause one request probes while the others keep waiting. Any response but a 429 opens the gate, a 429 pauses it again, and
 *   without a response the next request is the probe. So a refilled quota meets one request, not the whole queue.
 * - Responses to requests sent before a pause do not open the gate, and refused requests that were on the wire together count once.
 * - A refusal lowers the concurrency if no request at its level has been accepted since the last one. The level of a request is the
 *   number of requests on the wire when it is sent, itself included: a service that limits concurrency refuses from some level on and
 *   accepts all below; one that limits the rate refuses at any level.
 * - Otherwise a refusal lowers the rate: what was accepted between two refusals, pauses included, is at most what the service lets
 *   through. Then the rate rises again. Without a 429 only `concurrency` makes requests wait.
 */
export class RateLimitGate {
  accepted = 0;
  /** Refusals since the last accepted request. Requests on the wire together count once. */
  refusals = 0;
  /** The learned limits: requests on the wire, and per second. */
  #concurrency: number;
  #perSecond = Number.POSITIVE_INFINITY;
  /** Requests accepted at the limit of concurrency since it last changed, and the number that raises it. */
  #full = 0;
  #step = MIN_STEP;
  /** Number of refusals learned from. Requests sent before the last of them teach nothing more. */
  #lessons = 0;
  /** Time of the last refusal, without idle time, and the seconds of its pause. */
  #since: number | undefined;
  #pauseOfLast = 0;
  /** Since the last refusal: accepted requests, the highest level among them, and by how much each raises the rate. */
  #count = 0;
  #highest = 0;
  #raise = 0;
  /** After a refusal: until when to wait, and the request that then probes while the others wait. */
  #paused: { readonly until: number; probe?: Pass | undefined } | undefined;
  /** The earliest time of the next request at the learned rate. */
  #next = Number.NEGATIVE_INFINITY;
  #onWire = 0;
  /** When the last request ended or left, and the total time with nothing to send before. */
  #idleSince = 0;
  #idle = 0;
  /** Stops the sleep until the next request may be sent. */
  #alarm: AbortController | undefined;
  // Sets keep insertion order and delete from the middle cheaply.
  readonly #retries = new Set<Waiter>();
  readonly #first = new Set<Waiter>();

  constructor(
    readonly clock: Clock,
    readonly concurrency: number,
  ) {
    this.#concurrency = concurrency;
  }

  /** Waits until a request may be sent. */
  async pass(signal: AbortSignal, isRetry = false): Promise<Pass> {
    signal.throwIfAborted();
    if (this.#onWire + this.#retries.size + this.#first.size === 0) this.#idle += this.clock.ticks() - this.#idleSince;
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

  /** Admits the requests that may be sent, in order, and comes back when the next one may be. */
  #admit(): void {
    this.#alarm?.abort();
    while (this.#retries.size + this.#first.size > 0) {
      const [waiter] = (this.#retries.size > 0 ? this.#retries : this.#first) as unknown as [Waiter];
      const at = this.#opensAt(waiter);
      const wait = at - this.clock.ticks();
      if (wait === Number.POSITIVE_INFINITY) return;
      if (wait > 0) {
        this.#alarm = new AbortController();
        const admit = () => this.#admit();
        this.clock.sleep(wait, this.#alarm.signal).then(admit, () => undefined);
        return;
      }
      waiter.admit(this.#send(waiter));
    }
    this.#idleSince = this.clock.ticks();
  }

  /** When the next request may be sent, as far as known. */
  #opensAt(waiter: Waiter): number {
    if (this.#paused?.probe !== undefined) return Number.POSITIVE_INFINITY;
    if (this.#paused !== undefined && this.#paused.until > this.#next) return this.#paused.until;
    if (this.#onWire >= this.#concurrency) {
      waiter.heldBy = "limit";
      return Number.POSITIVE_INFINITY;
    }
    if (this.#next > this.clock.ticks()) waiter.heldBy = "pace";
    return this.#next;
  }

  #send({ heldBy }: Waiter): Pass {
    const now = this.clock.ticks();
    const perSecond = this.#perSecond;
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
        if (lesson === this.#lessons) this.#learnAccepted(level, heldBy);
        settle(undefined);
      },
      refused: (pause) => {
        const isNews = lesson === this.#lessons;
        if (isNews) this.refusals += 1;
        const seconds = pause(this.refusals);
        if (isNews) this.#learnRefused(level, seconds);
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

  #learnAccepted(level: number, heldBy: HeldBy): void {
    this.#count += 1;
    this.#highest = Math.max(this.#highest, level);
    if (heldBy === "pace") this.#perSecond *= 1 + this.#raise;
    if (heldBy !== "limit" || this.#concurrency === this.concurrency || ++this.#full < this.#step) return;
    this.#concurrency += 1;
    this.#full = 0;
  }

  #learnRefused(level: number, pause: number): void {
    this.#lessons += 1;
    const now = this.clock.ticks() - this.#idle;
    const seconds = (now - (this.#since ?? now)) / 1000;
    if (level > 1 && level > this.#highest) {
      this.#step = Math.min(2 * this.#step, MAX_STEP);
      this.#concurrency = level - 1;
      this.#full = 0;
    } else if (this.#count > 0 && seconds > 0) {
      const measured = this.#count / seconds;
      // The last pause may have been longer than the service needs.
      const speed = Math.min(this.#perSecond, (HEADROOM * this.#count) / Math.max(seconds - this.#pauseOfLast, 0.001));
      this.#perSecond = Math.max(MIN_RATE, Math.sqrt(Math.min(measured, speed) * speed));
      this.#raise = RAISE / Math.max(LEAST, pause * measured);
    } else if (this.#since === undefined) this.#concurrency = Math.ceil(this.#concurrency / 2);
    this.#pauseOfLast = pause;
    if (this.#count === 0 && this.#since !== undefined) return;
    this.#since = now;
    this.#count = this.#highest = 0;
  }
}
