import { checkedOptions, invalid, positiveInteger } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { listed } from "../util/quoted.js";
import { sum } from "../util/sum.js";
import { spokenText } from "./captions.js";
import { RepeatedRows, warnOfChosenRows } from "./counting/checkBaseline.js";
import { MIN_CLUSTERS, weightedInfluence } from "./counting/clusters.js";
import { clustersOf, type OnceOption, speechOf } from "./counting/countRates.js";
import { checkClusters, checkedCluster, checkedConfidence } from "./counting/rateRows.js";
import { TermTally } from "./counting/termTally.js";
import { captionsOf } from "./source/columns.js";
import { type By, Grouping } from "./source/grouping.js";
import { framesOf, readProvenance, type TextSource, withStep } from "./source/textSource.js";
import { tBound } from "./statistics.js";
import { spokenTokens } from "./tokens.js";

/** Options of {@link terms}. */
export interface TermsOptions extends OnceOption {
  /** Words per term, 1 to 3, or several such numbers. Default 1. */
  ngrams?: number | readonly number[] | undefined;
  /** Columns or periods to count by. Default: none. */
  by?: By | undefined;
  /** Words to leave out, for example `stopwords()`; and longer terms that begin or end with one. Default: none. */
  stopwords?: Iterable<string> | undefined;
  /** Leave out terms that occur less often in their group. Default 1. */
  min?: number | undefined;
  /**
   * The column that says whose rows resemble each other, `"personid"` or another one: adds how much more often each group says a term than all other groups
   * together, with an interval as in `compare`. Needs `by`. Default: none.
   */
  cluster?: string | undefined;
  /** Confidence of these intervals, between 0 and 1. Default 0.95. */
  confidence?: number | undefined;
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
 *   this length in the group, stop words included); the most frequent first. With `cluster` also `clusters` (of the group), `left_out` (rows
 *   without a cluster) and `log_ratio` (doublings, as in `keyness`; half an occurrence stands for none) with `_low` and `_high`, null for groups of
 *   fewer than 10 clusters and terms that no other group says. Of thousands of terms, some differ by chance
 * @throws ValidationError for an invalid source or option
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 500 });
 * await terms(frame, { ngrams: [1, 2], by: "person", stopwords: stopwords(), min: 5 });
 * await terms(await withMembers(frame), { by: "party", cluster: "personid", min: 5 });
 */
export async function terms(source: TextSource, given: TermsOptions = {}): Promise<PolarsFrame> {
  const counts = await termsFrame(source, given);
  warnOfChosenRows(readProvenance(source), "terms");
  const { by, ngrams = 1, min = 1, cluster, once } = given;
  const parts = [
    `counted by term of ${listed([ngrams].flat().map(String))} words${by === undefined ? "" : ` by ${listed([by].flat() as string[])}`}`,
    min > 1 && `at least ${min} times`,
    once && "each speech once",
    cluster !== undefined && `clustered by ${cluster}`,
  ];
  return withStep(source, counts, "terms", parts.filter(Boolean).join(", "));
}

const OPTIONS = "ngrams by stopwords min cluster confidence once".split(" ");

export async function termsFrame(source: TextSource, given: TermsOptions = {}, name = "source"): Promise<PolarsFrame> {
  const options = checkedOptions(given, OPTIONS, "option of terms");
  const { by, min = 1, stopwords = [] } = options;
  positiveInteger("min", min, 5);
  const sizes = checkedSizes(options.ngrams);
  const stops = checkedStopwords(stopwords);
  const cluster = checkedCluster(options.cluster);
  const confidence = checkedConfidence(options.confidence);
  const hint = 'Give by, too, for example by: "party": intervals are of differences between groups.';
  if (cluster !== undefined && by === undefined) throw invalid("cluster", cluster, hint);
  const [grouping, clustering] = [new Grouping(by), new Grouping(cluster)];
  const tallies: TermTally[][] = [];
  const newTallies = () => sizes.map((size) => new TermTally(size, stops));
  let leftOut = 0;
  const speech = await speechOf(source, options);
  const repeated = new RepeatedRows(speech.source);
  for await (const frame of framesOf(speech.source, name)) {
    const captions = captionsOf(frame, name);
    repeated.add(frame, captions);
    const groups = grouping.indexes(frame, name);
    const clusters = cluster === undefined ? undefined : clustersOf(frame, clustering, name);
    captions.spoken.forEach((text, row) => {
      const speaker = clusters?.[row];
      if (speaker === null) leftOut++;
      if (text === null || speaker === null) return;
      const group = groups[row] as number;
      tallies[group] ??= newTallies();
      const words = spokenTokens(text);
      for (const tally of tallies[group] as TermTally[]) tally.add(words, speaker);
    });
  }
  if (name === "source") repeated.warn("terms");
  const all = newTallies();
  if (cluster !== undefined) {
    for (const tally of tallies.flat()) all[sizes.indexOf(tally.size)]?.merge(tally);
    checkClusters(all[0]?.totals.size ?? 0, cluster);
  }
  const rows = tallies.flatMap((ofGroup, group) =>
    ofGroup.flatMap((tally, at) => {
      const ratioOf = cluster === undefined ? () => undefined : logRatios(tally, all[at] as TermTally, confidence);
      const { size: n } = tally;
      const more = {
        group,
        n,
        total: tally.total,
        clusters: tally.totals.size,
        left_out: leftOut,
      };
      return tally.entries(min).map((entry) => ({ ...entry, ...more, ...ratioOf(entry.term) }));
    }),
  );
  rows.sort((a, b) => b.count - a.count || a.group - b.group || a.n - b.n || (a.term < b.term ? -1 : 1));
  const columns = [
    ...grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "term"),
    ...columnsOf(rows, pl.Int64, "n", "count", "mentions", "total"),
  ];
  if (cluster === undefined) return resultFrame(columns);
  return resultFrame([
    ...columns,
    ...columnsOf(rows, pl.Int64, "clusters", "left_out"),
    ...columnsOf(rows as Partial<LogRatio>[], pl.Float64, "log_ratio", "log_ratio_low", "log_ratio_high"),
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

/** By how many doublings a term is more frequent in a group than in all other groups together. Null where there is nothing to compare. */
type LogRatio = Readonly<Record<"log_ratio" | "log_ratio_low" | "log_ratio_high", number | null>>;

/**
 * The log ratios of the terms of a group, with the intervals of `differenceOf`, for a hundred thousand terms: all clusters contribute to the
 * variance by what they say at all, which is summed once; those that say the term, by that too.
 *
 * @param tally of the group
 * @param all of all groups
 */
function logRatios(tally: TermTally, all: TermTally, confidence: number): (term: string) => LogRatio {
  const size = all.totals.size;
  const others = all.total - tally.total;
  const elsewhere = [...all.totals].filter(([cluster, total]) => total > (tally.totals.get(cluster) ?? 0));
  const hasInterval = Math.min(tally.totals.size, elsewhere.length) >= MIN_CLUSTERS;
  const bound = hasInterval ? tBound(confidence, size - 1) * Math.sqrt(size / (size - 1)) : 0;
  const spoken = weightedInfluence([-1 / tally.total - 1 / others, tally.totals], [1 / others, all.totals]);
  const squares = sum([...spoken.values()].map((value) => value * value));
  return (term) => {
    const [{ count, clusters }, total] = [tally.of(term), all.of(term)];
    const rest = total.count - count;
    // Half an occurrence stands for none, as in keyness.
    const log_ratio = others === 0 ? null : Math.log2(count / tally.total / ((rest || 0.5) / others));
    if (log_ratio === null || !hasInterval || rest === 0)
      return { log_ratio, log_ratio_low: null, log_ratio_high: null };
    const said = weightedInfluence([1 / count + 1 / rest, clusters], [-1 / rest, total.clusters]);
    let variance = squares;
    for (const [cluster, value] of said) variance += value * (value + 2 * (spoken.get(cluster) as number));
    const half = (bound * Math.sqrt(Math.max(0, variance))) / Math.LN2;
    return { log_ratio, log_ratio_low: log_ratio - half, log_ratio_high: log_ratio + half };
  };
}
