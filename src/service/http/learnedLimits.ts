/** What delayed a request last: the limit of concurrent requests, or the rate. */
export type HeldBy = "limit" | "pace" | undefined;

/** Accepted requests until a limit is raised: at least, at most, and per request that a refusal costs. */
const MIN_STEP = 20;
const MAX_STEP = 3200;
const STEP_PER_LOST_REQUEST = 20;
/** The most of them because the same rate was refused again. */
const CONFIRMED_STEP = 400;
/** Requests came at most this much faster than they were accepted on average. */
const HEADROOM = 1.1;
/** The rate was the speed if it delayed more than this share of the requests. */
const PACED = 0.8;
/** If pauses were a smaller share of the time, the rate was only slightly too high, and drops to this fraction. */
const SLIGHT = 0.2;
const DROP = 0.95;
/** Requests per second: the rate alone delays a request by a minute at most. */
const MIN_RATE = 1 / 60;

/**
 * Learns from refusals how many requests at once, and how many per second, a service accepts.
 * - Concurrency: the level of a request is the number of requests on the wire when it is sent, itself included. A service that limits
 *   concurrency refuses from some level on and accepts all below; one that limits the rate refuses at any level. So a refusal lowers
 *   the concurrency if no request at its level has been accepted since the last one.
 * - Rate: what was accepted between two refusals, pauses included, is at most what the service lets through. The new rate is the
 *   geometric mean of that and of the speed that was refused; after few and short pauses it is a little lower than that speed. Then it
 *   rises again, the more slowly, the more requests a refusal costs.
 */
export class LearnedLimits {
  concurrency: number;
  /** Requests per second; infinite until a rate is learned. */
  perSecond = Number.POSITIVE_INFINITY;
  /** By how much an accepted request raises the rate, and in how many requests that grows e-fold. */
  #raise = 0;
  #rateStep = MIN_STEP;
  /** Accepted requests until a higher level is tried. */
  #levelStep = MIN_STEP;
  /** Requests accepted at the limit since it changed. */
  #full = 0;
  /** Since the last refusal: its time, the highest level accepted, requests accepted, and seconds of pauses. */
  #since: number | undefined;
  #highest = 0;
  #count = 0;
  #paced = 0;
  #pauses = 0;
  #lastPause = 0;

  constructor(readonly max: number) {
    this.concurrency = max;
  }

  /** Learns from an accepted request. */
  accepted(level: number, heldBy: HeldBy): void {
    this.#count += 1;
    this.#highest = Math.max(this.#highest, level);
    if (heldBy === "pace") {
      this.#paced += 1;
      this.perSecond += this.#raise;
      this.#raise *= 1 + 1 / this.#rateStep;
    } else if (heldBy === "limit" && this.concurrency < this.max) {
      this.#full += 1;
      if (this.#full < this.#levelStep) return;
      this.concurrency += 1;
      this.#full = 0;
    }
  }

  /**
   * Learns from a refused request.
   * @param now milliseconds, without the time when there was nothing to send
   * @param pause seconds that the refusal pauses the client
   */
  refused(level: number, now: number, pause: number): void {
    const seconds = (now - (this.#since ?? now)) / 1000;
    const measured = seconds > 0 ? this.#count / seconds : 0;
    if (level > 1 && level > this.#highest) {
      this.#levelStep = Math.min(2 * this.#levelStep, MAX_STEP);
      this.concurrency = level - 1;
      this.#full = 0;
    } else if (measured > 0) this.#slowDown(measured, seconds, pause);
    else if (this.#since === undefined) this.concurrency = Math.ceil(this.concurrency / 2);
    if (this.#count > 0 || this.#since === undefined) {
      this.#since = now;
      this.#count = this.#paced = this.#pauses = this.#highest = 0;
    }
    this.#pauses += pause;
    this.#lastPause = pause;
  }

  #slowDown(measured: number, seconds: number, pause: number): void {
    // The last pause may have been longer than the service needs; earlier ones in a row were not.
    const reached = (HEADROOM * this.#count) / Math.max(seconds - this.#lastPause, 0.001);
    const isPaced = this.#paced > PACED * this.#count;
    const speed = isPaced ? this.perSecond : Math.min(this.perSecond, reached);
    const isSlight = isPaced && this.#pauses < SLIGHT * seconds;
    this.perSecond = Math.max(MIN_RATE, isSlight ? DROP * speed : Math.sqrt(Math.min(measured, speed) * speed));
    const lost = Math.max(pause, this.#pauses) * measured;
    const least = isPaced ? Math.min(2 * this.#rateStep, CONFIRMED_STEP) : MIN_STEP;
    this.#rateStep = Math.min(Math.max(STEP_PER_LOST_REQUEST * lost, least), MAX_STEP);
    this.#raise = Math.max(speed - this.perSecond, 0.02 * speed) / this.#rateStep;
  }
}
