import { checkedOptions } from "../../errors/validators.js";
import { warnOnce } from "../../errors/warn.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, type ResultColumn, resultFrame } from "../../frames/resultFrame.js";
import { formatCount, joinWords, pluralize } from "../../util/text.js";
import { FEW_CLUSTERS, MIN_CLUSTERS, type Ratio, rateOf } from "../interval.js";
import { type Pattern, patternsText } from "../read/pattern.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { countPatterns, type PatternCounts, type Per, type RatesOptions } from "./patternCounts.js";
import type { Sample } from "./sample.js";

const OPTIONS = ["by", "per", "baseline", "confidence", "cluster", "once"];

/**
 * Counts how often patterns occur, with denominators, rates and confidence intervals. Periods without speech have a count of 0 and no rate.
 *
 * Speakers repeat themselves, so intervals come from the variance between them: linearised, with Student's t and one degree of freedom less
 * than there are speakers, as in R's `survey`. Rows without a known speaker are left out. A group of fewer than 10 speakers has no
 * interval. Below 30 speakers, or where a few say most of it (`largest_share`), intervals tend to be too narrow: with heavy tails, 95 %
 * intervals for 30 speakers hold in 84 % of simulated cases.
 *
 * @param source rows with a column `text`; for `per: "hour"` also `length`, in seconds: rows without one are left out
 * @param patterns as in `kwic`
 * @returns the columns of `by`, `pattern`, `count`, `denominator` (words, hours or mentions), `rate`, `low` and `high`, sorted by pattern
 * and group; `clusters` (speakers of the group), `left_out` (rows without one), `largest_share` (of the matches, by the speaker with most)
 * and `note`
 * @throws ValidationError for the rows of a text search without a baseline, and if no row has a cluster
 * @example
 * const sample = await archive.sample("mentions", "the", { rows: 2000, pages: 100 }); // of all speech
 * await rates(sample, ["inflation", "tax*"], { by: "year", baseline: "own rows" });
 */
export async function rates(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: RatesOptions = {},
): Promise<PolarsFrame> {
  const checked = checkedOptions(options, OPTIONS, "option of rates");
  const counts = await countPatterns(source, patterns, checked, "rates");
  const [groups, leftOut] = [counts.sample.sortedGroups(), counts.sample.leftOut()];
  const rows = counts.patterns.flatMap((pattern) =>
    groups.map((group) => rateRow(counts, [group, pattern], counts.ratio(group, pattern), leftOut)),
  );
  if (checked.cluster !== false) warnOfFewClusters(counts, rows, "rates");
  const text = ratesText(counts, patterns, checked);
  return withStep(source, resultFrame(rateColumns(counts, rows)), "rates", `counted as ${text}`);
}

/** One side of a comparison. */
export type Side = readonly [group: number, pattern: string];

/** The factor from a rate per word, second or mention to one per unit. */
export function unitFactor(per: Per): number {
  return per === "hour" ? 3600 : per === "mention" ? 1 : per;
}

export type RateRow = ReturnType<typeof rateRow>;

/**
 * A row of `rates` and `compare`: how often a group says a pattern.
 *
 * @param left_out rows without a cluster, in all groups of the result
 */
export function rateRow(
  { sample, per, design, rows }: PatternCounts,
  [group, pattern]: Side,
  ratio: Ratio,
  left_out: number,
) {
  const { count, clusters } = ratio;
  const unit = unitFactor(per);
  const { low, high } = rateOf(ratio, design);
  const hasNoSpeech = ratio.denominator === 0;
  return {
    group,
    pattern,
    count,
    denominator: per === "hour" ? ratio.denominator / unit : ratio.denominator,
    rate: hasNoSpeech ? null : ratio.value * unit,
    low: low === null ? null : Math.max(0, low * unit),
    high: high === null ? null : per === "mention" ? Math.min(1, high) : high * unit,
    rows: rows(group),
    clusters,
    left_out,
    largest_share: count === 0 ? null : ratio.sums.counts.reduce((most, each) => Math.max(most, each)) / count,
    note: hasNoSpeech ? null : noteOf(clusters, count, low !== null, clustersName(sample)),
  };
}

function noteOf(clusters: number, count: number, hasInterval: boolean, name: string): string | null {
  if (clusters < MIN_CLUSTERS) return `only ${clusters} ${name}, too few for an interval`;
  if (count === 0) return "no interval, because nobody says it";
  if (!hasInterval) return `no interval, because all ${name} say it equally often`;
  return clusters < FEW_CLUSTERS ? `only ${clusters} ${name}, so the interval tends to be too narrow` : null;
}

const NAMES: Readonly<Record<string, string>> = {
  personid: "speakers",
  person: "speakers",
  bioguide: "speakers",
  programid: "programs",
  page: "pages",
};

export function clustersName({ cluster = "" }: Sample): string {
  return NAMES[cluster] ?? `values of ${cluster}`;
}

/** Warns once that groups have few clusters, or too few for an interval. */
export function warnOfFewClusters({ sample }: PatternCounts, rows: readonly RateRow[], verb: string): void {
  const groups = new Map(rows.map((row) => [row.group, row]));
  const few = [...groups.values()].filter(({ rate, clusters }) => rate !== null && clusters < FEW_CLUSTERS);
  if (few.length === 0) return;
  const what = `fewer than ${FEW_CLUSTERS} ${clustersName(sample)} in ${few.length} of ${pluralize(groups.size, "group")}`;
  warnOnce("FEW_CLUSTERS", `${verb}: ${what}, see the column note.`);
}

export function rateColumns({ sample }: PatternCounts, rows: readonly RateRow[]): ResultColumn[] {
  const columns = [
    ...sample.grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "pattern"),
    ...columnsOf(rows, pl.Int64, "count"),
    ...columnsOf(rows, pl.Float64, "denominator", "rate", "low", "high"),
  ];
  if (sample.cluster === undefined) return columns;
  return [
    ...columns,
    ...columnsOf(rows, pl.Int64, "clusters", "left_out"),
    ...columnsOf(rows, pl.Float64, "largest_share"),
    ...columnsOf(rows, pl.Utf8, "note"),
  ];
}

/**
 * Describes rates for the provenance. Charts read the unit from its beginning.
 */
export function ratesText(
  { sample, per, design }: PatternCounts,
  patterns: Pattern | readonly Pattern[],
  { by, once, baseline }: Pick<RatesOptions, "by" | "once" | "baseline">,
  ...facts: readonly (string | false | undefined)[]
): string {
  const unit = typeof per === "number" ? `${formatCount(per)} words` : per;
  const groups = by === undefined ? "" : ` by ${joinWords([by].flat() as string[])}`;
  const parts = [
    `rates per ${unit} of ${patternsText(patterns)}${groups}`,
    once && "each speech once",
    baseline !== undefined && "with their own rows as the baseline",
    ...facts,
    sample.cluster !== undefined &&
      `${Math.round(1000 * design.confidence) / 10} % intervals clustered by ${sample.cluster}`,
  ];
  return parts.filter(Boolean).join(", ");
}
