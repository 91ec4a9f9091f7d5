import type { Scale } from "./codebook.js";

/** How often each value was given to a passage, by value. */
export type Unit = readonly number[];

/** A measure of agreement of passages with at least two codes; NaN if it is not defined. */
export type Measure = (units: readonly Unit[]) => number;

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
export function krippendorffAlpha(scale: Scale, values: readonly number[]): Measure {
  return (units) => {
    const size = values.length;
    const totals = new Array<number>(size).fill(0);
    const coincidences = values.map(() => new Array<number>(size).fill(0));
    for (const unit of units) {
      const codes = sum(unit);
      if (codes < 2) continue;
      for (let a = 0; a < size; a++) {
        const count = unit[a] as number;
        if (count === 0) continue;
        totals[a] = (totals[a] as number) + count;
        const row = coincidences[a] as number[];
        for (let b = 0; b < size; b++)
          row[b] = (row[b] as number) + (count * ((unit[b] as number) - (a === b ? 1 : 0))) / (codes - 1);
      }
    }
    const distance = distances(scale, values, totals);
    let [observed, expected] = [0, 0];
    for (let a = 0; a < size; a++)
      for (let b = 0; b < size; b++) {
        const apart = distance(a, b);
        observed += ((coincidences[a] as number[])[b] as number) * apart;
        expected += (totals[a] as number) * (totals[b] as number) * apart;
      }
    return expected === 0 ? Number.NaN : 1 - ((sum(totals) - 1) * observed) / expected;
  };
}

function distances(
  scale: Scale,
  values: readonly number[],
  totals: readonly number[],
): (a: number, b: number) => number {
  const at = (index: number) => values[index] as number;
  switch (scale) {
    case "nominal":
      return (a, b) => (a === b ? 0 : 1);
    case "ordinal":
      return (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const between = sum(totals.slice(low, high + 1)) - ((totals[low] as number) + (totals[high] as number)) / 2;
        return a === b ? 0 : between ** 2;
      };
    case "interval":
      return (a, b) => (at(a) - at(b)) ** 2;
    case "ratio":
      return (a, b) => (at(a) + at(b) === 0 ? 0 : ((at(a) - at(b)) / (at(a) + at(b))) ** 2);
  }
}

/**
 * Gwet's AC1 (Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high agreement", British Journal of Mathematical
 * and Statistical Psychology 61): stays near the observed agreement where nearly all codes are the same value, and kappa falls to zero.
 */
export function gwetAc1(units: readonly Unit[]): number {
  const size = units[0]?.length ?? 0;
  const shares = new Array<number>(size).fill(0);
  let agreed = 0;
  for (const unit of units) {
    const codes = sum(unit);
    unit.forEach((count, value) => {
      shares[value] = (shares[value] as number) + count / codes / units.length;
      agreed += (count * (count - 1)) / (codes * (codes - 1)) / units.length;
    });
  }
  const chance = sum(shares.map((share) => share * (1 - share))) / (size - 1);
  return (agreed - chance) / (1 - chance);
}

/**
 * Cohen's kappa of two coders (Cohen 1960, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20).
 *
 * @param pairs the values of both coders for each passage, as indexes
 */
export function cohenKappa(pairs: readonly (readonly [number, number])[], size: number): number {
  const [first, second] = [new Array<number>(size).fill(0), new Array<number>(size).fill(0)];
  let equal = 0;
  for (const [a, b] of pairs) {
    first[a] = (first[a] as number) + 1;
    second[b] = (second[b] as number) + 1;
    if (a === b) equal++;
  }
  const observed = equal / pairs.length;
  const expected = sum(first.map((count, value) => count * (second[value] as number))) / pairs.length ** 2;
  return expected === 1 ? Number.NaN : (observed - expected) / (1 - expected);
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
