import { BREAK, tokens } from "../tokens.js";

/** What was said, by whom and when. */
export interface Speech {
  readonly spoken: string;
  /** Milliseconds since 1970. */
  readonly time: number | null;
  /** Null for unidentified speakers. */
  readonly speaker: string | null;
}

/** Words of a shingle. */
const SIZE = 5;
/** Shorter speeches are phrases that anyone may say. */
const MIN_WORDS = 8;
/** A shingle of more speeches is a formula ("I yield back the balance of my time") and points to no speech in particular. */
const MAX_SPEECHES = 200;
/** The least evidence: a shingle counts 1 divided by the number of speeches with it, so stock phrases prove little. */
const MIN_EVIDENCE = 0.2;
/** A shingle of fewer speeches counts no more: it may be one that is often repeated, or an error in a caption. */
const RARE = 10;
const DAY = 86_400_000;

/**
 * Finds speeches that repeat others, by the share of their shingles, sequences of five words, that they have in common (Broder
 * 1997, "On the resemblance and containment of documents"). Time is proportional to the shingles, because each leads to 200 speeches at most.
 */
export class Repeats {
  readonly #speeches: readonly Speech[];
  readonly #overlap: number;
  readonly #maxGap: number;
  /** The speeches with a shingle. */
  readonly #having = new Map<string, number[]>();
  readonly #shingles: readonly (readonly string[])[];

  constructor(speeches: readonly Speech[], overlap: number, days: number) {
    this.#speeches = speeches;
    this.#overlap = overlap;
    this.#maxGap = days * DAY;
    this.#shingles = speeches.map(({ spoken }) => shinglesOf(spoken));
    this.#shingles.forEach((shingles, at) => {
      for (const shingle of shingles) {
        const having = this.#having.get(shingle);
        if (having === undefined) this.#having.set(shingle, [at]);
        else having.push(at);
      }
    });
  }

  /** The index of the first broadcast of every speech; its own index if it repeats none. */
  firsts(): readonly number[] {
    const order = this.#speeches.map((_speech, at) => at).sort((a, b) => this.#time(a) - this.#time(b) || a - b);
    const rank = new Map(order.map((at, position) => [at, position]));
    const first = this.#speeches.map((_speech, at) => at);
    for (const at of order) {
      const earlier = this.#original(at, (other) => (rank.get(other) as number) < (rank.get(at) as number));
      if (earlier !== undefined) first[at] = first[earlier] as number;
    }
    return first;
  }

  /** The earlier speech with the largest overlap, the earliest of equals; undefined if none reaches the bound. */
  #original(at: number, isEarlier: (other: number) => boolean): number | undefined {
    const common = new Map<number, number>();
    for (const shingle of this.#shingles[at] as readonly string[]) {
      const having = this.#having.get(shingle) as readonly number[];
      if (having.length > MAX_SPEECHES) continue;
      for (const other of having) {
        if (other !== at && isEarlier(other) && this.#mayRepeat(at, other)) {
          common.set(other, (common.get(other) ?? 0) + this.#weight(shingle));
        }
      }
    }
    let [best, bestShare]: [number | undefined, number] = [undefined, 0];
    for (const [other, weight] of common) {
      const share = weight / Math.min(this.#total(at), this.#total(other));
      const isBetter = share > bestShare || (share === bestShare && this.#time(other) < this.#time(best ?? other));
      if (share >= this.#overlap && weight >= MIN_EVIDENCE && isBetter) [best, bestShare] = [other, share];
    }
    return best;
  }

  #mayRepeat(at: number, other: number): boolean {
    const [a, b] = [this.#speeches[at] as Speech, this.#speeches[other] as Speech];
    if (a.speaker !== null && b.speaker !== null && a.speaker !== b.speaker) return false;
    return a.time === null || b.time === null || a.time - b.time <= this.#maxGap;
  }

  /** Rare shingles say more. */
  #weight(shingle: string): number {
    return 1 / Math.max(RARE, (this.#having.get(shingle) as readonly number[]).length);
  }

  readonly #totals = new Map<number, number>();

  #total(at: number): number {
    const known = this.#totals.get(at);
    if (known !== undefined) return known;
    const total = (this.#shingles[at] as readonly string[]).reduce((sum, shingle) => sum + this.#weight(shingle), 0);
    this.#totals.set(at, total);
    return total;
  }

  #time(at: number): number {
    return this.#speeches[at]?.time ?? Number.MAX_SAFE_INTEGER;
  }
}

/** The distinct shingles of a text. */
function shinglesOf(spoken: string): readonly string[] {
  const words = tokens(spoken).filter((token) => token !== BREAK);
  if (words.length < MIN_WORDS) return [];
  const found = new Set<string>();
  for (let end = SIZE; end <= words.length; end++) found.add(words.slice(end - SIZE, end).join(" "));
  return [...found];
}
