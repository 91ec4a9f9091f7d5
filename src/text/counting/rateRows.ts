import { pl } from "../../frames/polars.js";
import { columnsOf, type ResultColumn } from "../../frames/resultFrame.js";
import type { ClusteredRatio } from "./clusteredRatio.js";
import type { RateCounts } from "./countRates.js";
import {
  type Concentration,
  checkedCluster,
  checkedConfidence,
  checkedPer,
  concentrationOf,
  type Rate,
  rateInterval,
  unitOf,
} from "./rateInterval.js";
import type { Per } from "./tallies.js";

/** The options that `rates` and `compare` share, checked. */
export function checkedForm<C>(
  cluster: C,
  options: { per?: unknown; confidence?: unknown; weights?: string | false | undefined },
) {
  const per: Per = checkedPer(options.per);
  const confidence = checkedConfidence(options.confidence);
  return { per, unit: unitOf(per), confidence, cluster: checkedCluster(cluster), weights: options.weights };
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
  const { units, scale } = counts;
  const form = { ...given, units };
  const { denominator, influence } = ratio;
  const size = { count: Math.round(ratio.count), denominator, rows: counts.rows(group) };
  const clusters = { clusters: units.clustersIn(influence), left_out };
  return { group, pattern, ...size, ...rateInterval(ratio, form), ...clusters, ...concentrationOf(ratio, form, scale) };
}

/** @param sizes "rows", if the result has them */
export function rateColumns(counts: RateCounts, rows: readonly RateRow[], ...sizes: "rows"[]): ResultColumn[] {
  const known = counts.units.isKnown;
  return [
    ...counts.grouping.columns(rows.map(({ group }) => group)),
    ...columnsOf(rows, pl.Utf8, "pattern"),
    ...columnsOf(rows, pl.Int64, "count"),
    ...columnsOf(rows, pl.Float64, "denominator", "rate", "low", "high"),
    ...columnsOf(rows, pl.Int64, ...sizes, ...(known ? (["clusters", "left_out"] as const) : [])),
    ...(known ? columnsOf(rows, pl.Float64, "deff", "largest_share", "effective_clusters") : []),
  ];
}
