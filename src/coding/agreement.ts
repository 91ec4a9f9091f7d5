import { ValidationError } from "../errors/index.js";
import { checkedOptions, nameList } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { withStep } from "../text/read/textSource.js";
import { sum } from "../util/lists.js";
import { joinWords } from "../util/text.js";
import type { Codebook, Scale, Variable } from "./codebook.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";

/** Options of {@link agreement}. */
export interface AgreementOptions {
  /** Variables to compare. Default: all but notes. */
  variables?: readonly string[] | undefined;
  /** The codebook. Default: that of the codes. */
  book?: Codebook | undefined;
}

/**
 * Measures how far coders agree: percent agreement, Krippendorff's alpha on the scale of the variable, and for two coders Cohen's kappa.
 * Three or more coders are also compared in pairs. Passages with codes of one coder alone do not count.
 *
 * Krippendorff advises alpha of at least 0.8, and 0.667 for tentative conclusions.
 *
 * @param codes of `readCodes`
 * @returns `variable`, `measure`, `coder_a` and `coder_b` (null for all coders together), `coders`, `units` (passages with at least two
 * codes) and `value`, null if it is not defined, as alpha is if every code is the same
 * @throws ValidationError if no passage has two codes
 * @example
 * const measured = agreement(codes);
 * measured.getColumn("measure").toArray(); //=> ["percent", "alpha", "kappa"]
 */
export function agreement(codes: PolarsFrame, options: AgreementOptions = {}): PolarsFrame {
  const checked = checkedOptions(options, ["variables", "book"], "option of agreement");
  const book = codebookOf("codes", codes, checked.book);
  const names = checked.variables && nameList("variables", checked.variables, "stance");
  const variables =
    names?.map((name) => variableOf(book, name)) ?? book.variables.filter(({ kind }) => kind !== "text");
  const lines = variables.flatMap((variable) => measureRows(codes, variable));
  const hint = "Give coders some passages in common: codingPage(…, { overlap: 100 }).";
  if (lines.length === 0)
    throw new ValidationError("invalid codes: no passage has codes of two coders.", { hint, parameter: "codes" });
  const frame = resultFrame([
    ...columnsOf(lines, pl.Utf8, "variable", "measure", "coder_a", "coder_b"),
    ...columnsOf(lines, pl.Int64, "coders", "units"),
    ...columnsOf(lines, pl.Float64, "value"),
  ]);
  const variableNames = joinWords(variables.map(({ name }) => name));
  const text = `tested for how far coders agree about ${variableNames} (percent agreement, alpha and, of two, kappa)`;
  return withStep(codes, frame, "agreement", text);
}

/** The measures of all coders and, if there are more than two, of each pair. */
function measureRows(codes: PolarsFrame, variable: Variable) {
  const passages = [...codesBy(codes, variable).values()].filter((byCoder) => byCoder.size >= 2);
  const coders = [...new Set(passages.flatMap((byCoder) => [...byCoder.keys()]))];
  const pairs = coders.flatMap((a, at) => coders.slice(at + 1).map((b) => [a, b]));
  return [coders, ...(coders.length > 2 ? pairs : [])].flatMap((group, at) => {
    const [coder_a, coder_b] = at === 0 ? [null, null] : group;
    return measuresOf(passages, variable, group).map((line) => ({ ...line, coder_a, coder_b }));
  });
}

function measuresOf(
  passages: readonly ReadonlyMap<string, string | number>[],
  variable: Variable,
  coders: readonly string[],
) {
  const codesOfPassages = passages
    .map((codes) => coders.flatMap((coder) => codes.get(coder) ?? []))
    .filter(({ length }) => length >= 2);
  if (codesOfPassages.length === 0) return [];
  const numbers = [...new Set(codesOfPassages.flat())].sort((a, b) => Number(a) - Number(b));
  const values = variable.kind === "choice" ? variable.values : numbers;
  const place = new Map<string | number, number>(values.map((value, at) => [value, at]));
  const units = codesOfPassages.map((codes): Unit => codes.map((code) => place.get(code) as number));
  const isNumber = variable.scale === "interval" || variable.scale === "ratio";
  const measures = {
    percent: percentAgreement(units),
    alpha: krippendorffAlpha(units, variable.scale, isNumber ? values.map(Number) : [...values.keys()]),
    ...(coders.length === 2 && { kappa: cohenKappa(units, values.length) }),
  };
  return Object.entries(measures).map(([measure, value]) => {
    const facts = { variable: variable.name, measure, coders: coders.length, units: units.length };
    return { ...facts, value: Number.isNaN(value) ? null : value };
  });
}

/** Two or more codes of a passage, as indexes of values. Measures that are not defined are NaN. */
type Unit = readonly number[];

/** The share of pairs of codes of a passage that are equal. */
function percentAgreement(units: readonly Unit[]): number {
  return sum(units.map(equalPairs)) / sum(units.map(({ length }) => (length * (length - 1)) / 2));
}

/**
 * Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): any number of coders, and missing codes. 1 is
 * agreement, 0 what chance would give.
 *
 * @param values the values as numbers, for interval and ratio scales; their order for ordinal ones
 */
function krippendorffAlpha(units: readonly Unit[], scale: Scale, values: readonly number[]): number {
  const totals = countsOf(units.flat(), values.length);
  const points = scale === "ordinal" ? middleRanks(totals) : values;
  const distance = (a: number, b: number) => squaredDistance(scale, points, a, b);
  const observed = sum(units.map((codes) => sumOfPairs(codes, distance) / (codes.length - 1)));
  const indexes = [...totals.keys()].filter((value) => totals[value] !== 0);
  const expected =
    sumOfPairs(indexes, (a, b) => (totals[a] as number) * (totals[b] as number) * distance(a, b)) / (sum(totals) - 1);
  return expected === 0 ? Number.NaN : 1 - observed / expected;
}

/** The mean rank of each value among all codes, whose differences are the distances of ordinal values. */
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
 * Cohen's kappa of two coders (Cohen 1960, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20).
 *
 * @param size the number of values
 */
function cohenKappa(units: readonly Unit[], size: number): number {
  const codesOf = (coder: number) => units.map((codes) => codes[coder] as number);
  const [first, second] = [countsOf(codesOf(0), size), countsOf(codesOf(1), size)];
  const observed = sum(units.map(equalPairs)) / units.length;
  const expected = sum(first.map((count, value) => count * (second[value] as number))) / units.length ** 2;
  return expected === 1 ? Number.NaN : (observed - expected) / (1 - expected);
}

function countsOf(codes: readonly number[], size: number): readonly number[] {
  const counts = new Array<number>(size).fill(0);
  for (const value of codes) counts[value] = (counts[value] as number) + 1;
  return counts;
}

function equalPairs(codes: Unit): number {
  return sumOfPairs(codes, (a, b) => (a === b ? 1 : 0));
}

function sumOfPairs(values: readonly number[], of: (a: number, b: number) => number): number {
  let total = 0;
  for (const [at, a] of values.entries())
    for (let before = 0; before < at; before++) total += of(a, values[before] as number);
  return total;
}
