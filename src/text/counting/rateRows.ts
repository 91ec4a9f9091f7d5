import { faulty, invalid, nonEmptyString, positiveNumber } from "../../errors/validators.js";
import { warnOnce } from "../../errors/warn.js";
import { pl } from "../../frames/polars.js";
import { columnsOf, type ResultColumn } from "../../frames/resultFrame.js";
import { pluralize } from "../../util/counts.js";
import { sum } from "../../util/sum.js";
import { poissonInterval, wilsonInterval } from "../statistics.js";
import {
  type ClusteredRatio,
  clusteredError,
  clusteredInterval,
  clusteredRatio,
  FEW_CLUSTERS,
  MIN_CLUSTERS,
  REFUSED_CLUSTERS,
} from "./clusters.js";
import type { RateCounts } from "./countRates.js";
import type { Per } from "./tallies.js";

/** A rate with its interval; null where there is none. */
interface Rate {
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How a rate and its interval are computed. */
interface RateForm {
  readonly per: Per;
  readonly confidence: number;
  /** How many clusters there are in all; 0 for none. */
  readonly clusters: number;
}

/**
 * A rate with its interval, in its unit. With clusters, the interval is linearised; a rate whose clusters show no variance, as one of 0 or
 * a share of 1, and a rate of independent matches have exact ones: Garwood's of counts per word or hour, Wilson's of shares of mentions.
 */
function rateInterval(ratio: ClusteredRatio, { per, confidence, clusters }: RateForm): Rate {
  const { count, denominator, value, influence } = ratio;
  if (denominator === 0) return { rate: null, low: null, high: null };
  const isShare = per === "mention";
  if (isShare && count > denominator && clusters === 0) {
    const hint = "Give all speech that the source is a part of.";
    throw faulty("baseline", "it has fewer mentions than contain the pattern", hint);
  }
  const unit = unitOf(per);
  const rate = value * unit;
  if (clusters > 0) {
    if (influence.size < MIN_CLUSTERS) return { rate, low: null, high: null };
    const { low, high, error } = clusteredInterval(value, influence, { clusters, confidence });
    // Sums of fractions leave an error of 1e-17 where nothing varies.
    if (error > 1e-12 * value)
      return { rate, low: Math.max(0, low * unit), high: isShare ? Math.min(1, high) : high * unit };
  }
  if (isShare) return { rate, ...wilsonInterval(Math.min(count, denominator), denominator, confidence) };
  const exact = poissonInterval(count, confidence);
  return { rate, low: (exact.low * unit) / denominator, high: (exact.high * unit) / denominator };
}

/** What a reader should know beside an interval. */
interface Concentration {
  /** The variance of the rate to that of as many independent matches. Null without clusters. */
  readonly deff: number | null;
  /** The share of the matches that the cluster with the most of them has. */
  readonly largest_share: number | null;
  /** The effective number of clusters: this many with equal numbers of matches would be as concentrated. 1 / the sum of squared shares. */
  readonly effective_clusters: number | null;
}

function concentrationOf(ratio: ClusteredRatio, { per, clusters }: RateForm): Concentration {
  const { count, denominator, value, influence, sums } = ratio;
  if (clusters === 0 || count === 0) return { deff: null, largest_share: null, effective_clusters: null };
  const shares = sums.map((one) => one.count / count);
  const independent = (value * (per === "mention" ? 1 - value : 1)) / denominator;
  const deff = independent > 0 ? clusteredError(influence, clusters) ** 2 / independent : Number.NaN;
  return {
    deff: Number.isFinite(deff) ? deff : null,
    largest_share: shares.reduce((most, share) => Math.max(most, share), 0),
    effective_clusters: 1 / sum(shares.map((share) => share * share)),
  };
}

/** What the rates of a unit are multiplied by. */
function unitOf(per: Per): number {
  return typeof per === "number" ? per : 1;
}

/** Checks a unit. Default 10,000 words. */
function checkedPer(per: unknown = 10_000): Per {
  if (per === "hour" || per === "mention") return per;
  if (typeof per === "number") return positiveNumber("per", per, 10_000, "words");
  throw invalid("per", per, 'Give a number of words, "hour" or "mention".');
}

/** Checks a confidence. Default 0.95. */
export function checkedConfidence(confidence: unknown = 0.95): number {
  if (typeof confidence === "number" && confidence > 0 && confidence < 1) return confidence;
  throw invalid("confidence", confidence, "Give a number between 0 and 1, for example confidence: 0.95.");
}

export function checkedCluster<T>(cluster: T): T {
  if (cluster !== undefined && cluster !== false) nonEmptyString("cluster", cluster, "personid");
  return cluster;
}

/**
 * Warns once about fewer than 30 clusters.
 *
 * @param where the group that has them, for the message
 * @throws ValidationError for fewer than 5
 */
export function checkClusters(clusters: number, cluster: string, where = ""): void {
  const what = `"${cluster}" has ${clusters} values${where}`;
  if (clusters < REFUSED_CLUSTERS) {
    const hint = `Give a column with at least ${MIN_CLUSTERS}, better ${FEW_CLUSTERS}, or more rows.`;
    throw faulty("cluster", `${what}, too few for an interval`, hint);
  }
  if (clusters < MIN_CLUSTERS) warnOnce("FEW_CLUSTERS", `${what}. ${NO_INTERVAL}`);
  else if (clusters < FEW_CLUSTERS)
    warnOnce("FEW_CLUSTERS", `${what}. Intervals from fewer than ${FEW_CLUSTERS} clusters tend to be too narrow.`);
}

/** Warns once that groups with speech have no interval. */
export function warnOfNoInterval({ groups, clusters, cluster, sums }: RateCounts): void {
  if (clusters === 0) return;
  const few = groups.filter((group) => {
    const { denominator, influence } = clusteredRatio(sums(group, 0));
    return denominator > 0 && influence.size < MIN_CLUSTERS;
  });
  if (few.length === 0) return;
  const what = `${few.length} of ${pluralize(groups.length, "group")} have fewer than ${MIN_CLUSTERS} values of "${cluster}"`;
  warnOnce("FEW_CLUSTERS", `rates: ${what}, too few for an interval.`);
}

const NO_INTERVAL = `Fewer than ${MIN_CLUSTERS} clusters are too few for an interval.`;

/** The options that `rates` and `compare` share, checked. */
export function checkedForm<C>(cluster: C, options: { per?: unknown; confidence?: unknown }) {
  const per: Per = checkedPer(options.per);
  const confidence = checkedConfidence(options.confidence);
  return { per, unit: unitOf(per), confidence, cluster: checkedCluster(cluster) };
}

/** A row of `rates` and `compare`. */
export interface RateRow extends Rate, Concentration {
  readonly group: number;
  readonly pattern: string;
  readonly count: number;
  readonly denominator: number;
  readonly rows: number;
  readonly clusters: number;
  readonly left_out: number;
}

/** @param left_out rows without a cluster, of all groups that are shown together */
export function rateRow(
  counts: RateCounts,
  left_out: number,
  [pattern, group, ratio]: readonly [string, number, ClusteredRatio],
  given: { readonly per: Per; readonly confidence: number },
): RateRow {
  const form = { ...given, clusters: counts.clusters };
  const { count, denominator, influence } = ratio;
  const size = { count, denominator, rows: counts.rows(group) };
  const clusters = { clusters: counts.clusters === 0 ? 0 : influence.size, left_out };
  return { group, pattern, ...size, ...rateInterval(ratio, form), ...clusters, ...concentrationOf(ratio, form) };
}

/** @param sizes "rows", if the result has them */
export function rateColumns(counts: RateCounts, rows: readonly RateRow[], ...sizes: "rows"[]): ResultColumn[] {
  const isClustered = counts.clusters > 0;
  return [
    ...counts.grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "pattern"),
    ...columnsOf(rows, pl.Int64, "count"),
    ...columnsOf(rows, pl.Float64, "denominator", "rate", "low", "high"),
    ...columnsOf(rows, pl.Int64, ...sizes, ...(isClustered ? (["clusters", "left_out"] as const) : [])),
    ...(isClustered ? columnsOf(rows, pl.Float64, "deff", "largest_share", "effective_clusters") : []),
  ];
}
