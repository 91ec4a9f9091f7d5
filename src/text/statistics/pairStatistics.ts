import { term } from "./logLikelihood.js";

/** How often two words stand side by side. */
export interface Pairs {
  /** Both words. */
  readonly count: number;
  /** Any pair with the first word first. */
  readonly left: number;
  /** Any pair with the second word second. */
  readonly right: number;
  /** All pairs. */
  readonly total: number;
}

/** Measures of association in the two-by-two table of a pair of words. */
export function pairStatistics({ count, left, right, total }: Pairs) {
  const cells = [count, left - count, right - count, total - left - right + count] as const;
  const [other, rest] = [total - left, total - right];
  const expected = [(left * right) / total, (left * rest) / total, (other * right) / total, (other * rest) / total];
  const [both, first, second, neither] = cells.map((cell) => cell + 0.5) as [number, number, number, number];
  return {
    expected: expected[0] as number,
    log_likelihood: 2 * cells.reduce((sum, cell, at) => sum + term(cell, expected[at] as number), 0),
    pmi: Math.log2(count / (expected[0] as number)),
    z: Math.log((both * neither) / (first * second)) / Math.sqrt(1 / both + 1 / first + 1 / second + 1 / neither),
  };
}
