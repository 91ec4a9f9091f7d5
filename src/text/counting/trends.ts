import { invalid } from "../../errors/validators.js";
import { sum } from "../../util/sum.js";
import { type ClusteredRatio, clusteredInterval, MIN_CLUSTERS, weightedInfluence } from "./clusteredRatio.js";
import type { RateCounts } from "./countRates.js";

/** The change of a rate per period; null where fewer than three periods have speech, or fewer than five clusters. */
export interface Trend {
  readonly slope: number | null;
  readonly slope_low: number | null;
  readonly slope_high: number | null;
}

/**
 * The slope of the least-squares line through the rates of all periods, for each group. It is a weighted sum of these rates, so its interval
 * follows from the same clusters, which may speak in several periods.
 *
 * @param ratios of the groups, in their order
 * @param unit what the rates are multiplied by
 * @throws ValidationError if no group is a period
 */
export function trendsOf(
  ratios: readonly ClusteredRatio[],
  counts: RateCounts,
  confidence: number,
  unit: number,
): Trend[] {
  const { grouping, groups, clusters } = counts;
  const { period } = grouping;
  if (period === undefined) {
    throw invalid("trend", true, 'Give a period in by, for example by: "month", or leave trend out.');
  }
  const values = groups.map((group) => grouping.groups[group] ?? []);
  const begins = [...new Set(values.map((each) => each[period.at] as string | null))]
    .filter((begin) => begin !== null)
    .sort();
  const lines = values.map((each) => JSON.stringify(each.toSpliced(period.at, 1).map(String)));
  const slopes = new Map(
    [...new Set(lines)].map((line) => {
      const points = ratios
        .map((ratio, at) => ({ ...ratio, at: begins.indexOf(values[at]?.[period.at] as string), line: lines[at] }))
        .filter((point) => point.line === line && point.at >= 0 && point.denominator > 0);
      return [line, slopeOf(points, clusters, confidence, unit)];
    }),
  );
  return lines.map((line) => slopes.get(line) as Trend);
}

function slopeOf(
  points: ReadonlyArray<ClusteredRatio & { readonly at: number }>,
  clusters: number,
  confidence: number,
  unit: number,
): Trend {
  const mean = sum(points.map(({ at }) => at)) / points.length;
  const squares = sum(points.map(({ at }) => (at - mean) ** 2));
  const weights = points.map(({ at }) => (unit * (at - mean)) / squares);
  const slope = sum(points.map(({ value }, nth) => (weights[nth] as number) * value));
  const influence = weightedInfluence(
    ...points.map((point, nth) => [weights[nth] as number, point.influence] as const),
  );
  if (points.length < 3 || influence.size < MIN_CLUSTERS) return { slope: null, slope_low: null, slope_high: null };
  const { low, high } = clusteredInterval(slope, influence, clusters, confidence);
  return { slope, slope_low: low, slope_high: high };
}
