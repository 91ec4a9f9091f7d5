import { sum } from "../util/sum.js";
import type { Scale } from "./codebook.js";

/** A passage that several coders have coded. A measure that is not defined is NaN. */
export interface Unit {
  /** Indexes of values, in the order of their coders: at least two. */
  readonly codes: readonly number[];
  /** How often it counts. The weights of all passages add up to their number. */
  readonly weight: number;
}

/** The share of pairs of codes of a passage that are equal. */
export function percentAgreement(units: readonly Unit[]): number {
  return weighted(units, equalPairs) / weighted(units, pairs);
}

/**
 * Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): any number of coders, and missing codes. 1 is
 * agreement, 0 what chance would give.
 *
 * @param values the values as numbers, for interval and ratio scales; their order for ordinal ones
 */
export function krippendorffAlpha(scale: Scale, values: readonly number[]) {
  return (units: readonly Unit[]): number => {
    const totals = countsOf(units, values.length);
    const points = scale === "ordinal" ? middleRanks(totals) : values;
    const distance = (a: number, b: number) => squaredDistance(scale, points, a, b);
    const observed = weighted(units, (codes) => sumOfPairs(codes, distance) / (codes.length - 1));
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
    const all = weighted(units, () => 1);
    const shares = countsOf(
      units.map(({ codes, weight }) => ({ codes, weight: weight / codes.length / all })),
      size,
    );
    const agreed = weighted(units, (codes) => equalPairs(codes) / pairs(codes)) / all;
    const chance = sum(shares.map((share) => share * (1 - share))) / (size - 1);
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
    const codesOf = (coder: number) =>
      units.map(({ codes, weight }) => ({ codes: codes.slice(coder, coder + 1), weight }));
    const [first, second] = [countsOf(codesOf(0), size), countsOf(codesOf(1), size)];
    const all = weighted(units, () => 1);
    const observed = weighted(units, equalPairs) / all;
    const expected = sum(first.map((count, value) => count * (second[value] as number))) / all ** 2;
    return expected === 1 ? Number.NaN : (observed - expected) / (1 - expected);
  };
}

function weighted(units: readonly Unit[], of: (codes: Unit["codes"]) => number): number {
  return sum(units.map(({ codes, weight }) => weight * of(codes)));
}

function countsOf(units: readonly Unit[], size: number): readonly number[] {
  const counts = new Array<number>(size).fill(0);
  for (const { codes, weight } of units) for (const value of codes) counts[value] = (counts[value] as number) + weight;
  return counts;
}

function pairs({ length }: Unit["codes"]): number {
  return (length * (length - 1)) / 2;
}

function equalPairs(codes: Unit["codes"]): number {
  return sumOfPairs(codes, (a, b) => (a === b ? 1 : 0));
}

function sumOfPairs(values: readonly number[], of: (a: number, b: number) => number): number {
  let total = 0;
  for (const [at, a] of values.entries())
    for (let before = 0; before < at; before++) total += of(a, values[before] as number);
  return total;
}
