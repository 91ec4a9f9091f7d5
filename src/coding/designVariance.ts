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
  const strata = new Map<string, { readonly units: Map<unknown, number>; probability: number }>();
  rows.forEach(({ stratum, unit, probability }, at) => {
    const key = isClustered ? "" : stratum;
    const known = strata.get(key) ?? { units: new Map<unknown, number>(), probability };
    strata.set(key, known);
    const own = unit ?? at;
    known.units.set(own, (known.units.get(own) ?? 0) + (values[at] as number));
  });
  let [variance, degrees] = [0, 0];
  for (const { units, probability } of strata.values()) {
    const totals = [...units.values()];
    const mean = totals.reduce((sum, value) => sum + value, 0) / totals.length;
    const squares = totals.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    degrees += totals.length - 1;
    // A stratum with one row says nothing about its variance.
    if (totals.length > 1)
      variance += (squares * totals.length * (isWhole && !isClustered ? 1 - probability : 1)) / (totals.length - 1);
  }
  return { variance, degrees };
}
