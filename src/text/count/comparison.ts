import { differenceOf, logRatioOf, type Ratio } from "../interval.js";
import type { PatternCounts } from "./patternCounts.js";
import { rateRow, type Side, unitOf } from "./rateRows.js";

export type Comparison = ReturnType<typeof comparison>;

/** The rates of two sides, their difference, and their ratio, which is null if one of them is 0. */
export function comparison(counts: PatternCounts, sides: readonly [Side, Side]) {
  const { design, per, sample } = counts;
  const [a, b] = sides.map(([group, pattern]) => counts.ratio(group, pattern)) as [Ratio, Ratio];
  const unit = unitOf(per);
  const { value, low, high, p } = differenceOf(a, b, design);
  const scaled = (bound: number | null) => (bound === null ? null : bound * unit);
  const logs = a.count > 0 && b.count > 0 ? logRatioOf(a, b, design) : undefined;
  const factor = (log: number | null | undefined) => (log == null ? null : Math.exp(log));
  const leftOut = sample.leftOut(...new Set(sides.map(([group]) => group)));
  return {
    rates: [rateRow(counts, sides[0], a, leftOut), rateRow(counts, sides[1], b, leftOut)] as const,
    ...{ difference: value * unit, difference_low: scaled(low), difference_high: scaled(high), p },
    ...{ ratio: factor(logs?.value), ratio_low: factor(logs?.low), ratio_high: factor(logs?.high) },
    /** How many different ones both sides have together. */
    clusters: [...a.sums.denominators].filter((said, at) => said + (b.sums.denominators[at] as number) > 0).length,
  };
}
