import { checkedOptions, positiveInteger } from "../errors/validators.js";
import { pairFrame } from "./counting/pairFrame.js";
import { TermTally } from "./counting/termTally.js";
import { captionsOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { type FrameOf, framesOf, likeSource, type TextSource } from "./source/textSource.js";
import { checkedStopwords } from "./terms.js";

/** Options of {@link similarity}. */
export interface SimilarityOptions {
  /** Whose speech is compared. Default `"person"`. */
  by?: By | undefined;
  /** Number of groups to compare, those with the most words. Default 30. */
  top?: number | undefined;
  /** Words to leave out. Default: none; words that everyone says have no weight anyway. */
  stopwords?: Iterable<string> | undefined;
}

/**
 * How similar the words of speakers are: the cosine of their word frequencies, each weighted by the logarithm of how few of the compared speakers say
 * the word (tf-idf; Salton and Buckley 1988). 1 is the same mix of words, 0 no word in common but those that all say.
 *
 * @param source rows with a column `text`
 * @param given groups, how many, stop words
 * @returns `a`, `b` and `similarity` for every pair of groups, the most similar first
 * @throws ValidationError for an invalid source or option
 * @example
 * await similarity(frame, { top: 20, stopwords: stopwords() });
 */
export async function similarity<S extends TextSource>(source: S, given: SimilarityOptions = {}): Promise<FrameOf<S>> {
  const options = checkedOptions(given, ["by", "top", "stopwords"], "option of similarity");
  const { by = "person", top = 30, stopwords = [] } = options;
  positiveInteger("top", top, 30);
  const stops = checkedStopwords(stopwords);
  const grouping = new Grouping(by);
  const tallies: TermTally[] = [];
  for await (const frame of framesOf(source)) {
    const groups = grouping.indexes(frame);
    captionsOf(frame).spoken.forEach((text, row) => {
      const group = groups[row] as number;
      tallies[group] ??= new TermTally(1, stops);
      if (text !== null) (tallies[group] as TermTally).add(text);
    });
  }
  const groups = tallies
    .map((tally, group) => ({ tally, group, name: grouping.label(group) }))
    .filter(({ name }) => name !== null);
  const largest = groups.sort((a, b) => b.tally.total - a.tally.total || a.group - b.group).slice(0, top);
  const vectors = weighted(
    largest.map(({ tally }) => new Map(tally.entries(1).map(({ term, count }) => [term, count]))),
  );
  return likeSource(
    source,
    pairFrame(
      largest.map(({ name }) => name as string),
      { similarity: (a, b) => cosine(vectors[a] as Vector, vectors[b] as Vector) },
      "similarity",
    ),
  );
}

type Vector = ReadonlyMap<string, number>;

/** Frequencies times inverse document frequencies, at unit length. */
function weighted(frequencies: readonly Vector[]): Vector[] {
  const speakers = new Map<string, number>();
  for (const each of frequencies) for (const term of each.keys()) speakers.set(term, (speakers.get(term) ?? 0) + 1);
  return frequencies.map((each) => {
    const weights = [...each].map(
      ([term, count]) => [term, count * Math.log(frequencies.length / (speakers.get(term) as number))] as const,
    );
    const length = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight * weight, 0));
    return new Map(weights.map(([term, weight]) => [term, length === 0 ? 0 : weight / length]));
  });
}

function cosine(a: Vector, b: Vector): number {
  let sum = 0;
  for (const [term, weight] of a) sum += weight * (b.get(term) ?? 0);
  // Rounding may exceed 1.
  return Math.min(1, sum);
}
