import { groupBy } from "../util/groupBy.js";
import { sum } from "../util/sum.js";

/** How a row of a sample was drawn. */
export interface SampledRow {
  /** The probability that it was drawn. */
  readonly probability: number;
  readonly stratum: string;
  /** What it was drawn with: rows of one cluster. Undefined for a row by itself. */
  readonly unit: string | undefined;
}

/** A variance, and the degrees of freedom of its estimate. */
export interface DesignVariance {
  readonly variance: number;
  readonly degrees: number;
}

/**
 * The variance of a total of linearised values (Särndal, Swensson and Wretman 1992, "Model assisted survey sampling", chapter 5): between the rows of
 * each stratum, or between clusters, whose rows may come from several strata.
 *
 * @param values one for each row of the sample, 0 outside of a group
 * @param isWhole whether a stratum that was coded as a whole has no variance (the finite population correction); not for clusters
 * @returns the variance, and its degrees of freedom: rows minus strata, or clusters minus one
 */
export function designVariance(
  rows: readonly SampledRow[],
  values: readonly number[],
  isWhole: boolean,
): DesignVariance {
  const isClustered = rows.some(({ unit }) => unit !== undefined);
  let [variance, degrees] = [0, 0];
  for (const stratum of groupBy(rows.keys(), (at) => (isClustered ? "" : rows[at]?.stratum)).values()) {
    const units = groupBy(stratum, (at) => rows[at]?.unit ?? at);
    const totals = [...units.values()].map((own) => sum(own.map((at) => values[at] as number)));
    const mean = sum(totals) / totals.length;
    const open = isWhole && !isClustered ? 1 - (rows[stratum[0] as number]?.probability as number) : 1;
    degrees += totals.length - 1;
    // A stratum with one row says nothing about its variance.
    if (totals.length > 1)
      variance += (open * totals.length * sum(totals.map((each) => (each - mean) ** 2))) / (totals.length - 1);
  }
  return { variance, degrees };
}
