import { sum } from "../util/sum.js";
import type { Scale } from "./codebook.js";

/** The codes of a passage, as indexes of values, in the order of their coders: at least two. A measure that is not defined is NaN. */
export type Unit = readonly number[];

/** The share of pairs of codes of a passage that are equal. */
export function percentAgreement(units: readonly Unit[]): number {
  return sum(units.map(equalPairs)) / sum(units.map(pairs));
}

/**
 * Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): any number of coders, and missing codes. 1 is
 * agreement, 0 what chance would give.
 *
 * @param values the values as numbers, for interval and ratio scales; their order for ordinal ones
 */
export function krippendorffAlpha(scale: Scale, values: readonly number[]) {
  return (units: readonly Unit[]): number => {
    const totals = countsOf(units.flat(), values.length);
    const points = scale === "ordinal" ? middleRanks(totals) : values;
    const distance = (a: number, b: number) => squaredDistance(scale, points, a, b);
    const observed = sum(units.map((unit) => sumOfPairs(unit, distance) / (unit.length - 1)));
    const given = [...totals.keys()].filter((value) => totals[value] !== 0);
    const all = sumOfPairs(given, (a, b) => (totals[a] as number) * (totals[b] as number) * distance(a, b));
    return all === 0 ? Number.NaN : 1 - observed / (all / (sum(totals) - 1));
  };
}

/** The rank in the middle of all codes of a value: the distance of two ordinal values is that of their ranks. */
function middleRanks(totals: readonly number[]): readonly number[] {
  let below = 0;
  return totals.map((count) => {
    below += count;
    return below - count / 2;
  });
}

function squaredDistance(scale: Scale, points: readonly number[], a: number, b: number): number {
  const [x, y] = [points[a] as number, points[b] as number];
  if (a === b || scale === "nominal") return a === b ? 0 : 1;
  if (scale === "ratio") return x + y === 0 ? 0 : ((x - y) / (x + y)) ** 2;
  return (x - y) ** 2;
}

/**
 * Gwet's AC1 (Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high agreement", British Journal of Mathematical
 * and Statistical Psychology 61): stays near the observed agreement where nearly all codes are the same value, and kappa falls to zero.
 *
 * @param size the number of values
 */
export function gwetAc1(size: number) {
  return (units: readonly Unit[]): number => {
    const shares = new Array<number>(size).fill(0);
    for (const unit of units) for (const value of unit) shares[value] = (shares[value] as number) + 1 / unit.length;
    const agreed = sum(units.map((unit) => equalPairs(unit) / pairs(unit))) / units.length;
    const chance = sum(shares.map((share) => (share / units.length) * (1 - share / units.length))) / (size - 1);
    return (agreed - chance) / (1 - chance);
  };
}

/**
 * Cohen's kappa of two coders (Cohen 1960, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20).
 *
 * @param size the number of values
 */
export function cohenKappa(size: number) {
  return (units: readonly Unit[]): number => {
    const codesOf = (coder: number) => units.map((unit) => unit[coder] as number);
    const [first, second] = [countsOf(codesOf(0), size), countsOf(codesOf(1), size)];
    const observed = sum(units.map(equalPairs)) / units.length;
    const expected = sum(first.map((count, value) => count * (second[value] as number))) / units.length ** 2;
    return expected === 1 ? Number.NaN : (observed - expected) / (1 - expected);
  };
}

function countsOf(values: readonly number[], size: number): readonly number[] {
  const counts = new Array<number>(size).fill(0);
  for (const value of values) counts[value] = (counts[value] as number) + 1;
  return counts;
}

function pairs({ length }: Unit): number {
  return (length * (length - 1)) / 2;
}

function equalPairs(unit: Unit): number {
  return sumOfPairs(unit, (a, b) => (a === b ? 1 : 0));
}

function sumOfPairs(values: readonly number[], of: (a: number, b: number) => number): number {
  let total = 0;
  for (const [at, a] of values.entries())
    for (let before = 0; before < at; before++) total += of(a, values[before] as number);
  return total;
}
