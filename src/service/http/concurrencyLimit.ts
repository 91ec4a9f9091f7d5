/** Accepted requests at the limit before it is raised by one. */
const STEP = 10;
/** The same before it is raised to a level that the service has refused: initially, and at most. */
const FIRST_PROBE = 20;
const MAX_PROBE = 3200;
/** Probe after this many times the requests that a refusal costs, so that probing stays cheap. */
const PROBE_PER_LOST_REQUEST = 20;
/** A level counts as refused from this many refusals per accepted request, and this many times the odds below it. */
const MIN_ODDS = 0.05;
const MIN_ODDS_IF_PACED = 0.3;
const ODDS_RATIO = 2;

/**
 * Learns how many concurrent requests a service accepts: additive increase, multiplicative decrease. The level of a request
 * is the number of requests on the wire when it is sent, itself included. A service that limits concurrency refuses from
 * some level on and accepts all below; one that limits the rate refuses at any level.
 */
export class ConcurrencyLimit {
  #value: number;
  /** The lowest level known to be refused. */
  #ceiling = Number.POSITIVE_INFINITY;
  #probeAfter = FIRST_PROBE;
  /** Requests accepted at the limit since it last changed. */
  #full = 0;
  /** Counts by level; older ones decay. */
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];

  constructor(readonly max: number) {
    this.#value = max;
  }

  get value(): number {
    return this.#value;
  }

  /**
   * Counts an accepted request.
   *
   * @param isFull whether other requests waited because of the limit
   * @returns whether this raised the limit
   */
  accepted(level: number, isFull: boolean): boolean {
    this.#accepted[level] = (this.#accepted[level] ?? 0) + 1;
    if (!isFull || this.#value === this.max) return false;
    this.#full += 1;
    if (this.#full < (this.#value + 1 >= this.#ceiling ? this.#probeAfter : STEP)) return false;
    if (this.#value >= this.#ceiling) this.#forgetCeiling();
    this.#value += 1;
    this.#full = 0;
    return true;
  }

  /** Counts a refused request. */
  refused(level: number): void {
    this.#refused[level] = (this.#refused[level] ?? 0) + 1;
  }

  /**
   * Whether a concurrency limit explains a refusal at this level: below it, refusals are much rarer.
   *
   * @param isPaced the request was delayed by the learned rate, so the rate is the likelier cause
   */
  explains(level: number, isPaced: boolean): boolean {
    if (level === 1) return false;
    const [refusedBelow, refusedFrom] = split(this.#refused, level);
    const [acceptedBelow, acceptedFrom] = split(this.#accepted, level);
    const odds = (refused: number, accepted: number) => (refused + 0.5) / (accepted + 1);
    const here = odds(refusedFrom, acceptedFrom);
    return here > (isPaced ? MIN_ODDS_IF_PACED : MIN_ODDS) && here > ODDS_RATIO * odds(refusedBelow, acceptedBelow);
  }

  /**
   * Lowers the limit below a level that was refused.
   *
   * @param cost requests that the refusal costs
   */
  lower(level: number, cost: number): void {
    if (level === this.#ceiling) this.#probeAfter = Math.min(2 * this.#probeAfter, MAX_PROBE);
    else this.#probeAfter = FIRST_PROBE;
    this.#probeAfter = Math.max(this.#probeAfter, Math.min(PROBE_PER_LOST_REQUEST * cost, MAX_PROBE));
    const isKnown = split(this.#accepted, level - 1)[1] >= STEP;
    this.#ceiling = level;
    this.#value = Math.max(1, Math.min(level - 1, isKnown ? level - 1 : Math.floor(this.#value / 2)));
    this.#decay();
  }

  /** Halves the limit if the rate was too high and no rate is known yet. This says nothing about the levels. */
  halve(): void {
    this.#value = Math.max(1, Math.floor(this.#value / 2));
    this.#forgetCeiling();
    this.#decay();
  }

  #forgetCeiling(): void {
    this.#ceiling = Number.POSITIVE_INFINITY;
    this.#probeAfter = FIRST_PROBE;
  }

  #decay(): void {
    this.#full = 0;
    for (const counts of [this.#accepted, this.#refused]) {
      for (const [level, count] of counts.entries()) counts[level] = (count ?? 0) / 2;
    }
  }
}

/** The sum of the counts below a level, and from it on. */
function split(counts: readonly number[], level: number): [number, number] {
  // Levels that never occurred are holes; reduce skips them.
  const sum = (some: readonly number[]) => some.reduce((total, count) => total + count, 0);
  return [sum(counts.slice(0, level)), sum(counts.slice(level))];
}
