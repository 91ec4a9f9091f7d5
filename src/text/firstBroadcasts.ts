import { byCodeUnit } from "../util/byCodeUnit.js";
import { sum } from "../util/sum.js";
import { BREAK, tokens } from "./tokens.js";

/** What was said, by whom and when. */
export interface Speech {
  readonly spoken: string;
  /** Milliseconds since 1970; null if unknown, which is later than any time. */
  readonly time: number | null;
  /** Null for unidentified speakers. */
  readonly speaker: string | null;
}

/** A speech and its repeats. */
interface Cluster {
  readonly first: number;
  /** Null while all of its speakers are unidentified. */
  speaker: string | null;
}

/** Words of a shingle. */
const SIZE = 5;
/** Shorter speeches are phrases that anyone may say. */
const MIN_WORDS = 8;
/** A shingle of more different speeches is a formula ("I yield back the balance of my time") and counts nothing. */
const MAX_SPEECHES = 200;
/** The weight of a shingle of one speech. Whole numbers, so that sums do not depend on their order. */
const UNIT = 1_000_000;
/** The least common weight: one shingle of five speeches proves little. */
const MIN_EVIDENCE = 0.22 * UNIT;
/** A shingle of fewer speeches counts no more: it may be one that is often repeated, or an error in a caption. */
const RARE = 10;
const DAY = 86_400_000;

/**
 * The index of the first broadcast of every speech; its own index if it repeats none.
 *
 * In the order of time, a speech joins the cluster with the speech that it has most in common with, if the first broadcast of the
 * cluster is at most `days` earlier and nobody else speaks in it. What speeches have in common is the share of their shingles, sequences of
 * five words (Broder 1997, "On the resemblance and containment of documents"), weighted by how few different speeches have them.
 * Identical speeches count once, so their number does not matter. Time is proportional to the shingles, because each leads to 200 speeches at most.
 */
export function firstBroadcasts(speeches: readonly Speech[], overlap: number, days: number): readonly number[] {
  const { textOf, shingles } = differentTexts(speeches);
  const resemblances = new Resemblances(shingles, overlap);
  const clustersOf: Cluster[][] = shingles.map(() => []);
  const first = speeches.map((_speech, at) => at);
  const timeOf = (at: number) => speeches[at]?.time ?? Number.POSITIVE_INFINITY;
  const order = speeches.map((_speech, at) => at).sort((a, b) => byCodeUnit(timeOf(a), timeOf(b)) || a - b);
  const rank = new Map(order.map((at, position) => [at, position]));
  for (const at of order) {
    const text = textOf[at];
    if (text === undefined) continue;
    const { time, speaker } = speeches[at] as Speech;
    const mayRepeat = (cluster: Cluster) =>
      (speaker === null || cluster.speaker === null || speaker === cluster.speaker) &&
      (time === null || time - timeOf(cluster.first) <= days * DAY);
    let best: { readonly cluster: Cluster; readonly share: number } | undefined;
    for (const [other, share] of resemblances.of(text)) {
      for (const cluster of (clustersOf[other] as Cluster[]).filter(mayRepeat)) {
        const isEarlier = best === undefined || (rank.get(cluster.first) ?? 0) < (rank.get(best.cluster.first) ?? 0);
        if (best === undefined || share > best.share || (share === best.share && isEarlier)) best = { cluster, share };
      }
    }
    const cluster = best?.cluster ?? { first: at, speaker };
    cluster.speaker ??= speaker;
    first[at] = cluster.first;
    const ofText = clustersOf[text] as Cluster[];
    if (!ofText.includes(cluster)) ofText.push(cluster);
  }
  return first;
}

/** The shingles of each different text, and the text of each speech; none for short speeches. */
function differentTexts(speeches: readonly Speech[]) {
  const texts = new Map<string, number>();
  const shingles: (readonly string[])[] = [];
  const textOf = speeches.map(({ spoken }) => {
    const words = tokens(spoken).filter((token) => token !== BREAK);
    if (words.length < MIN_WORDS) return undefined;
    const key = words.join(" ");
    const known = texts.get(key);
    if (known !== undefined) return known;
    const found = new Set<string>();
    for (let end = SIZE; end <= words.length; end++) found.add(words.slice(end - SIZE, end).join(" "));
    texts.set(key, shingles.length);
    return shingles.push([...found]) - 1;
  });
  return { textOf, shingles };
}

/** How much different texts have in common. */
class Resemblances {
  readonly #shingles: readonly (readonly string[])[];
  readonly #overlap: number;
  /** The texts with a shingle. */
  readonly #having = new Map<string, number[]>();
  readonly #totals: readonly number[];
  readonly #known: (readonly (readonly [text: number, share: number])[])[] = [];

  constructor(shingles: readonly (readonly string[])[], overlap: number) {
    this.#shingles = shingles;
    this.#overlap = overlap;
    shingles.forEach((all, text) => {
      for (const shingle of all) {
        const having = this.#having.get(shingle);
        if (having === undefined) this.#having.set(shingle, [text]);
        else having.push(text);
      }
    });
    this.#totals = shingles.map((all) => sum(all.map((shingle) => this.#weight(shingle))));
  }

  /** The texts that share enough with one, itself included, and the share of the shorter text that is in the longer one. */
  of(text: number): readonly (readonly [text: number, share: number])[] {
    this.#known[text] ??= [[text, 1], ...this.#others(text)];
    return this.#known[text];
  }

  #others(text: number): [number, number][] {
    const common = new Map<number, number>();
    for (const shingle of this.#shingles[text] as readonly string[]) {
      const weight = this.#weight(shingle);
      if (weight < UNIT / MAX_SPEECHES) continue;
      for (const other of this.#having.get(shingle) as readonly number[]) {
        if (other !== text) common.set(other, (common.get(other) ?? 0) + weight);
      }
    }
    return [...common]
      .map(([other, weight]): [number, number, number] => [other, this.#share(text, other, weight), weight])
      .filter(([, share, weight]) => weight >= MIN_EVIDENCE && share >= this.#overlap)
      .map(([other, share]) => [other, share]);
  }

  #share(text: number, other: number, common: number): number {
    return common / Math.min(this.#totals[text] as number, this.#totals[other] as number);
  }

  /** Rare shingles say more. */
  #weight(shingle: string): number {
    const { length } = this.#having.get(shingle) as readonly number[];
    return Math.round(UNIT / Math.max(RARE, length));
  }
}
