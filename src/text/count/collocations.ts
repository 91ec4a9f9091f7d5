import { checkedOptions, positiveInteger } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { sum } from "../../util/lists.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { observedTerm } from "./keyness.js";
import { Sample } from "./sample.js";
import { checkedStopwords, countTerms, type TermsOptions } from "./terms.js";

/**
 * Finds pairs of adjacent words that occur together more often than their frequencies suggest.
 *
 * All measures compare a pair with the pairs that share its first or its second word (Evert 2005): `log_likelihood` (Dunning 1993) says how
 * surely it is a unit, `pmi`, the pointwise mutual information in bits, by how much, and `z` is the log odds ratio divided by its standard
 * error.
 *
 * @param options `min`: leave out rarer pairs, default 5; `stopwords`: leave out pairs with one of these words; `once` as in `terms`
 * @returns `collocation`, `count`, `left` and `right` (pairs with the first and with the second word), `expected`, `log_likelihood`, `pmi`
 * and `z`; the largest `z` first
 * @example
 * await collocations(frame, { stopwords: stopwords() });
 */
export async function collocations(
  source: TextSource,
  options: Pick<TermsOptions, "min" | "stopwords" | "once"> = {},
): Promise<PolarsFrame> {
  const checked = checkedOptions(options, ["min", "stopwords", "once"], "option of collocations");
  const { min = 5, once } = checked;
  positiveInteger("min", min, 5);
  const stops = checkedStopwords(checked.stopwords);
  const [pairs] = await countTerms(new Sample(source, "collocations", { once }), { ngrams: 2 });
  const tally = pairs?.groups[0];
  const all = [...(tally?.parts ?? [])].map(([term, { total: count }]) => {
    return { term, count, words: term.split(" ") as [string, string] };
  });
  const [lefts, rights] = [new Map<string, number>(), new Map<string, number>()];
  for (const { count, words } of all) {
    lefts.set(words[0], (lefts.get(words[0]) ?? 0) + count);
    rights.set(words[1], (rights.get(words[1]) ?? 0) + count);
  }
  const rows = all.flatMap(({ term, count, words }) => {
    if (count < min || words.some((word) => stops.has(word))) return [];
    const [left, right] = [lefts.get(words[0]) as number, rights.get(words[1]) as number];
    const cells = { count, left, right, total: tally?.all.total ?? 0 };
    return [{ collocation: term, ...cells, ...pairStatistics(cells) }];
  });
  rows.sort((a, b) => b.z - a.z || (a.collocation < b.collocation ? -1 : 1));
  const result = resultFrame([
    ...columnsOf(rows, pl.Utf8, "collocation"),
    ...columnsOf(rows, pl.Int64, "count", "left", "right"),
    ...columnsOf(rows, pl.Float64, "expected", "log_likelihood", "pmi", "z"),
  ]);
  const text = `counted by pairs of neighbouring words that occur at least ${min} times${once ? ", each speech once" : ""}`;
  return withStep(source, result, "collocations", text);
}

/** The number of pairs of two words, of pairs with the first word on the left, with the second word on the right, and of all pairs. */
type Pairs = Readonly<Record<"count" | "left" | "right" | "total", number>>;

/** Measures of association in the two-by-two table of a pair of words. */
function pairStatistics({ count, left, right, total }: Pairs) {
  const cells = [count, left - count, right - count, total - left - right + count] as const;
  const [notLeft, notRight] = [total - left, total - right];
  const products = [left * right, left * notRight, notLeft * right, notLeft * notRight];
  const expected = products.map((product) => product / total);
  const [both, first, second, neither] = cells.map((cell) => cell + 0.5) as [number, number, number, number];
  return {
    expected: expected[0] as number,
    log_likelihood: 2 * sum(cells.map((cell, at) => observedTerm(cell, expected[at] as number))),
    pmi: Math.log2(count / (expected[0] as number)),
    z: Math.log((both * neither) / (first * second)) / Math.sqrt(1 / both + 1 / first + 1 / second + 1 / neither),
  };
}
