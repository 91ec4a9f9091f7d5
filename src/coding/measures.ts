import { sum } from "../util/sum.js";
import type { Scale } from "./codebook.js";

/** How often each value was given to a passage, by value. Passages have at least two codes; a measure that is not defined is NaN. */
export type Unit = readonly number[];

/** The share of pairs of codes of a passage that are equal. */
export function percentAgreement(units: readonly Unit[]): number {
  let [equal, pairs] = [0, 0];
  for (const unit of units) {
    const codes = sum(unit);
    pairs += codes * (codes - 1);
    for (const count of unit) equal += count * (count - 1);
  }
  return equal / pairs;
}

/**
 * Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): any number of coders, and missing codes. 1 is
 * agreement, 0 what chance would give.
 *
 * @param values the values as numbers, for interval and ratio scales; their order for ordinal ones
 */
export function krippendorffAlpha(scale: Scale, values: readonly number[]) {
  return (units: readonly Unit[]) => {
    const totals = values.map((_value, at) => sum(units.map((unit) => unit[at] as number)));
    const points = scale === "ordinal" ? middleRanks(totals) : values;
    // The distances between all pairs of codes.
    const spread = (counts: Unit) => {
      const given = [...counts.keys()].filter((at) => counts[at] !== 0);
      let total = 0;
      for (const [place, a] of given.entries())
        for (const b of given.slice(0, place))
          total += 2 * (counts[a] as number) * (counts[b] as number) * squaredDistance(scale, points, a, b);
      return total;
    };
    const observed = sum(units.map((unit) => spread(unit) / (sum(unit) - 1)));
    const expected = spread(totals) / (sum(totals) - 1);
    return expected === 0 ? Number.NaN : 1 - observed / expected;
  };
}

/** The rank in the middle of all codes of a value: the distance of two ordinal values is that of their ranks. */
function middleRanks(totals: Unit): readonly number[] {
  let below = 0;
  return totals.map((count) => {
    below += count;
    return below - count / 2;
  });
}

function squaredDistance(scale: Scale, points: readonly number[], a: number, b: number): number {
  const [x, y] = [points[a] as number, points[b] as number];
  if (scale === "nominal") return 1;
  return (x === y ? 0 : scale === "ratio" ? (x - y) / (x + y) : x - y) ** 2;
}

/**
 * Gwet's AC1 (Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high agreement", British Journal of Mathematical
 * and Statistical Psychology 61): stays near the observed agreement where nearly all codes are the same value, and kappa falls to zero.
 */
export function gwetAc1(units: readonly Unit[]): number {
  const shares = (units[0] ?? []).map(() => 0);
  let agreed = 0;
  for (const unit of units) {
    const codes = sum(unit);
    unit.forEach((count, value) => {
      shares[value] = (shares[value] as number) + count / codes / units.length;
      agreed += (count * (count - 1)) / (codes * (codes - 1)) / units.length;
    });
  }
  const chance = sum(shares.map((share) => share * (1 - share))) / (shares.length - 1);
  return (agreed - chance) / (1 - chance);
}

/**
 * Cohen's kappa of two coders (Cohen 1960, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20).
 *
 * @param pairs the values of both coders for each passage, as indexes
 */
export function cohenKappa(pairs: readonly (readonly [number, number])[], size: number): number {
  const [first, second] = [new Array<number>(size).fill(0), new Array<number>(size).fill(0)];
  for (const [a, b] of pairs) {
    first[a] = (first[a] as number) + 1;
    second[b] = (second[b] as number) + 1;
  }
  const observed = pairs.filter(([a, b]) => a === b).length / pairs.length;
  const expected = sum(first.map((count, value) => count * (second[value] as number))) / pairs.length ** 2;
  return expected === 1 ? Number.NaN : (observed - expected) / (1 - expected);
}
