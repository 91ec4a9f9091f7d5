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
 * Computes variances of totals of linearised values (Särndal, Swensson and Wretman 1992, "Model assisted survey sampling", chapter 5): between the rows
 * of each stratum, or between clusters, whose rows may come from several strata.
 *
 * @param rows of the sample
 * @param isWhole whether a stratum that was coded as a whole has no variance (the finite population correction); not for clusters
 * @returns a function of the values, one for each row of the sample and 0 outside of a group; its degrees of freedom are rows minus strata, or clusters
 *   minus one
 */
export function designVariance(
  rows: readonly SampledRow[],
  isWhole: boolean,
): (values: readonly number[]) => DesignVariance {
  const isClustered = rows.some(({ unit }) => unit !== undefined);
  const byStratum = groupBy(rows.keys(), (at) => (isClustered ? "" : rows[at]?.stratum));
  const strata = [...byStratum.values()].map((stratum) => ({
    units: [...groupBy(stratum, (at) => rows[at]?.unit ?? at).values()],
    open: isWhole && !isClustered ? 1 - (rows[stratum[0] as number]?.probability as number) : 1,
  }));
  const degrees = sum(strata.map(({ units }) => units.length - 1));
  return (values) => {
    let variance = 0;
    for (const { units, open } of strata) {
      // A stratum with one row says nothing about its variance.
      if (units.length === 1) continue;
      const totals = units.map((own) => sum(own.map((at) => values[at] as number)));
      const mean = sum(totals) / totals.length;
      variance += (open * totals.length * sum(totals.map((each) => (each - mean) ** 2))) / (totals.length - 1);
    }
    return { variance, degrees };
  };
}
