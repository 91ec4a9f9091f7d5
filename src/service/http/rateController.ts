/** After a refusal the rate drops below the peak by this fraction, and returns to the peak within one plateau. */
const DEPTH = 0.05;
/** Accepted requests until the rate is back at the peak: at least, while searching for the peak, and once it is known. */
const MIN_PLATEAU = 3;
const SEARCH_PLATEAU = 50;
const LONG_PLATEAU = 400;
/** The same if concurrency was the cause and the rate only has to keep up. */
const FOLLOW_PLATEAU = 12;
/** A known peak is held for this many times the requests that a refusal costs, so that probing stays cheap; at most this long. */
const PLATEAU_PER_LOST_REQUEST = 20;
const MAX_PLATEAU = 2000;
/** A refusal within this factor of the peak confirms the peak. */
const NEAR = 1.1;
/** A refusal after fewer accepted requests means that the rate is far too high. */
const SOON = 12;
/** Requests per second: the learned rate alone delays a request by a minute at most. */
const MIN_RATE = 1 / 60;
/** If a service refused probe after probe for a larger fraction of the time, the measured rate is all that it accepts. */
const BLOCKED = 0.2;
/** A pause was too long if it cost more than this fraction of the accepted requests. */
const COSTLY = 0.1;
/** A rate that costs that much drops at least to this fraction. */
const DROP = 0.85;
/** A run of more requests than this many bursts has more than the burst; a rate below this fraction of the speed is far below. */
const MORE_THAN_BURST = 1.15;
const FAR_BELOW = 0.8;
/** The plateau per request that the refill rate was measured from: each measurement takes longer than the last and is more exact. */
const PLATEAU_PER_REFILL = 4;
/** Accepted requests that the recent rate is measured from, and those to remember. */
const RECENT = 32;
const REMEMBERED = 256;
/** The rate may be this many times the recent one: of a refusal, and when a higher concurrency is tried. */
const HEADROOM = 1.1;

/** Elapsed milliseconds of a client. */
export interface Elapsed {
  /** While it had requests to send. */
  readonly active: number;
  /** The same without the pauses after refusals. */
  readonly open: number;
}

/**
 * Learns how many requests per second a service accepts. The first refusals measure the rate: what was accepted between
 * two of them is what the throttle lets through. After each further refusal the rate follows the curve of TCP CUBIC: a
 * little lower, quickly back to the peak at which the service refused, a long plateau there, and then faster and faster
 * beyond it, in case the service accepts more by now. Each refusal at the same peak doubles the plateau.
 *
 * A token bucket refills while a client pauses, and a Retry-After in whole seconds is often far longer than it needs. If it
 * was full before the pause ended, requests per elapsed second are fewer than it accepts. So after such a pause the peak is
 * what the bucket refilled in: the requests beyond its burst, per second without the pause.
 *
 * Without a refusal the rate is unlimited.
 */
export class RateController {
  /** The rate at which the service refuses, as far as known. */
  #peak = Number.POSITIVE_INFINITY;
  /** Whether a refusal has shown the peak. Until then it only keeps a higher concurrency from bursting. */
  #isMeasured = false;
  /** The last refusal came far beyond the peak, so the new peak may be too high. */
  #isSearching = false;
  /** Accepted requests between a refusal and the return to the peak. */
  #plateau = SEARCH_PLATEAU;
  /** Time of the last refusal after an accepted request, and seconds of pauses since. */
  #refusedAt: Elapsed | undefined;
  #pauses = 0;
  #lastPause = 0;
  /** Requests accepted since, how many of them were delayed by the rate, and the times of the most recent ones. */
  #accepted = 0;
  #paced = 0;
  #recent: number[] = [];
  /** The fewest requests accepted between two refusals: a token bucket's burst is at most that large. */
  #burst = Number.POSITIVE_INFINITY;

  /** Requests per second; infinite until a rate is learned. */
  get perSecond(): number {
    const beyond = (this.#paced - this.#plateau) / this.#plateau;
    return Math.max(MIN_RATE, this.#peak * (1 + DEPTH * beyond ** 3));
  }

  /**
   * Counts an accepted request.
   *
   * @param isPaced whether the rate delayed it; otherwise it says nothing about a higher rate
   */
  accepted(now: Elapsed, isPaced: boolean): void {
    this.#accepted += 1;
    if (isPaced) this.#paced += 1;
    this.#recent.push(now.open);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
  }

  /**
   * Learns from a refusal caused by the rate.
   *
   * @param pause seconds that the refusal pauses the client
   */
  refused(now: Elapsed, pause: number): void {
    if (this.#accepted > 0 || this.#refusedAt === undefined) {
      if (this.#refusedAt !== undefined) this.#learn(this.#refusedAt, now, pause);
      this.#begin(now);
    }
    this.#pauses += pause;
    this.#lastPause = pause;
  }

  /**
   * Learns from a refusal caused by concurrency.
   *
   * @returns requests per second accepted before it; 0 if unknown
   */
  refusedByConcurrency(now: Elapsed, pause: number): number {
    const recentRate = this.#recentRate();
    this.follow();
    this.#begin(now);
    this.#pauses = this.#lastPause = pause;
    return recentRate;
  }

  /** Starts from the current rate, before a higher concurrency is tried. */
  follow(): void {
    const recentRate = this.#recentRate();
    if (recentRate === 0) return;
    this.#peak = Math.min(this.perSecond, HEADROOM * recentRate);
    this.#plateau = FOLLOW_PLATEAU;
    this.#paced = this.#plateau;
  }

  #begin(now: Elapsed): void {
    this.#refusedAt = now;
    this.#accepted = 0;
    this.#recent = [];
    this.#pauses = 0;
  }

  /** Recently accepted requests per second; 0 if there are too few. */
  #recentRate(max = RECENT): number {
    const recent = this.#recent.slice(-max);
    if (this.#recent.length < SOON) return 0;
    const ms = (recent.at(-1) as number) - (recent[0] as number);
    return ms > 0 ? (1000 * (recent.length - 1)) / ms : 0;
  }

  /** Accepted requests per second beyond the burst, over the recent time in which they were most; 0 if there are none. */
  #refillRate(): number {
    const end = this.#recent.at(-1) ?? 0;
    const rates = this.#recent.map((time, at) => (1000 * (this.#recent.length - at - this.#burst)) / (end - time));
    return Math.max(0, ...rates.filter(Number.isFinite));
  }

  #learn(since: Elapsed, now: Elapsed, pause: number): void {
    const seconds = (now.active - since.active) / 1000;
    if (!(seconds > 0)) return;
    const rate = this.perSecond;
    // Concurrency may keep requests far below the rate.
    const speed = Math.min(rate, HEADROOM * (this.#recentRate() || Number.POSITIVE_INFINITY));
    const accepted = this.#accepted;
    const measured = Math.min(accepted / seconds, rate);
    const refill = this.#refillRate();
    // The last pause ended with an accepted request, so it may have been too long; the earlier ones were not.
    const blocked = this.#pauses - this.#lastPause;
    const wasted = this.#lastPause * refill - this.#burst;
    if (!this.#isMeasured) {
      // The service accepts at least what was measured, and at most the same without the pauses.
      const unpaused = (1000 * accepted) / Math.max(now.open - since.open, 1);
      this.#peak = Math.sqrt(measured * Math.min(rate, unpaused));
      this.#plateau = clamp(MIN_PLATEAU, accepted / 2, SEARCH_PLATEAU);
    } else if (wasted > COSTLY * accepted && blocked <= BLOCKED * seconds) {
      const worth = PLATEAU_PER_LOST_REQUEST * pause * refill;
      const beyond = accepted - this.#burst;
      if (beyond >= this.#plateau) this.#peak = clamp(this.#peak, refill, rate);
      else this.#peak = Math.min(refill, speed * Math.max(DROP, Math.sqrt(measured / speed)));
      this.#plateau = clamp(MIN_PLATEAU, PLATEAU_PER_REFILL * beyond, clamp(SEARCH_PLATEAU, worth, MAX_PLATEAU));
    } else if (blocked > BLOCKED * seconds) {
      this.#peak = Math.sqrt(measured * Math.min(rate, accepted / (seconds - this.#lastPause)));
      this.#plateau = clamp(MIN_PLATEAU, accepted / 2, SEARCH_PLATEAU);
    } else if (rate > NEAR * this.#peak) {
      // Far beyond the peak. A throttle with a large burst accepts for a while more than it sustains.
      this.#peak = clamp(Math.sqrt(rate * this.#peak), this.#recentRate(clamp(4, accepted / 4, RECENT)), rate);
      this.#plateau = Math.max(this.#plateau, Math.min(accepted / 4, SEARCH_PLATEAU));
      this.#isSearching = true;
    } else if (accepted < Math.min(SOON, this.#plateau)) {
      this.#peak = this.#isSearching ? Math.sqrt(measured * rate) : Math.max(measured, 0.8 * this.#peak);
      this.#plateau = Math.max(MIN_PLATEAU, this.#plateau / 2);
    } else {
      const isConfirmed = accepted >= this.#plateau / 2;
      const worth = PLATEAU_PER_LOST_REQUEST * pause * measured;
      // A window accepts the same number in every run, however fast. Whoever accepts more than a burst is no window, but refuses too often.
      const isTooFast = accepted > MORE_THAN_BURST * this.#burst && measured < FAR_BELOW * speed;
      this.#peak = isTooFast ? Math.sqrt(measured * speed) : speed;
      this.#isSearching = false;
      if (isConfirmed)
        this.#plateau = Math.max(Math.min(2 * this.#plateau, LONG_PLATEAU), Math.min(worth, MAX_PLATEAU));
    }
    this.#isMeasured = true;
    this.#burst = Math.min(this.#burst, accepted);
    this.#paced = 0;
  }
}

function clamp(min: number, value: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
