import { ValidationError } from "../errors/index.js";
import { boolean, checkedOptions, invalid, nonEmptyString } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { tBound } from "../text/distributions.js";
import { textsOf, valuesOf } from "../text/source/columns.js";
import { type By, Grouping } from "../text/source/grouping.js";
import { likeSource, missingColumns } from "../text/source/textSource.js";
import { checkConfidence } from "./agreement.js";
import type { Codebook } from "./codebook.js";
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
 * intervals use Student's t.
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
  const book = codebookOf(given.gold, given.book);
  const variable = variableOf(book, given.variable);
  if (variable.kind !== "choice") throw invalid("variable", variable.name, "Give a variable with values.");
  const confidence = checkConfidence(given.confidence ?? 0.95);
  const isWhole = given.finite !== undefined && boolean("finite", given.finite);
  const isTuned = given.tune === undefined || boolean("tune", given.tune);
  const rows = rowKeys(population);
  const gold = goldRows(given.gold, variable, new Map(rows.map((row, at) => [row, at])));
  const machine = given.machine === undefined ? undefined : machineCodes(given.machine, variable, rows, book);
  const clusters = given.cluster === undefined ? undefined : clusterOf(population, given.cluster);
  const design = gold.map((row) => ({ ...row, unit: clusters?.[row.at] }));
  const grouping = new Grouping(given.by);
  const groups = grouping.indexes(population, "frame");
  const varianceOf = (linearised: readonly number[]) => designVariance(design, linearised, isWhole);
  const intervalOf = (share: number, linearised: readonly number[]) =>
    interval(share, varianceOf(linearised), confidence);
  const lines = [...new Set(groups)].flatMap((group) => {
    const own = groups.flatMap((each, at) => (each === group ? [at] : []));
    const weights = gold.map(({ at, probability }) => (groups[at] === group ? 1 / probability : 0));
    const coded = weights.filter((weight) => weight > 0).length;
    const weighted = (values: readonly number[]) => values.map((value, at) => value * (weights[at] as number));
    const all = sum(weights);
    const accuracy = machine && sum(weighted(gold.map(({ at, value }) => (machine[at] === value ? 1 : 0)))) / all;
    return variable.values.map((value) => {
      const human = gold.map((row) => (row.value === value ? 1 : 0));
      const share = sum(weighted(human)) / all;
      const byPeople = weighted(human.map((each) => (each - share) / all));
      const fromGold = intervalOf(share, byPeople);
      const common = {
        group,
        value,
        rows: own.length,
        coded,
        gold_share: share,
        gold_low: fromGold.low,
        gold_high: fromGold.high,
      };
      if (machine === undefined) return { ...NO_MACHINE, ...common, ...fromGold };
      const naive = sum(own.map((at) => (machine[at] === value ? 1 : 0))) / own.length;
      const naiveVariance = { variance: (naive * (1 - naive)) / own.length, degrees: own.length - 1 };
      const { low: naive_low, high: naive_high } = interval(naive, naiveVariance, confidence);
      const coding = gold.map(({ at }) => (machine[at] === value ? 1 : 0));
      const inSample = sum(weighted(coding)) / all;
      const byMachine = weighted(coding.map((each) => (each - inSample) / all));
      const weight = isTuned ? bestWeight(byPeople, byMachine, (values) => varianceOf(values).variance) : 1;
      const errors = weighted(gold.map((_, row) => ((human[row] as number) - (coding[row] as number)) / own.length));
      const fromBoth = isTuned
        ? intervalOf(
            share + weight * (naive - inSample),
            byPeople.map((each, row) => each - weight * (byMachine[row] as number)),
          )
        : intervalOf(coded === 0 ? Number.NaN : naive + sum(errors), errors);
      return { ...common, accuracy, naive, naive_low, naive_high, weight, ...fromBoth };
    });
  });
  const known = lines.map((line) =>
    Object.fromEntries(Object.entries(line).map(([name, value]) => [name, Number.isNaN(value) ? null : value])),
  );
  const result = resultFrame([
    ...grouping.columns(lines.map(({ group }) => group)),
    ...columnsOf(known, pl.Utf8, "value"),
    ...columnsOf(known, pl.Int64, "rows", "coded"),
    ...columnsOf(
      known,
      pl.Float64 as never,
      "accuracy",
      "naive",
      "naive_low",
      "naive_high",
      "weight",
      "share",
      "se",
      "low",
      "high",
    ),
    ...columnsOf(known, pl.Float64 as never, "gold_share", "gold_low", "gold_high", "effective_rows"),
  ]);
  return likeSource(frame, result, ["estimate", "summary", variable.name]);
}

/** NaN, which becomes null, stands for what cannot be known. */
const NO_MACHINE = Object.fromEntries(
  ["accuracy", "naive", "naive_low", "naive_high", "weight"].map((name) => [name, Number.NaN]),
);

/** The weight of the machine's codes, from 0 to 1, with which the variance of people's codes minus these is least. */
function bestWeight(
  people: readonly number[],
  machine: readonly number[],
  varianceOf: (values: readonly number[]) => number,
): number {
  const both = varianceOf(people.map((each, at) => each + (machine[at] as number)));
  const own = varianceOf(machine);
  const covariance = (both - varianceOf(people) - own) / 2;
  return own > 0 ? Math.min(1, Math.max(0, covariance / own)) : 0;
}

function interval(share: number, { variance, degrees }: DesignVariance, confidence: number) {
  const se = Math.sqrt(variance);
  const half = (degrees > 0 ? tBound(confidence, degrees) : Number.NaN) * se;
  const effective = variance === 0 ? Number.NaN : (share * (1 - share)) / variance;
  return { share, se, low: share - half, high: share + half, effective_rows: effective };
}

/** A coded row of the sample. */
interface GoldRow {
  /** The row of the frame. */
  readonly at: number;
  readonly value: string;
  readonly probability: number;
  readonly stratum: string;
}

/** The coded rows of the sample. */
function goldRows(
  gold: PolarsFrame,
  variable: Parameters<typeof codesBy>[1],
  place: ReadonlyMap<string, number>,
): readonly GoldRow[] {
  const codes = codesBy(gold, variable);
  if (codes.size === 0)
    throw invalid("gold", `a frame without codes of ${variable.name}`, "Give codes of at least two passages.");
  const known = probabilities(gold);
  const strata = textsOf(gold, "stratum");
  const first = new Map<string | null, number>();
  textsOf(gold, "row").forEach((row, at) => {
    if (!first.has(row)) first.set(row, at);
  });
  const differing = [...codes.values()].filter((own) => new Set(own.values()).size > 1).length;
  if (differing > 0)
    throw new ValidationError(`invalid gold: ${differing} passages are coded differently by several coders.`, {
      hint: 'Decide with resolve(codes, decisions), or take one coder: codes.filter(pl.col("coder").eq(pl.lit("A"))).',
      parameter: "gold",
    });
  return [...codes].map(([row, own]) => {
    const at = place.get(row);
    if (at === undefined)
      throw invalid(
        "gold",
        row,
        "The frame has no such passage: give the rows that the sample was drawn from, as they were then.",
      );
    const source = first.get(row) as number;
    return {
      at,
      value: String([...own.values()][0]),
      probability: known[source] as number,
      stratum: strata[source] ?? "",
    };
  });
}

/** The inclusion probability of every row: a column, or that of a sample of the archive. */
function probabilities(gold: PolarsFrame): readonly number[] {
  const sample = provenanceOf(gold)?.sample as { readonly rows: number; readonly of: number } | undefined;
  const values = gold.columns.includes("probability")
    ? valuesOf(gold, "probability")
    : new Array<unknown>(gold.height).fill(sample === undefined ? undefined : sample.rows / sample.of);
  const isKnown = values.every((value) => typeof value === "number" && value > 0 && value <= 1);
  if (!isKnown)
    throw new ValidationError("invalid gold: the rows have no probability of being drawn.", {
      hint: "Draw the sample with sampleRows(frame, { rows }) or archive.sample(…), which know it, or add a column probability.",
      parameter: "gold",
    });
  return values as readonly number[];
}

/** The machine's code of every row. */
function machineCodes(
  machine: PolarsFrame,
  variable: Parameters<typeof codesBy>[1],
  rows: readonly string[],
  book: Codebook,
): readonly string[] {
  const other = provenanceOf(machine)?.codebook;
  if (other !== undefined && other.hash !== book.hash)
    throw invalid("machine", `codes of codebook ${other.hash}`, `People have coded with codebook ${book.hash}.`);
  const codes = codesBy(machine, variable);
  const missing = rows.filter((row) => !codes.has(row)).length;
  if (missing > 0)
    throw new ValidationError(`invalid machine: ${missing} of ${rows.length} rows have no code of ${variable.name}.`, {
      hint: "Call codeWith(frame, …) again, without maxCalls, until every row has one.",
      parameter: "machine",
    });
  return rows.map((row) => String([...(codes.get(row)?.values() ?? [])][0]));
}

function clusterOf(frame: PolarsFrame, cluster: string): readonly string[] {
  const name = nonEmptyString("cluster", cluster, "personid");
  if (!frame.columns.includes(name)) throw missingColumns("frame", [name], frame.columns);
  // A row without a value is a cluster of its own.
  return textsOf(frame, name).map((value, at) => (value === null ? `\0${at}` : value));
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
