import { ValidationError } from "../errors/index.js";
import { checkedOptions, nameList, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { percentiles } from "../text/counting/bootstrap.js";
import { checkedConfidence } from "../text/counting/rateRows.js";
import { textsOf } from "../text/source/columns.js";
import { isWeighted, RowWeights, type WeightsOption } from "../text/source/rowWeights.js";
import { likeSource } from "../text/source/textSource.js";
import { byCodeUnit } from "../util/byCodeUnit.js";
import { fastRandom } from "../util/seededRandom.js";
import { sum } from "../util/sum.js";
import type { Codebook, Scale, Variable } from "./codebook.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";

/** Options of {@link agreement}. */
export interface AgreementOptions extends WeightsOption {
  /** Variables to compare. Default: all but notes. */
  variables?: readonly string[] | undefined;
  /** Rounds of the bootstrap. Default 1000. */
  rounds?: number | undefined;
  /** Start of its random numbers. Default 1. */
  seed?: number | undefined;
  /** Probability that an interval contains the value. Default 0.95. */
  confidence?: number | undefined;
  /** The codebook. Default: that of the codes, which follows them through verbs. */
  book?: Codebook | undefined;
}

/**
 * How far coders agree: percent agreement, Krippendorff's alpha on the scale of the variable, Gwet's AC1, and for two coders Cohen's kappa.
 * Passages with codes of one coder alone do not count; those of a sample count as often as they stand for others (`weights: false` for the passages at hand). Intervals are percentiles of a bootstrap over passages (Hayes and Krippendorff 2007,
 * "Answering the call for a standard reliability measure for coding data", Communication Methods and Measures 1).
 *
 * Krippendorff advises alpha of at least 0.8, and 0.667 for tentative conclusions.
 *
 * @param codes of {@link readCodes}, filtered or not
 * @returns `variable`, `measure`, `coders`, `units` (passages with at least two codes), `value`, `low` and `high`; a value that is not defined is
 *   null, as alpha is if every code is the same, and as the interval is if no passage has different codes
 * @throws ValidationError if no passage has two codes, or for invalid options
 * @example
 * const found = agreement(codes);
 * found.getColumn("measure").toArray(); //=> ["percent", "alpha", "ac1", "kappa"]
 */
export function agreement(codes: PolarsFrame, options: AgreementOptions = {}): PolarsFrame {
  const names = ["variables", "rounds", "seed", "confidence", "weights", "book"];
  const given = checkedOptions(options, names, "option of agreement");
  const book = codebookOf("codes", codes, given.book);
  const decided = book.variables.filter(({ kind }) => kind !== "text");
  const named = given.variables && nameList("variables", given.variables, "stance");
  const variables = named?.map((name) => variableOf(book, name)) ?? decided;
  const rounds = positiveInteger("rounds", given.rounds ?? 1000, 1000);
  const confidence = checkedConfidence(given.confidence);
  const random = fastRandom(nonNegativeInteger("seed", given.seed ?? 1, 1));
  const { weights } = new RowWeights(given.weights).of(codes, "codes") ?? {};
  const weightOf = new Map(textsOf(codes, "row").map((row, at) => [row, weights?.[at] ?? 1]));
  const lines = variables.flatMap((variable) => compared(codes, variable, weightOf, rounds, confidence, random));
  const hint = "Give coders some passages in common: codingPage(…, { overlap: 100 }).";
  if (lines.length === 0)
    throw new ValidationError("invalid codes: no passage has codes of two coders.", { hint, parameter: "codes" });
  const frame = resultFrame([
    ...columnsOf(lines, pl.Utf8, "variable", "measure"),
    ...columnsOf(lines, pl.Int64, "coders", "units"),
    ...columnsOf(lines, pl.Float64, "value", "low", "high"),
  ]);
  const facts = {
    variables: variables.map(({ name }) => name),
    measures: "percent agreement, alpha, AC1 and, of two, kappa",
    rounds,
    confidence,
    weighted: isWeighted(codes, given.weights),
  };
  return likeSource(codes, frame, ["agreement", "summary", facts]);
}

function compared(
  codes: PolarsFrame,
  variable: Variable,
  weightOf: ReadonlyMap<string | null, number>,
  rounds: number,
  confidence: number,
  random: () => number,
) {
  // In an order of their own, so that the bootstrap does not depend on that of rows.
  const passages = [...codesBy(codes, variable)]
    .filter(([, own]) => own.size >= 2)
    .sort(([a], [b]) => byCodeUnit(a, b));
  if (passages.length === 0) return [];
  const weights = passages.map(([row]) => weightOf.get(row) as number);
  const mean = sum(weights) / weights.length;
  const numbers = new Set(passages.flatMap(([, own]) => [...own.values()]));
  const values = variable.kind === "choice" ? variable.values : [...numbers].sort((a, b) => Number(a) - Number(b));
  const place = new Map<string | number, number>(values.map((value, at) => [value, at]));
  const coders = [...new Set(passages.flatMap(([, own]) => [...own.keys()]))];
  const units = passages.map(([, own], at): Unit => {
    const codes = coders.flatMap((coder) => (own.has(coder) ? [place.get(own.get(coder) as string) as number] : []));
    return { codes, weight: (weights[at] as number) / mean };
  });
  const isNumber = variable.scale === "interval" || variable.scale === "ratio";
  const measures = Object.entries({
    percent: percentAgreement,
    alpha: krippendorffAlpha(variable.scale, isNumber ? values.map(Number) : [...values.keys()]),
    ac1: gwetAc1(values.length),
    ...(coders.length === 2 && { kappa: cohenKappa(values.length) }),
  }).map(([measure, of]) => ({ measure, of, drawn: [] as number[] }));
  const isEqual = units.every(({ codes: [first, ...others] }) => others.every((code) => code === first));
  for (let round = 0; round < rounds; round++) {
    const draw = units.map(() => units[Math.floor(random() * units.length)] as Unit);
    for (const { of, drawn } of measures) drawn.push(of(draw));
  }
  return measures.map(({ measure, of, drawn }) => {
    const known = drawn.filter((value) => !Number.isNaN(value));
    // Where no passage differs, no draw does: that says nothing about how sure it is.
    const { low, high } =
      known.length === 0 || isEqual ? { low: null, high: null } : percentiles(known, (1 - confidence) / 2);
    const found = of(units);
    const value = Number.isNaN(found) ? null : found;
    return { variable: variable.name, measure, coders: coders.length, units: units.length, value, low, high };
  });
}

/** A passage that several coders have coded. A measure that is not defined is NaN. */
interface Unit {
  /** Indexes of values, in the order of their coders: at least two. */
  readonly codes: readonly number[];
  /** How often it counts. The weights of all passages add up to their number. */
  readonly weight: number;
}

/** The share of pairs of codes of a passage that are equal. */
function percentAgreement(units: readonly Unit[]): number {
  return weighted(units, equalPairs) / weighted(units, pairs);
}

/**
 * Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): any number of coders, and missing codes. 1 is
 * agreement, 0 what chance would give.
 *
 * @param values the values as numbers, for interval and ratio scales; their order for ordinal ones
 */
function krippendorffAlpha(scale: Scale, values: readonly number[]) {
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
function gwetAc1(size: number) {
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
function cohenKappa(size: number) {
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
