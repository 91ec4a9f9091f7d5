/** What delayed a request last: the limit of concurrent requests, or the rate. */
export type HeldBy = "limit" | "pace" | undefined;

/** Accepted requests before the concurrency is raised: initially and at most. */
const [MIN_STEP, MAX_STEP] = [20, 3200];
/** The rate that was refused is at most this multiple of the rate that was accepted. */
const HEADROOM = 1.1;
/** Each accepted request that the rate delayed raises it by `RAISE`, divided by the number of requests that a refusal costs (at least `LEAST`). */
const [RAISE, LEAST] = [1 / 300, 1.5];
/** Requests per second. The rate alone delays a request by at most a minute. */
const MIN_RATE = 1 / 60;

/**
 * Learns from refusals how many requests at once, and how many per second, a service accepts.
 * - Concurrency: the level of a request is the number of requests on the wire when it is sent, itself included. A service that limits
 *   concurrency refuses from some level on and accepts all below; one that limits the rate refuses at any level. So a refusal lowers
 *   the concurrency if no request at its level has been accepted since the last one.
 * - Rate: what was accepted between two refusals, pauses included, is at most what the service lets through. Then the rate rises again.
 */
export class LearnedLimits {
  concurrency: number;
  /** Requests per second; infinite until a rate is learned. */
  perSecond = Number.POSITIVE_INFINITY;
  /** Requests accepted at the limit since it last changed, and the number that raises it. */
  #full = 0;
  #step = MIN_STEP;
  /** Time of the last refusal; since then, the highest level accepted and the number of accepted requests. */
  #since: number | undefined;
  #highest = 0;
  #count = 0;
  #pause = 0;
  #raise = 0;

  constructor(readonly max: number) {
    this.concurrency = max;
  }

  /** Learns from an accepted request. */
  accepted(level: number, heldBy: HeldBy): void {
    this.#count += 1;
    this.#highest = Math.max(this.#highest, level);
    if (heldBy === "pace") this.perSecond *= 1 + this.#raise;
    if (heldBy !== "limit" || this.concurrency === this.max || ++this.#full < this.#step) return;
    this.concurrency += 1;
    this.#full = 0;
  }

  /**
   * Learns from a refused request.
   * @param now milliseconds, without the time when there was nothing to send
   * @param pause seconds that the refusal pauses the client
   */
  refused(level: number, now: number, pause: number): void {
    const seconds = (now - (this.#since ?? now)) / 1000;
    if (level > 1 && level > this.#highest) {
      this.#step = Math.min(2 * this.#step, MAX_STEP);
      this.concurrency = level - 1;
      this.#full = 0;
    } else if (this.#count > 0 && seconds > 0) {
      const measured = this.#count / seconds;
      // The last pause may have been longer than the service needs.
      const speed = Math.min(this.perSecond, (HEADROOM * this.#count) / Math.max(seconds - this.#pause, 0.001));
      this.perSecond = Math.max(MIN_RATE, Math.sqrt(Math.min(measured, speed) * speed));
      this.#raise = RAISE / Math.max(LEAST, pause * measured);
    } else if (this.#since === undefined) this.concurrency = Math.ceil(this.concurrency / 2);
    this.#pause = pause;
    if (this.#count === 0 && this.#since !== undefined) return;
    this.#since = now;
    this.#count = this.#highest = 0;
  }
}
