import { ValidationError } from "../errors/index.js";
import { checkedOptions, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { percentiles } from "../text/counting/bootstrap.js";
import { checkedConfidence } from "../text/counting/rateInterval.js";
import { textsOf } from "../text/source/columns.js";
import { isWeighted, RowWeights, type WeightsOption } from "../text/source/rowWeights.js";
import { likeSource } from "../text/source/textSource.js";
import { fastRandom } from "../util/seededRandom.js";
import { sum } from "../util/sum.js";
import type { Codebook, Variable } from "./codebook.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";
import { cohenKappa, gwetAc1, krippendorffAlpha, percentAgreement, type Unit } from "./measures.js";

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
  const variables = given.variables?.map((name) => variableOf(book, name)) ?? decided;
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
  const passages = [...codesBy(codes, variable)].filter(([, own]) => own.size >= 2);
  if (passages.length === 0) return [];
  const shared = passages.map(([, own]) => own);
  const weights = passages.map(([row]) => weightOf.get(row) as number);
  const mean = sum(weights) / weights.length;
  const numbers = new Set(shared.flatMap((own) => [...own.values()]));
  const values = variable.kind === "choice" ? variable.values : [...numbers].sort((a, b) => Number(a) - Number(b));
  const place = new Map<string | number, number>(values.map((value, at) => [value, at]));
  const coders = [...new Set(shared.flatMap((own) => [...own.keys()]))];
  const units = shared.map((own, at): Unit => {
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
