/** How evenly something is spread over the parts of a body of speech. */
export interface DispersionMeasures {
  /** 1 for a perfectly even spread, near 0 for everything in one part; null for fewer than two parts. */
  readonly juilland_d: number | null;
  /** 0 for a spread in proportion to the size of the parts, near 1 for everything in a small part. */
  readonly dp: number;
  /** `dp` divided by its maximum, so that it can reach 1; null for one part. */
  readonly dp_norm: number | null;
}

/**
 * Juilland's D from relative frequencies (Juilland, Brodin and Davidovitch 1970), Gries' deviation of proportions (Gries 2008,
 * "Dispersions and adjusted frequencies in corpora") and its normalized form (Lijffijt and Gries 2012).
 *
 * @param counts occurrences in each part, at least one in all
 * @param sizes the size of each part, above 0
 */
export function dispersionOf(counts: readonly number[], sizes: readonly number[]): DispersionMeasures {
  const [occurrences, size] = [sum(counts), sum(sizes)];
  const parts = counts.length;
  const rates = counts.map((count, part) => count / (sizes[part] as number));
  const mean = sum(rates) / parts;
  const deviation = Math.sqrt(sum(rates.map((rate) => (rate - mean) ** 2)) / parts);
  const shares = sizes.map((each) => each / size);
  const dp = sum(counts.map((count, part) => Math.abs(count / occurrences - (shares[part] as number)))) / 2;
  const smallest = shares.reduce((least, share) => Math.min(least, share), 1);
  return {
    juilland_d: parts < 2 ? null : 1 - deviation / mean / Math.sqrt(parts - 1),
    dp,
    dp_norm: parts < 2 ? null : dp / (1 - smallest),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
