/** Accepted requests at the limit before it rises by one. */
const STEP = 10;
/** The same before it rises to a level that the service has refused: at first, and at most. */
const FIRST_PROBE = 20;
const LONGEST_PROBE = 3200;
/** A probe comes after this many times the requests that its refusal would cost, so that probing costs little. */
const PROBE_PER_LOST_REQUEST = 20;
/** Refusals per accepted request at a level that is refused: at least this, and so many times those below it. */
const LEAST_ODDS = 0.05;
const LEAST_ODDS_IF_PACED = 0.3;
const ODDS_RATIO = 2;

/**
 * Learns how many requests at once a service accepts: additive increase, multiplicative decrease. A level is the number of
 * requests on the wire, the one that is sent included. A service that limits them refuses a level and all above it, and
 * accepts all below; one that limits their rate refuses at any level.
 */
export class ConcurrencyLimit {
  #value: number;
  /** The lowest level that is known to be refused. */
  #ceiling = Number.POSITIVE_INFINITY;
  #probeAfter = FIRST_PROBE;
  /** Accepted at the limit since it last changed. */
  #full = 0;
  /** By level, recent ones weigh more. */
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];

  constructor(readonly most: number) {
    this.#value = most;
  }

  get value(): number {
    return this.#value;
  }

  /**
   * Counts an accepted request.
   *
   * @param isFull others were waiting because of the limit
   * @returns whether the limit is higher now
   */
  accepted(level: number, isFull: boolean): boolean {
    this.#accepted[level] = (this.#accepted[level] ?? 0) + 1;
    if (!isFull || this.#value === this.most) return false;
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
   * Whether the limit explains a refusal at this level: below it, refusals are far rarer.
   *
   * @param isPaced the request had waited for the pace, so the rate is the likelier explanation
   */
  explains(level: number, isPaced: boolean): boolean {
    if (level === 1) return false;
    const [refusedBelow, refusedFrom] = split(this.#refused, level);
    const [acceptedBelow, acceptedFrom] = split(this.#accepted, level);
    const odds = (refused: number, accepted: number) => (refused + 0.5) / (accepted + 1);
    const here = odds(refusedFrom, acceptedFrom);
    return here > (isPaced ? LEAST_ODDS_IF_PACED : LEAST_ODDS) && here > ODDS_RATIO * odds(refusedBelow, acceptedBelow);
  }

  /**
   * Lowers the limit below a level that was refused.
   *
   * @param cost requests that the refusal costs
   */
  lower(level: number, cost: number): void {
    if (level === this.#ceiling) this.#probeAfter = Math.min(2 * this.#probeAfter, LONGEST_PROBE);
    else this.#probeAfter = FIRST_PROBE;
    this.#probeAfter = Math.max(this.#probeAfter, Math.min(PROBE_PER_LOST_REQUEST * cost, LONGEST_PROBE));
    const isKnown = split(this.#accepted, level - 1)[1] >= STEP;
    this.#ceiling = level;
    this.#value = Math.max(1, Math.min(level - 1, isKnown ? level - 1 : Math.floor(this.#value / 2)));
    this.#age();
  }

  /** Halves the limit where the rate was too high and no rate is known yet. The levels are not to blame. */
  halve(): void {
    this.#value = Math.max(1, Math.floor(this.#value / 2));
    this.#forgetCeiling();
    this.#age();
  }

  #forgetCeiling(): void {
    this.#ceiling = Number.POSITIVE_INFINITY;
    this.#probeAfter = FIRST_PROBE;
  }

  #age(): void {
    this.#full = 0;
    for (const counts of [this.#accepted, this.#refused]) {
      for (const [level, count] of counts.entries()) counts[level] = (count ?? 0) / 2;
    }
  }
}

/** The sum of the counts before a level, and from there on. */
function split(counts: readonly number[], level: number): [number, number] {
  // Levels that never occurred are holes, which reduce skips.
  const sum = (some: readonly number[]) => some.reduce((total, count) => total + count, 0);
  return [sum(counts.slice(0, level)), sum(counts.slice(level))];
}
