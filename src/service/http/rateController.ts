/** The rate falls below the peak by this share after a refusal, and returns to the peak within one plateau. */
const DEPTH = 0.05;
/** Accepted requests until the rate is back at the peak: at least, while the peak is searched for, and once it is known. */
const SHORTEST_PLATEAU = 3;
const SEARCH_PLATEAU = 50;
const LONG_PLATEAU = 400;
/** The same where the concurrency was to blame and the rate is only to keep up. */
const FOLLOW_PLATEAU = 12;
/** A known peak is held for this many times the requests that a refusal costs, so that probing costs little, up to a bound. */
const PLATEAU_PER_LOST_REQUEST = 20;
const LONGEST_PLATEAU = 2000;
/** A refusal within this factor of the peak confirms the peak. */
const NEAR = 1.1;
/** A refusal after fewer accepted requests says that the rate is far too high. */
const SOON = 12;
/** Requests per second: nobody waits longer than a minute for the pace alone. */
const SLOWEST = 1 / 60;
/** Where a service refused one probe after another for a larger share of the time, it has let through all that it does. */
const BLOCKED = 0.2;
/** The requests that tell what got through lately. */
const RECENT = 32;
/** A higher concurrency is tried at this many times the rate that got through before. */
const HEADROOM = 1.1;

/** Milliseconds that have passed for a client. */
export interface Elapsed {
  /** While it had something to send. */
  readonly active: number;
  /** The same without the pauses after refusals. */
  readonly open: number;
}

/**
 * Learns how many requests per second a service accepts. The first refusals measure the rate: what was accepted between
 * two of them is what the throttle let through. After each further one the rate follows the cubic curve of TCP CUBIC:
 * a little lower, quickly back to the peak at which the service refused, a long plateau there, and then faster and faster
 * beyond it, in case the service allows more by now. Each refusal at the same peak doubles the plateau.
 *
 * Without a refusal there is no rate at all.
 */
export class RateController {
  /** The rate at which the service refuses, as far as is known. */
  #peak = Number.POSITIVE_INFINITY;
  /** A refusal has shown the peak; otherwise it only keeps a higher concurrency from being tried all at once. */
  #isMeasured = false;
  /** The last refusal came far beyond the peak, so the peak may be too high now. */
  #isSearching = false;
  /** Accepted requests between a refusal and the return to the peak. */
  #plateau = SEARCH_PLATEAU;
  /** When the last refusal after an accepted request came, and the seconds of the pauses since then. */
  #refusedAt: Elapsed | undefined;
  #pauses = 0;
  #lastPause = 0;
  /** Requests accepted since then, how many of them had waited for the pace, and when the last of them were accepted. */
  #accepted = 0;
  #paced = 0;
  #recent: number[] = [];

  /** Requests per second; infinite until one is learnt. */
  get perSecond(): number {
    const beyond = (this.#paced - this.#plateau) / this.#plateau;
    return Math.max(SLOWEST, this.#peak * (1 + DEPTH * beyond ** 3));
  }

  /**
   * Counts an accepted request.
   *
   * @param isPaced it had to wait for the pace; otherwise it says nothing about a higher one
   */
  accepted(now: Elapsed, isPaced: boolean): void {
    this.#accepted += 1;
    if (isPaced) this.#paced += 1;
    this.#recent.push(now.open);
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  /**
   * Learns from a refusal that the rate explains.
   *
   * @param pause seconds that the refusal costs everybody
   */
  refused(now: Elapsed, pause: number): void {
    if (this.#accepted > 0 || this.#refusedAt === undefined) {
      if (this.#refusedAt !== undefined) this.#learn((now.active - this.#refusedAt.active) / 1000, pause);
      this.#begin(now);
    }
    this.#pauses += pause;
    this.#lastPause = pause;
  }

  /**
   * Learns from a refusal that the number of requests at once explains.
   *
   * @returns requests per second that got through before it; 0 where that is not known
   */
  crowded(now: Elapsed, pause: number): number {
    const through = this.#through();
    this.follow();
    this.#begin(now);
    this.#pauses = this.#lastPause = pause;
    return through;
  }

  /** Lets the rate rise from what gets through now, before more requests at once are tried. */
  follow(): void {
    const through = this.#through();
    if (through === 0) return;
    this.#peak = Math.min(this.perSecond, HEADROOM * through);
    this.#plateau = FOLLOW_PLATEAU;
    this.#paced = this.#plateau;
  }

  #begin(now: Elapsed): void {
    this.#refusedAt = now;
    this.#accepted = 0;
    this.#recent = [];
    this.#pauses = 0;
  }

  /** Requests per second that got through lately; 0 where there are too few. */
  #through(most = RECENT): number {
    const recent = this.#recent.slice(-most);
    if (this.#recent.length < SOON) return 0;
    const ms = (recent.at(-1) as number) - (recent[0] as number);
    return ms > 0 ? (1000 * (recent.length - 1)) / ms : 0;
  }

  #learn(seconds: number, pause: number): void {
    if (!(seconds > 0)) return;
    const rate = this.perSecond;
    const accepted = this.#accepted;
    const measured = Math.min(accepted / seconds, rate);
    // The last pause ended with an accepted request, so it may have been too long; those before it were not.
    const blocked = this.#pauses - this.#lastPause;
    if (!this.#isMeasured) {
      this.#peak = measured;
      this.#plateau = within(SHORTEST_PLATEAU, accepted / 2, SEARCH_PLATEAU);
    } else if (blocked > BLOCKED * seconds) {
      this.#peak = Math.sqrt(measured * Math.min(rate, accepted / (seconds - this.#lastPause)));
      this.#plateau = within(SHORTEST_PLATEAU, accepted / 2, SEARCH_PLATEAU);
    } else if (rate > NEAR * this.#peak) {
      // Far beyond the peak. A throttle with a large burst lets a rate pass for a while that it does not sustain.
      this.#peak = within(Math.sqrt(rate * this.#peak), this.#through(within(4, accepted / 4, RECENT)), rate);
      this.#plateau = Math.max(this.#plateau, Math.min(accepted / 4, SEARCH_PLATEAU));
      this.#isSearching = true;
    } else if (accepted < Math.min(SOON, this.#plateau)) {
      this.#peak = this.#isSearching ? Math.sqrt(measured * rate) : Math.max(measured, 0.8 * this.#peak);
      this.#plateau = Math.max(SHORTEST_PLATEAU, this.#plateau / 2);
    } else {
      const isConfirmed = accepted >= this.#plateau / 2;
      const worth = PLATEAU_PER_LOST_REQUEST * pause * measured;
      this.#peak = rate;
      this.#isSearching = false;
      if (isConfirmed)
        this.#plateau = Math.max(Math.min(2 * this.#plateau, LONG_PLATEAU), Math.min(worth, LONGEST_PLATEAU));
    }
    this.#isMeasured = true;
    this.#paced = 0;
  }
}

function within(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
