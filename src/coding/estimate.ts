import { ValidationError } from "../errors/index.js";
import { boolean, checkedOptions, invalid, nonEmptyString } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { checkedConfidence } from "../text/counting/rateInterval.js";
import { tBound } from "../text/distributions.js";
import { requireColumns, textsOf, valuesOf } from "../text/source/columns.js";
import { type By, Grouping } from "../text/source/grouping.js";
import { likeSource } from "../text/source/textSource.js";
import { groupBy } from "../util/groupBy.js";
import { sum } from "../util/sum.js";
import type { Codebook, Variable } from "./codebook.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";
import { type DesignVariance, designVariance } from "./designVariance.js";
import { checkPassages, rowKeys } from "./passages.js";

/** Options of {@link estimate}. */
export interface EstimateOptions {
  /** Codes by people of a random sample of the rows: of {@link readCodes}, or of {@link resolve}. */
  gold: PolarsFrame;
  /** Codes by a machine of all rows, of {@link codeWith}. Default: none, so that the estimate rests on the sample alone. */
  machine?: PolarsFrame | undefined;
  /** The variable, one with values. */
  variable: string;
  /** Columns or periods of the rows to estimate separately, for example `"party"`. Default: none. */
  by?: By | undefined;
  /** A column of the rows, for example `"personid"`, whose rows may resemble each other. Default: rows are independent within strata. */
  cluster?: string | undefined;
  /** Whether the estimate is about these rows alone, and not about all that they stand for: intervals then shrink with the share that was coded. Default false. */
  finite?: boolean | undefined;
  /**
   * Let the machine's codes count as much as makes the interval shortest, from not at all to in full, so that it is never wider than that of the
   * sample alone. `false` counts them in full, as the plain difference estimator does. Default true.
   */
  tune?: boolean | undefined;
  /** Probability that an interval contains the share. Default 0.95. */
  confidence?: number | undefined;
  /** The codebook. Default: that of the codes. */
  book?: Codebook | undefined;
}

const OPTIONS = ["gold", "machine", "variable", "by", "cluster", "finite", "tune", "confidence", "book"];

/**
 * Estimates the share of rows with each value of a variable.
 *
 * From the gold sample alone it is a weighted mean (Hájek). Machine codes of all rows correct it by how far the machine's share in the sample is from
 * that in all rows (prediction-powered inference, Angelopoulos et al. 2023, Science 382; design-based supervised learning, Egami et al. 2023,
 * NeurIPS), times a weight that makes the variance least (PPI++, Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453). It is right on average
 * however wrong the machine is; a good machine makes the interval shorter. Standard errors are linearised by strata, or by clusters;
 * intervals use Student's t. Shares with a standard error of 0, and intervals that go below 0 or above 1, are reported as warnings (`NO_VARIANCE`,
 * `BEYOND_SHARES`).
 *
 * @param frame all rows, the sample among them
 * @param options gold codes, machine codes, and what to estimate
 * @returns a row for each group and value: the columns of `by`, `value`, `rows`, `coded` (rows of the sample), `accuracy` of the machine in the sample,
 *   `naive` (the share in the machine's codes) with `naive_low` and `naive_high`, which ignore the machine's errors, its `weight`, `share` with `se`, `low` and
 *   `high`, `gold_share`, `gold_low` and `gold_high` from the sample alone, and `effective_rows`: the size of a simple random sample that would be as precise
 * @throws ValidationError for a gold sample without probabilities, for passages that are coded differently by several coders, for rows without machine codes, and
 *   for invalid options
 * @example
 * const shares = await estimate(frame, { gold: codes, machine, variable: "stance", by: "party" });
 */
export async function estimate(frame: PolarsFrame, options: EstimateOptions): Promise<PolarsFrame> {
  const given = checkedOptions(options, OPTIONS, "option of estimate");
  const population = checkPassages("frame", frame);
  if (given.gold === undefined) throw invalid("gold", given.gold, "Give codes of readCodes.");
  const book = codebookOf("gold", given.gold, given.book);
  const variable = variableOf(book, given.variable);
  if (variable.kind !== "choice") throw invalid("variable", variable.name, "Give a variable with values.");
  const confidence = checkedConfidence(given.confidence);
  const isWhole = boolean("finite", given.finite ?? false);
  const isTuned = boolean("tune", given.tune ?? true);
  const rows = rowKeys(population);
  const cluster = given.cluster === undefined ? [] : [nonEmptyString("cluster", given.cluster, "personid")];
  requireColumns(population, cluster, "frame");
  // A row without a value is a cluster of its own.
  const clusters = cluster.flatMap((name) => textsOf(population, name).map((value, at) => value ?? `\0${at}`));
  const gold = goldRows(given.gold, variable, rows, clusters);
  const machine = given.machine === undefined ? undefined : machineCodes(given.machine, variable, rows, book);
  const grouping = new Grouping(given.by);
  const groups = grouping.indexes(population, "frame");
  const varianceOf = designVariance(gold, isWhole);
  const lines = [...groupBy(groups.keys(), (at) => groups[at] as number)].flatMap(([group, own]) => {
    const weights = gold.map(({ at, probability }) => (groups[at] === group ? 1 / probability : 0));
    const total = sum(weights);
    const weighted = (values: readonly number[], size = total) =>
      sum(values.map((value, at) => value * (weights[at] as number))) / size;
    /** Each row's part of the error of a weighted mean; of a ratio of two weighted sums unless the center is 0. */
    const linearised = (values: readonly number[], size = total, center = weighted(values)) =>
      values.map((value, at) => ((value - center) * (weights[at] as number)) / size);
    const spread = (values: readonly number[]) => varianceOf(linearised(values)).variance;
    const accuracy = machine && weighted(gold.map(({ at, value }) => Number(machine[at] === value)));
    return variable.values.map((value) => {
      const people = gold.map((row) => Number(row.value === value));
      const alone = interval(weighted(people), varianceOf(linearised(people)), confidence);
      const fromGold = { gold_share: alone.share, gold_low: alone.low, gold_high: alone.high };
      const common = { group, value, rows: own.length, coded: weights.filter(Boolean).length, ...fromGold };
      if (machine === undefined) return { ...common, ...alone };
      const naive = sum(own.map((at) => Number(machine[at] === value))) / own.length;
      const sampling = { variance: (naive * (1 - naive)) / own.length, degrees: own.length - 1 };
      const { low: naive_low, high: naive_high } = interval(naive, sampling, confidence);
      const coded = gold.map(({ at }) => Number(machine[at] === value));
      // The weight with which the variance of people's codes minus those of the machine is least.
      const alike = spread(coded);
      const together = people.map((each, at) => each + (coded[at] as number));
      const best = alike > 0 ? (spread(together) - spread(people) - alike) / 2 / alike : 0;
      const weight = isTuned ? Math.min(1, Math.max(0, best)) : 1;
      const errors = people.map((each, at) => each - weight * (coded[at] as number));
      // The plain difference estimator divides by the known number of rows, the tuned one by the sum of weights, as the sample alone.
      const [size, center] = isTuned ? [total, undefined] : [total === 0 ? Number.NaN : own.length, 0];
      const share = weight * naive + weighted(errors, size);
      const both = interval(share, varianceOf(linearised(errors, size, center)), confidence);
      return { ...common, accuracy, naive, naive_low, naive_high, weight, ...both };
    });
  });
  // All rows of a group were coded, and only these count.
  const isCensus = (group: number) =>
    isWhole && gold.every(({ at, probability }) => groups[at] !== group || probability === 1);
  const certain = lines.filter(({ group, se }) => se === 0 && !isCensus(group)).length;
  const advice = "Code more rows, or estimate larger groups.";
  if (certain > 0) {
    const reason = "because the coded rows do not differ: their intervals are too narrow";
    warn("NO_VARIANCE", `${certain} of ${lines.length} shares have a standard error of 0, ${reason}. ${advice}`);
  }
  const beyond = lines.filter(({ low, high }) => low < 0 || high > 1).length;
  if (beyond > 0) {
    const reason = "because few rows are coded, or nearly all alike";
    warn("BEYOND_SHARES", `${beyond} of ${lines.length} intervals go below 0 or above 1, ${reason}. ${advice}`);
  }
  const known = lines.map((line): Record<string, unknown> => {
    return Object.fromEntries(Object.entries(line).filter(([, value]) => !Number.isNaN(value)));
  });
  const result = resultFrame([
    ...grouping.columns(lines.map(({ group }) => group)),
    ...columnsOf(known, pl.Utf8, "value"),
    ...columnsOf(known, pl.Int64, "rows", "coded"),
    ...columnsOf(known, pl.Float64, "accuracy", "naive", "naive_low", "naive_high", "weight"),
    ...columnsOf(known, pl.Float64, "share", "se", "low", "high"),
    ...columnsOf(known, pl.Float64, "gold_share", "gold_low", "gold_high", "effective_rows"),
  ]);
  return likeSource(frame, result, ["estimate", "summary", variable.name]);
}

function interval(share: number, { variance, degrees }: DesignVariance, confidence: number) {
  const se = Math.sqrt(variance);
  const half = (degrees > 0 ? tBound(confidence, degrees) : Number.NaN) * se;
  const effective = variance === 0 ? Number.NaN : (share * (1 - share)) / variance;
  return { share, se, low: share - half, high: share + half, effective_rows: effective };
}

/** The code of each passage. @throws ValidationError if its coders differ */
function singleCodes(name: string, codes: PolarsFrame, variable: Variable): ReadonlyMap<string, string> {
  const found = [...codesBy(codes, variable)].map(([row, own]) => [row, [...new Set(own.values())]] as const);
  if (found.length === 0)
    throw invalid(name, `a frame without codes of ${variable.name}`, "Give codes of at least two passages.");
  const differing = found.filter(([, values]) => values.length > 1).length;
  const message = `invalid ${name}: ${differing} passages are coded differently by several coders.`;
  const hint =
    'Decide with resolve(codes, decisions), or take one coder: codes.filter(pl.col("coder").eq(pl.lit("A"))).';
  if (differing > 0) throw new ValidationError(message, { hint, parameter: name });
  return new Map(found.map(([row, [value]]) => [row, String(value)]));
}

/** The coded rows of the sample; `at` is the row of the frame. */
function goldRows(gold: PolarsFrame, variable: Variable, rows: readonly string[], clusters: readonly string[]) {
  const place = new Map(rows.map((row, at) => [row, at]));
  const probability = probabilities(gold);
  const strata = textsOf(gold, "stratum");
  const sources = new Map(textsOf(gold, "row").map((row, at) => [row, at]));
  return [...singleCodes("gold", gold, variable)].map(([row, value]) => {
    const at = place.get(row);
    const hint = "The frame has no such passage: give the rows that the sample was drawn from, as they were then.";
    if (at === undefined) throw invalid("gold", row, hint);
    const source = sources.get(row) as number;
    const drawn = { probability: probability[source] as number, stratum: strata[source] ?? "" };
    return { at, value, ...drawn, unit: clusters[at] };
  });
}

/** The inclusion probability of every row. */
function probabilities(gold: PolarsFrame): readonly number[] {
  const values = valuesOf(gold, "probability");
  const isKnown = values.every((value) => typeof value === "number" && value > 0 && value <= 1);
  const hint = "Draw it with sampleRows or archive.sample, which know it, or add a column probability.";
  if (!isKnown)
    throw new ValidationError("invalid gold: the rows have no probability of being drawn.", {
      hint,
      parameter: "gold",
    });
  return values as readonly number[];
}

/** The machine's code of every row. */
function machineCodes(machine: PolarsFrame, variable: Variable, rows: readonly string[], book: Codebook) {
  const other = provenanceOf(machine)?.codebook;
  if (other !== undefined && other.hash !== book.hash)
    throw invalid("machine", `codes of codebook ${other.hash}`, `People have coded with codebook ${book.hash}.`);
  const codes = singleCodes("machine", machine, variable);
  const missing = rows.filter((row) => !codes.has(row)).length;
  const message = `invalid machine: ${missing} of ${rows.length} rows have no code of ${variable.name}.`;
  const hint = "Call codeWith(frame, …) again, without maxCalls, until every row has one.";
  if (missing > 0) throw new ValidationError(message, { hint, parameter: "machine" });
  return rows.map((row) => codes.get(row));
}
