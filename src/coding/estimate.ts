import { ValidationError } from "../errors/index.js";
import { boolean, checkedOptions, invalid, nonEmptyString } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { speakerId } from "../members/speakerId.js";
import { checkedConfidence } from "../text/counting/rateInterval.js";
import { stratifiedVariance } from "../text/counting/units.js";
import { tBound } from "../text/distributions.js";
import { requireColumns, textsOf, valuesOf } from "../text/source/columns.js";
import { type By, Grouping } from "../text/source/grouping.js";
import { likeSource } from "../text/source/textSource.js";
import { wilsonInterval } from "../text/statistics.js";
import { groupBy } from "../util/groupBy.js";
import { sum } from "../util/sum.js";
import type { Codebook, Variable } from "./codebook.js";
import { type CodedRow, codedWeights } from "./codedWeights.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";
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
  /**
   * Whether the estimate is about these rows alone, and not about all that they stand for: intervals then shrink with the share that was coded, and leave out
   * how much these rows differ from others. The result says which, in the column `about`. Default false.
   */
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
 * NeurIPS), times a weight that makes the variance least (PPI++, Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453), the same for all values, so that
 * shares sum to 1. It is right on average however wrong the machine is; a good machine makes the interval shorter. Standard errors are linearised by strata,
 * pages or clusters, and have the machine's own variance between rows; intervals use Student's t with the degrees of freedom of the group. A share of 0 or 1 has Wilson's.
 *
 * Groups of fewer than 20 coded rows rest on the sample alone, those of fewer than 5 have no share (a warning, `FEW_CODED`). Of a sample that is coded in
 * part, coded rows count as a random part of each stratum (`PARTLY_CODED`). Intervals that go below 0 or above 1 are reported, too (`BEYOND_SHARES`).
 *
 * @param frame all rows, the sample among them
 * @param options gold codes, machine codes, and what to estimate
 * @returns a row for each group and value: the columns of `by`, `value`, `about`, `method` ("sample" or "sample and machine"), `rows`, `coded` (rows of the sample), `accuracy` of the machine in the sample,
 *   `naive` (the share in the machine's codes) with `naive_low` and `naive_high`, which ignore the machine's errors, its `weight`, `share` with `se`, `low` and
 *   `high`, `gold_share`, `gold_low` and `gold_high` from the sample alone, and `effective_rows`: the size of a simple random sample that would be as precise
 * @throws ValidationError for a gold sample without probabilities, or with strata that have no coded row, for passages that are coded differently by several coders, for rows without machine codes, and
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
  // A row without a value, and of an unidentified speaker, is a cluster of its own.
  const clusters = cluster.flatMap((name) =>
    textsOf(population, name).map((value, at) => (name === "personid" ? speakerId(value) : value) ?? `\0${at}`),
  );
  const gold = goldRows(given.gold, variable, rows, clusters);
  const weightOf = codedWeights(gold, population);
  const machine = given.machine === undefined ? undefined : machineCodes(given.machine, variable, rows, book);
  const grouping = new Grouping(given.by);
  const groups = grouping.indexes(population, "frame");
  const isClustered = clusters.length > 0;
  const stratumOf = ({ stratum }: CodedRow) => (isClustered ? "" : stratum);
  const unitOf = (row: CodedRow) => (isClustered ? row.cluster : (row.page ?? `${row.at}`)) as string;
  const byStratum = [...groupBy(gold, stratumOf)];
  const strata = new Set(gold.map(({ stratum }) => stratum));
  const sizes = new Map(byStratum.map(([name, own]) => [name, new Set(own.map(unitOf)).size]));
  const byPage = gold.some(({ page }) => page !== null);
  const shareOpen = new Map(
    byStratum.map(([name, [first]]) => [name, 1 - 1 / (weightOf[gold.indexOf(first as never)] as number)]),
  );
  const open = (stratum: string) => (isWhole && !isClustered && !byPage ? (shareOpen.get(stratum) as number) : 1);
  const lines = [...groupBy(groups.keys(), (at) => groups[at] as number)].flatMap(([group, own]) => {
    const weights = gold.map(({ at }, nth) => (groups[at] === group ? (weightOf[nth] as number) : 0));
    const total = sum(weights);
    const coded = weights.filter(Boolean).length;
    const units = new Set(gold.filter((_row, nth) => weights[nth]).map(unitOf)).size;
    const weighted = (values: readonly number[], size = total) =>
      sum(values.map((value, at) => value * (weights[at] as number))) / size;
    /** The variance of a weighted mean, of which each row of the sample has a part, plus that of what each row of the group adds. */
    const varianceOf = (
      values: readonly number[],
      added: ReadonlyMap<number, number> = NONE,
      size = total,
      center = weighted(values),
    ) => {
      const parts = values.map((value, at) => ((value - center) * (weights[at] as number)) / size);
      const sums = new Map<string, [string, number]>();
      gold.forEach((row, nth) => {
        if (weights[nth] === 0) return;
        const unit = unitOf(row);
        sums.set(unit, [stratumOf(row), (sums.get(unit)?.[1] ?? 0) + (parts[nth] as number)]);
      });
      if (added.size > 0 && isClustered) {
        for (const [at, value] of added) {
          const unit = clusters[at] as string;
          sums.set(unit, ["", (sums.get(unit)?.[1] ?? 0) + value]);
        }
        return stratifiedVariance([...sums.values()], new Map([["", new Set(clusters).size]]));
      }
      const { variance, degrees } = stratifiedVariance([...sums.values()], sizes, open);
      const own = sum([...added.values()].map((value) => value * value));
      const both = sum(gold.map(({ at }, nth) => (parts[nth] as number) * (added.get(at) ?? 0)));
      return { variance: Math.max(0, variance + own + 2 * both), degrees };
    };
    const accuracy = machine && weighted(gold.map(({ at, value }) => Number(machine[at] === value)));
    const isSmall = coded < FEW_CODED;
    const common = { group, about: isWhole ? "these rows" : "all that they stand for", rows: own.length, coded };
    const peopleOf = (value: string) => gold.map((row) => Number(row.value === value));
    const codedBy = (value: string) => gold.map(({ at }) => Number(machine?.[at] === value));
    const naiveOf = (value: string) => sum(own.map((at) => Number(machine?.[at] === value))) / own.length;
    // What the machine's share adds to the error, where it is not about these rows alone.
    const addedOf = (value: string, weight: number) =>
      isWhole || weight === 0
        ? NONE
        : new Map(own.map((at) => [at, (weight * (Number(machine?.[at] === value) - naiveOf(value))) / own.length]));
    const errorsOf = (value: string, weight: number) => {
      const codes = codedBy(value);
      return peopleOf(value).map((each, at) => each - weight * (codes[at] as number));
    };
    // The plain difference estimator divides by the known number of rows, the tuned one by the sum of weights, as the sample alone.
    const [size, center] = isTuned ? [total, undefined] : [own.length, 0];
    const varianceAt = (value: string, weight: number) =>
      varianceOf(errorsOf(value, weight), addedOf(value, weight), size, center);
    // The variance of all shares together is a parabola of the weight.
    const [none, half, full] = [0, 0.5, 1].map((weight) =>
      machine === undefined || isSmall || !isTuned
        ? 0
        : sum(variable.values.map((value) => varianceAt(value, weight).variance)),
    ) as [number, number, number];
    const bend = 2 * (none - 2 * half + full);
    const best = bend > 0 ? (bend + none - full) / (2 * bend) : 0;
    const weight = isSmall ? 0 : isTuned ? Math.min(1, Math.max(0, best)) : 1;
    return variable.values.map((value) => {
      if (coded < MIN_CODED)
        return { ...common, value, method: null, share: Number.NaN, se: Number.NaN, low: Number.NaN, high: Number.NaN };
      const people = peopleOf(value);
      const alone = interval(
        weighted(people),
        varianceOf(people),
        confidence,
        units,
        isWhole && total === own.length && coded === own.length,
      );
      const fromGold = { value, gold_share: alone.share, gold_low: alone.low, gold_high: alone.high };
      if (machine === undefined) return { ...common, ...fromGold, method: "sample", ...alone };
      const naive = naiveOf(value);
      const sampling = { variance: (naive * (1 - naive)) / own.length, degrees: own.length - 1 };
      const { low: naive_low, high: naive_high } = interval(naive, sampling, confidence, own.length);
      const machines = { accuracy, naive, naive_low, naive_high, weight };
      if (isSmall) return { ...common, ...fromGold, method: "sample", ...machines, ...alone };
      const share = weight * naive + weighted(errorsOf(value, weight), size);
      const both = interval(share, varianceAt(value, weight), confidence, units, isWhole && coded === own.length);
      return { ...common, ...fromGold, method: "sample and machine", ...machines, ...both };
    });
  });
  const few = new Map(lines.filter(({ coded }) => coded < FEW_CODED).map(({ group, coded }) => [group, coded]));
  const advice = "Code more rows, or estimate larger groups.";
  if (few.size > 0) {
    const none = [...few.values()].filter((coded) => coded < MIN_CODED).length;
    if (none === new Set(groups).size)
      throw invalid("gold", `fewer than ${MIN_CODED} coded rows in every group`, advice);
    const where = `${few.size} groups have few coded rows, below ${FEW_CODED}: their shares rest on the sample alone`;
    warn("FEW_CODED", `${where}, and ${none} of them, with fewer than ${MIN_CODED}, have none. ${advice}`);
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
    ...columnsOf(known, pl.Utf8, "value", "about", "method"),
    ...columnsOf(known, pl.Int64, "rows", "coded"),
    ...columnsOf(known, pl.Float64, "accuracy", "naive", "naive_low", "naive_high", "weight"),
    ...columnsOf(known, pl.Float64, "share", "se", "low", "high"),
    ...columnsOf(known, pl.Float64, "gold_share", "gold_low", "gold_high", "effective_rows"),
  ]);
  const facts = {
    variable: variable.name,
    by: given.by,
    coded: gold.length,
    of: rows.length,
    strata: strata.size,
    clusters: given.cluster,
    machine: machine !== undefined,
  };
  const method = { tune: isTuned, finite: isWhole, confidence };
  return likeSource(frame, result, ["estimate", "summary", { ...facts, ...method }], given.gold, given.machine);
}

/** Below it, the machine's weight cannot be told, and below the other no share. */
const [FEW_CODED, MIN_CODED] = [20, 5];
const NONE: ReadonlyMap<number, number> = new Map();

/** @param isCensus whether all rows were coded, and only these count */
function interval(
  share: number,
  { variance, degrees }: { readonly variance: number; readonly degrees: number },
  confidence: number,
  units: number,
  isCensus = false,
) {
  const se = Math.sqrt(variance);
  if (se < 1e-12 && !isCensus) {
    // Where nothing varies, only the number of units says how sure it is.
    const { low, high } = wilsonInterval(Math.min(1, Math.max(0, share)) * units, units, confidence);
    return { share, se: 0, low, high, effective_rows: Number.NaN };
  }
  const half = isCensus ? 0 : (degrees > 0 ? tBound(confidence, degrees) : Number.NaN) * se;
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
function goldRows(
  gold: PolarsFrame,
  variable: Variable,
  rows: readonly string[],
  clusters: readonly string[],
): readonly (CodedRow & { readonly value: string })[] {
  const place = new Map(rows.map((row, at) => [row, at]));
  const probability = probabilities(gold);
  const [strata, pages, drawn] = [textsOf(gold, "stratum"), textsOf(gold, "page"), valuesOf(gold, "drawn")];
  const sources = new Map(textsOf(gold, "row").map((row, at) => [row, at]));
  return [...singleCodes("gold", gold, variable)].map(([row, value]) => {
    const at = place.get(row);
    const hint = "The frame has no such passage: give the rows that the sample was drawn from, as they were then.";
    if (at === undefined) throw invalid("gold", row, hint);
    const source = sources.get(row) as number;
    const [stratum, page, count] = [strata[source] ?? "", pages[source] ?? null, drawn[source] ?? null];
    const design = {
      probability: probability[source] as number,
      stratum,
      drawn: count === null ? null : Number(count),
    };
    return { at, value, ...design, page: page === null ? null : `${stratum}/${page}`, cluster: clusters[at] };
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
