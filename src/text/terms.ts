import { checkedOptions, invalid, positiveInteger } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { spokenText } from "./captions.js";
import { warnOfChosenRows } from "./counting/checkBaseline.js";
import { TermTally } from "./counting/termTally.js";
import { captionsOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { type FrameOf, framesOf, likeSource, readProvenance, type TextSource } from "./source/textSource.js";

/** Options of {@link terms}. */
export interface TermsOptions {
  /** Words per term, 1 to 3, or several such numbers. Default 1. */
  ngrams?: number | readonly number[] | undefined;
  /** Columns or periods to count by. Default: none. */
  by?: By | undefined;
  /** Words to leave out, for example `stopwords()`; and longer terms that begin or end with one. Default: none. */
  stopwords?: Iterable<string> | undefined;
  /** Leave out terms that occur less often in their group. Default 1. */
  min?: number | undefined;
}

/**
 * Counts words, or terms of two or three words, with the total they are a part of.
 *
 * Words are those of Unicode's word segmentation (`Intl.Segmenter`), in lower case and without accents. A term never crosses the end
 * of a clause, a turn (`>>`) or a sound note. Memory grows with the number of different terms, not of rows.
 *
 * @param source rows with a column `text`
 * @param given length of terms, groups, stop words, minimum
 * @returns the columns of `by`, `term`, `n` (words in the term), `count`, `mentions` (rows with the term) and `total` (all terms of
 *   this length in the group, stop words included); the most frequent first
 * @throws ValidationError for an invalid source or option
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 500 });
 * await terms(frame, { ngrams: [1, 2], by: "person", stopwords: stopwords(), min: 5 });
 */
export async function terms<S extends TextSource>(source: S, given: TermsOptions = {}): Promise<FrameOf<S>> {
  const counts = await termsFrame(source, given);
  warnOfChosenRows(readProvenance(source), "terms");
  return likeSource(source, counts, ["terms", "summary", given.by ?? ""]);
}

export async function termsFrame(source: TextSource, given: TermsOptions = {}, name = "source"): Promise<PolarsFrame> {
  const options = checkedOptions(given, ["ngrams", "by", "stopwords", "min"], "option of terms");
  const { min = 1, stopwords = [] } = options;
  positiveInteger("min", min, 5);
  const sizes = checkedSizes(options.ngrams);
  const stops = checkedStopwords(stopwords);
  const grouping = new Grouping(options.by);
  const tallies: TermTally[][] = [];
  for await (const frame of framesOf(source, name)) {
    const { spoken } = captionsOf(frame, name);
    const groups = grouping.indexes(frame, name);
    spoken.forEach((text, row) => {
      const group = groups[row] as number;
      tallies[group] ??= sizes.map((size) => new TermTally(size, stops));
      if (text !== null) for (const tally of tallies[group] as TermTally[]) tally.add(text);
    });
  }
  const rows = tallies.flatMap((ofGroup, group) =>
    ofGroup.flatMap((tally) =>
      tally.entries(min).map((entry) => ({ ...entry, group, n: tally.size, total: tally.total })),
    ),
  );
  rows.sort((a, b) => b.count - a.count || a.group - b.group || a.n - b.n || (a.term < b.term ? -1 : 1));
  return resultFrame([
    ...grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "term"),
    ...columnsOf(rows, pl.Int64, "n", "count", "mentions", "total"),
  ]);
}

function checkedSizes(given: number | readonly number[] = 1): readonly number[] {
  const sizes = [...new Set([given].flat() as number[])];
  if (sizes.length > 0 && sizes.every((size) => size === 1 || size === 2 || size === 3)) return sizes;
  throw invalid("ngrams", given, "Give 1, 2 or 3, or several of them, for example ngrams: [1, 2].");
}

/** Stop words as a set, in the form in which words are compared. */
export function checkedStopwords(given: Iterable<string>): ReadonlySet<string> {
  if (typeof given === "string" || typeof given?.[Symbol.iterator] !== "function") {
    throw invalid("stopwords", given, "Give a list of words, for example stopwords: stopwords().");
  }
  return new Set([...given].map((word) => spokenText(String(word))));
}
