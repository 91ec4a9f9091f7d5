import { checkedOptions, invalid, positiveInteger } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { sum } from "../../util/lists.js";
import { joinWords } from "../../util/text.js";
import { logRatioOf, type Ratio, ratioOf } from "../interval.js";
import { spokenText } from "../read/captions.js";
import type { By } from "../read/grouping.js";
import { readProvenance, type TextSource, withStep } from "../read/textSource.js";
import { BREAK, spokenTokens } from "../read/tokens.js";
import { warnOfTermBias } from "./notes.js";
import { checkedConfidence } from "./patternCounts.js";
import { Sample } from "./sample.js";
import { GroupTally } from "./tally.js";

const OPTIONS = "ngrams by stopwords min cluster confidence once".split(" ");

/** Options of `terms`. */
export interface TermsOptions {
  /** Words per term, 1 to 3, or several such numbers. Default 1. */
  ngrams?: number | readonly number[] | undefined;
  /** Columns or periods to count by. Default: none. */
  by?: By | undefined;
  /** Words to leave out; and longer terms that begin or end with one. Default: none. */
  stopwords?: Iterable<string> | undefined;
  /** Leave out terms that are rarer in their group. Default 1. */
  min?: number | undefined;
  /**
   * As in `rates`, `"personid"` for example: adds how much more often each group says a term than all others together. Needs `by`. Default:
   * none.
   */
  cluster?: string | undefined;
  /** Confidence of these intervals. Default 0.95. */
  confidence?: number | undefined;
  /** As in `rates`. Default: false. */
  once?: boolean | undefined;
}

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
  const groups = by === undefined ? "" : ` by ${joinWords([by].flat() as string[])}`;
  const facts = [
    `counted by term of ${joinWords([ngrams].flat().map(String))} words${groups}`,
    min > 1 && `at least ${min} times`,
    once && "each speech once",
    cluster !== undefined && `clustered by ${cluster}`,
  ];
  const result = resultFrame(cluster === undefined ? columns : [...columns, ...intervals]);
  return withStep(source, result, "terms", facts.filter(Boolean).join(", "));
}

/** Null where there is nothing to compare, or no interval. */
type LogRatio = Readonly<Record<"log_ratio" | "log_ratio_low" | "log_ratio_high", number | null>>;

/** By how many doublings a group says a term more often than all other groups together, as a function of the term. */
function logRatios(groups: readonly GroupTally[], group: number, clusters: number, confidence: number) {
  const tally = groups[group] as GroupTally;
  const otherGroups = groups.filter((other) => other !== undefined && other !== tally);
  const sumsOf = (all: readonly Float64Array[]) =>
    new Float64Array(clusters).map((_zero, at) => sum(all.map((sums) => sums[at] as number)));
  const denominators = [tally, otherGroups].map((side) =>
    sumsOf([side].flat().map((each) => each.all.byCluster(clusters))),
  );
  const of = (term: string) => {
    const [a, b] = [[tally], otherGroups].map((side, at) => {
      const counts = sumsOf(side.map((each) => each.counts(term, clusters)));
      return ratioOf({ counts, denominators: denominators[at] as Float64Array });
    }) as [Ratio, Ratio];
    // Zero counts as half an occurrence, as in keyness.
    if (b.count === 0) return { log_ratio: b.denominator === 0 ? null : Math.log2(a.value / (0.5 / b.denominator)) };
    const { value, low, high } = logRatioOf(a, b, { clusters, confidence });
    const doublings = (bound: number | null) => (bound === null ? null : bound / Math.LN2);
    return { log_ratio: value / Math.LN2, log_ratio_low: doublings(low), log_ratio_high: doublings(high) };
  };
  return { clusters: denominators[0]?.filter((sum) => sum > 0).length, of };
}

/** The terms of one length, by group. `all` of a group includes those with stop words. */
interface TermCounts {
  readonly size: number;
  readonly groups: readonly GroupTally[];
}

/**
 * Counts the terms of a sample by length, group and cluster, in one pass.
 *
 * @param name the parameter that errors name
 */
export async function countTerms(
  sample: Sample,
  { ngrams, stopwords }: Pick<TermsOptions, "ngrams" | "stopwords">,
  name = "source",
): Promise<readonly TermCounts[]> {
  const stops = checkedStopwords(stopwords);
  const counts = checkedSizes(ngrams).map((size) => ({ size, groups: [] as GroupTally[] }));
  let height = 0;
  for await (const { captions, groups, clusters } of sample.rows(name)) {
    for (const [row, text] of captions.spoken.entries()) {
      const [group, cluster] = [groups[row] as number, clusters?.[row]];
      if (text === null || cluster === null) continue;
      const words = spokenTokens(text);
      for (const { size, groups: tallies } of counts) {
        tallies[group] ??= new GroupTally();
        addTerms(tallies[group], words, size, stops, height + row, cluster);
      }
    }
    height += groups.length;
  }
  warnOfTermBias(readProvenance(sample.source), sample.verb);
  return counts;
}

function addTerms(
  tally: GroupTally,
  words: readonly string[],
  size: number,
  stops: ReadonlySet<string>,
  row: number,
  cluster: number | undefined,
): void {
  let total = 0;
  for (let end = size; end <= words.length; end++) {
    const term = words.slice(end - size, end);
    if (term.includes(BREAK)) continue;
    total++;
    if (!stops.has(term[0] as string) && !stops.has(term[size - 1] as string)) tally.add(term.join(" "), row, cluster);
  }
  tally.all.add(total, row, cluster);
}

function checkedSizes(ngrams: number | readonly number[] = 1): readonly number[] {
  const sizes = [...new Set([ngrams].flat() as number[])];
  if (sizes.length > 0 && sizes.every((size) => size === 1 || size === 2 || size === 3)) return sizes;
  throw invalid("ngrams", ngrams, "Give 1, 2 or 3, or several of them, for example ngrams: [1, 2].");
}

/** Stop words as a set, normalized like captions. */
export function checkedStopwords(words: Iterable<string> = []): ReadonlySet<string> {
  if (typeof words === "string" || typeof words?.[Symbol.iterator] !== "function") {
    throw invalid("stopwords", words, "Give a list of words, for example stopwords: stopwords().");
  }
  return new Set([...words].map((word) => spokenText(String(word))));
}
