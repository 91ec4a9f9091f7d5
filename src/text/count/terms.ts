import { checkedOptions, invalid, positiveInteger } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { listed } from "../../util/quoted.js";
import { sum } from "../../util/sum.js";
import { logRatioOf, type Ratio, ratioOf } from "../interval.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { checkedConfidence } from "./patternCounts.js";
import { Sample } from "./sample.js";
import type { GroupTally } from "./tally.js";
import { countTerms, type TermsOptions } from "./termCounts.js";

const OPTIONS = "ngrams by stopwords min cluster confidence once".split(" ");

/**
 * Counts words, or terms of two or three words.
 *
 * Words are those of Unicode's word segmentation (`Intl.Segmenter`), in lower case and without accents. A term never crosses the end of a
 * clause, a turn (`>>`) or a sound note.
 *
 * @returns the columns of `by`, `term`, `n` (words in the term), `count`, `mentions` (rows with the term) and `total` (all terms of this
 * length in the group); the most frequent first. With `cluster` also `clusters` (of the group), `left_out` (rows without one) and
 * `log_ratio` (doublings; half an occurrence stands for none) with `_low` and `_high`
 * @example
 * const frame = await withMembers(await archive.mentions("climate", { maxItems: 500 }));
 * await terms(frame, { ngrams: [1, 2], stopwords: stopwords(), min: 5 });
 * await terms(frame, { by: "party", cluster: "personid", min: 5 });
 */
export async function terms(source: TextSource, options: TermsOptions = {}): Promise<PolarsFrame> {
  const checked = checkedOptions(options, OPTIONS, "option of terms");
  const { by, ngrams = 1, min = 1, cluster, once } = checked;
  positiveInteger("min", min, 5);
  const confidence = checkedConfidence(checked.confidence);
  const hint = 'Give by, too, for example by: "party": intervals are of differences between groups.';
  if (cluster !== undefined && by === undefined) throw invalid("cluster", cluster, hint);
  const sample = new Sample(source, "terms", { by, cluster, once });
  const counts = await countTerms(sample, checked);
  const rows = counts.flatMap(({ size: n, groups }) =>
    groups.flatMap((tally, group) => {
      const logRatio = cluster === undefined ? undefined : logRatios(groups, group, sample.clusters, confidence);
      const shared = { group, n, total: tally.all.total, left_out: sample.leftOut(), clusters: logRatio?.clusters };
      return [...tally.parts].flatMap(([term, { total: count, rows: mentions }]) =>
        count < min ? [] : [{ ...shared, term, count, mentions, ...logRatio?.of(term) }],
      );
    }),
  );
  rows.sort((a, b) => b.count - a.count || a.group - b.group || a.n - b.n || (a.term < b.term ? -1 : 1));
  const columns = [
    ...sample.grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "term"),
    ...columnsOf(rows, pl.Int64, "n", "count", "mentions", "total"),
  ];
  const intervals = [
    ...columnsOf(rows, pl.Int64, "clusters", "left_out"),
    ...columnsOf(rows as Partial<LogRatio>[], pl.Float64, "log_ratio", "log_ratio_low", "log_ratio_high"),
  ];
  const groups = by === undefined ? "" : ` by ${listed([by].flat() as string[])}`;
  const facts = [
    `counted by term of ${listed([ngrams].flat().map(String))} words${groups}`,
    min > 1 && `at least ${min} times`,
    once && "each speech once",
    cluster !== undefined && `clustered by ${cluster}`,
  ];
  const result = resultFrame(cluster === undefined ? columns : [...columns, ...intervals]);
  return withStep(source, result, "terms", facts.filter(Boolean).join(", "));
}

/** Null where there is nothing to compare, or no interval. */
type LogRatio = Readonly<Record<"log_ratio" | "log_ratio_low" | "log_ratio_high", number | null>>;

/** By how many doublings a group says a term more often than all other groups together. */
function logRatios(groups: readonly GroupTally[], group: number, clusters: number, confidence: number) {
  const tally = groups[group] as GroupTally;
  const others = groups.filter((other) => other !== undefined && other !== tally);
  const added = (all: readonly Float64Array[]) =>
    new Float64Array(clusters).map((_zero, at) => sum(all.map((sums) => sums[at] as number)));
  const denominators = [tally, others].map((side) => added([side].flat().map((each) => each.all.byCluster(clusters))));
  const of = (term: string) => {
    const [a, b] = [[tally], others].map((side, at) => {
      const counts = added(side.map((each) => each.counts(term, clusters)));
      return ratioOf({ counts, denominators: denominators[at] as Float64Array });
    }) as [Ratio, Ratio];
    // Half an occurrence stands for none, as in keyness.
    if (b.count === 0) return { log_ratio: b.denominator === 0 ? null : Math.log2(a.value / (0.5 / b.denominator)) };
    const { value, low, high } = logRatioOf(a, b, { clusters, confidence });
    const doublings = (bound: number | null) => (bound === null ? null : bound / Math.LN2);
    return { log_ratio: value / Math.LN2, log_ratio_low: doublings(low), log_ratio_high: doublings(high) };
  };
  return { clusters: denominators[0]?.filter((said) => said > 0).length, of };
}
