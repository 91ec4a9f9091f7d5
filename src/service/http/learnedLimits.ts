/** What delayed a request last: the limit of concurrent requests, or the rate. */
export type HeldBy = "limit" | "pace" | undefined;

/** Accepted requests until a limit is raised: at least, at most, and per request that a refusal costs. */
const MIN_STEP = 20;
const MAX_STEP = 3200;
const STEP_PER_LOST_REQUEST = 20;
/** The most of them because the same rate was refused again. */
const CONFIRMED_STEP = 400;
/** The same for a level of concurrency that has not been refused. */
const NEW_LEVEL_STEP = 10;
/** A level counts as refused from this many refusals per accepted request, and this many times the odds below it. */
const MIN_ODDS = 0.05;
const MIN_ODDS_IF_PACED = 0.3;
const ODDS_RATIO = 2;
/** Requests came at most this much faster than they were accepted on average. */
const HEADROOM = 1.1;
/** Accepted requests that a rate is taken from. */
const FOLLOWED = 12;
/** The rate was the speed if it delayed more than this share of the requests. */
const PACED = 0.8;
/** If pauses were a smaller share of the time, the rate was only slightly too high, and drops to this fraction. */
const SLIGHT = 0.2;
const DROP = 0.95;
/** Requests per second: the rate alone delays a request by a minute at most. */
const MIN_RATE = 1 / 60;

/**
 * Learns from refusals how many requests at once, and how many per second, a service accepts.
 *
 * - Concurrency: the level of a request is the number of requests on the wire when it is sent, itself included. A service that limits
 *   concurrency refuses from some level on and accepts all below; one that limits the rate refuses at any level. So accepted and
 *   refused requests are counted by level.
 * - Rate: what was accepted between two refusals, pauses included, is at most what the service lets through. The new rate is the
 *   geometric mean of that and of the speed that was refused; after few and short pauses it is a little lower than that speed. Then
 *   it rises again, the more slowly, the more requests a refusal costs.
 */
export class LearnedLimits {
  concurrency: number;
  /** Requests per second; infinite until a rate is learned. */
  perSecond = Number.POSITIVE_INFINITY;
  /** By how much an accepted request raises the rate, and in how many requests that grows e-fold. */
  #raise = 0;
  #rateStep = MIN_STEP;
  /** The lowest level known to be refused, and accepted requests until it is tried again. */
  #ceiling = Number.POSITIVE_INFINITY;
  #levelStep = MIN_STEP;
  /** Requests accepted at the limit since it changed. */
  #full = 0;
  /** Counts by level; older ones decay. */
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];
  /** Since the last refusal: its time, requests accepted, and seconds of pauses. */
  #since: number | undefined;
  #count = 0;
  #paced = 0;
  #pauses = 0;
  #lastPause = 0;

  constructor(readonly max: number) {
    this.concurrency = max;
  }

  /** Learns from an accepted request. */
  accepted(level: number, heldBy: HeldBy, now: number): void {
    this.#count += 1;
    this.#accepted[level] = (this.#accepted[level] ?? 0) + 1;
    if (heldBy === "pace") {
      this.#paced += 1;
      this.perSecond += this.#raise;
      this.#raise *= 1 + 1 / this.#rateStep;
    } else if (heldBy === "limit" && this.concurrency < this.max) {
      this.#full += 1;
      const isRefused = this.concurrency + 1 >= this.#ceiling;
      if (this.#full < (isRefused ? this.#levelStep : NEW_LEVEL_STEP)) return;
      this.concurrency += 1;
      this.#full = 0;
      if (this.perSecond === Number.POSITIVE_INFINITY) this.#follow(now);
    }
  }

  /**
   * Learns from a refused request.
   *
   * @param now milliseconds, without the time when there was nothing to send
   * @param pause seconds that the refusal pauses the client
   */
  refused(level: number, heldBy: HeldBy, now: number, pause: number): void {
    this.#refused[level] = (this.#refused[level] ?? 0) + 1;
    const seconds = (now - (this.#since ?? now)) / 1000;
    const measured = seconds > 0 ? this.#count / seconds : 0;
    if (this.#isLevelRefused(level, heldBy === "pace")) {
      this.#lower(level, pause * measured);
      this.#follow(now);
    } else if (measured > 0) this.#slowDown(measured, seconds, pause);
    else if (this.#since === undefined) this.concurrency = Math.ceil(this.concurrency / 2);
    if (this.#count > 0 || this.#since === undefined) {
      this.#since = now;
      this.#count = this.#paced = this.#pauses = 0;
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
    const isConfirmed = this.#paced > this.#rateStep / 2;
    const step = isConfirmed ? Math.min(2 * this.#rateStep, CONFIRMED_STEP) : Math.max(this.#rateStep / 2, MIN_STEP);
    this.#rateStep = clamp(step, STEP_PER_LOST_REQUEST * lost, MAX_STEP);
    this.#raise = Math.max(speed - this.perSecond, 0.02 * speed) / this.#rateStep;
  }

  /** Keeps the recent rate, so that another concurrency sends no burst. */
  #follow(now: number): void {
    const seconds = (now - (this.#since ?? now)) / 1000 - this.#pauses;
    if (this.#count < FOLLOWED || seconds <= 0) return;
    this.perSecond = Math.min(this.perSecond, (HEADROOM * this.#count) / seconds);
    this.#rateStep = FOLLOWED;
    this.#raise = (0.05 * this.perSecond) / FOLLOWED;
  }

  /**
   * Whether a limit of concurrency explains a refusal: at lower levels, refusals are much rarer.
   *
   * @param isPaced the request was delayed by the learned rate, so the rate is the likelier cause
   */
  #isLevelRefused(level: number, isPaced: boolean): boolean {
    if (level === 1) return false;
    const [refusedBelow, refusedFrom] = split(this.#refused, level);
    const [acceptedBelow, acceptedFrom] = split(this.#accepted, level);
    const odds = (refused: number, accepted: number) => (refused + 0.5) / (accepted + 1);
    const here = odds(refusedFrom, acceptedFrom);
    return here > (isPaced ? MIN_ODDS_IF_PACED : MIN_ODDS) && here > ODDS_RATIO * odds(refusedBelow, acceptedBelow);
  }

  /** @param lost requests that the refusal costs */
  #lower(level: number, lost: number): void {
    const step = level === this.#ceiling ? 2 * this.#levelStep : MIN_STEP;
    this.#levelStep = clamp(step, STEP_PER_LOST_REQUEST * lost, MAX_STEP);
    const isKnown = split(this.#accepted, level - 1)[1] >= NEW_LEVEL_STEP;
    this.#ceiling = level;
    this.concurrency = clamp(1, isKnown ? level - 1 : this.concurrency >> 1, level - 1);
    this.#full = 0;
    for (const counts of [this.#accepted, this.#refused]) {
      for (const [at, count] of counts.entries()) counts[at] = (count ?? 0) / 2;
    }
  }
}

/** The sum of the counts below a level, and from it on. */
function split(counts: readonly number[], level: number): [number, number] {
  // Levels that never occurred are holes; reduce skips them.
  const sum = (some: readonly number[]) => some.reduce((total, count) => total + count, 0);
  return [sum(counts.slice(0, level)), sum(counts.slice(level))];
}

function clamp(min: number, value: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
