import { ValidationError } from "../errors/index.js";
import { boolean, checkedOptions, faulty, invalid, nonEmptyString, oneOf } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { designOf, designOfParameter } from "../frames/designOf.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { clustersOf } from "../text/counting/countRates.js";
import { ADJUSTMENTS, type Adjustment } from "../text/counting/difference.js";
import { checkedCluster, checkedConfidence } from "../text/counting/rateRows.js";
import { type DesignError, MIN_CLUSTERS } from "../text/counting/units.js";
import { textsOf } from "../text/source/columns.js";
import { type By, Grouping } from "../text/source/grouping.js";
import { likeSource } from "../text/source/textSource.js";
import { shareInterval, wilsonInterval } from "../text/statistics.js";
import { pluralize } from "../util/counts.js";
import { groupBy } from "../util/groupBy.js";
import { sum } from "../util/sum.js";
import type { Codebook, Variable } from "./codebook.js";
import { type CodedRow, codedWeights } from "./codedWeights.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";
import { comparedShares, type GroupShare } from "./comparedShares.js";
import { checkPassages, rowKeys } from "./passages.js";
import { ShareErrors, type ShareInfluence } from "./shareErrors.js";

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
  /**
   * A column or period whose groups are compared, for example `"party"`, within each of `by`: the result is then the differences of shares. Default: none, so
   * that the result is the shares.
   */
  compare?: string | undefined;
  /** The groups to compare, of each pair the one to subtract last: `["Democrat", "Republican"]`. Default: all, in alphabetical order. */
  groups?: readonly (string | number | boolean)[] | undefined;
  /** How the p values of all differences of the call are adjusted. Default `"holm"`. */
  adjust?: Adjustment | undefined;
  /**
   * A column of the rows, for example `"personid"`, whose rows may resemble each other. A group of fewer than 5 clusters has no interval. Default: rows are
   * independent within strata.
   */
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

const OPTIONS = "gold machine variable by compare groups adjust cluster finite tune confidence book".split(" ");

/**
 * Estimates the share of rows with each value of a variable.
 *
 * From the gold sample alone it is a weighted mean (Hájek). Machine codes of all rows correct it by how far the machine's share in the sample is from
 * that in all rows (prediction-powered inference, Angelopoulos et al. 2023, Science 382; design-based supervised learning, Egami et al. 2023,
 * NeurIPS), times a weight that makes the variance least (PPI++, Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453), the same for all values, so that
 * shares sum to 1. It is right on average however wrong the machine is; a good machine makes the interval shorter. Standard errors are linearised by strata,
 * pages or clusters, and have the machine's own variance between rows; intervals are Wilson's of as many rows as would be as precise, with Student's t and the degrees of freedom of the group (of a simple random sample Wilson's own). From few or uneven clusters they come from the jackknife, as in `rates`.
 *
 * Groups of fewer than 30 coded rows rest on the sample alone, those of fewer than 5 have no share (a warning, `FEW_CODED`). Of a sample that is coded in
 * part, coded rows count as a random part of each stratum (`PARTLY_CODED`).
 *
 * @param frame all rows, the sample among them; rows of a larger sample count as often as they stand for others, or once with `finite`
 * @param options gold codes, machine codes, and what to estimate
 * @returns a row for each group and value: the columns of `by`, `value`, `about`, `method` ("sample" or "sample and machine"), `rows`, `coded` (rows of the sample), `accuracy` of the machine in the sample,
 *   `naive` (the share in the machine's codes) with `naive_low` and `naive_high`, which ignore the machine's errors, its `weight`, `share` with `se`, `low` and
 *   `high`, `gold_share`, `gold_low` and `gold_high` from the sample alone, and `effective_rows`: the size of a simple random sample that would be as precise.
 *   With `compare`, a row for each value (of two, the first) and pair of groups: the groups (`party`, `party_other`), `share` and `share_other` with `coded` and
 *   `coded_other`, `difference` with `se`, `difference_low`, `difference_high`, `p` and `p_adjusted`, and a `sentence`. Differences allow for speakers and pages that groups share
 * @throws ValidationError for a gold sample without probabilities, or with strata that have no coded row, for passages that are coded differently by several coders, for rows without machine codes, and
 *   for invalid options
 * @example
 * const shares = await estimate(frame, { gold: codes, machine, variable: "stance", by: "party" });
 * const differences = await estimate(frame, { gold: codes, machine, variable: "stance", compare: "party", cluster: "personid" });
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
  const clusters = clusterNames(population, given.cluster);
  const design = designOf(population);
  const drawn = design?.weights ?? rows.map(() => 1);
  const gold = goldRows(given.gold, variable, rows, drawn);
  /** How many rows a row of the frame stands for: of a sample, several. */
  const standsFor = (at: number) => (isWhole ? 1 : (drawn[at] as number));
  const weightOf = codedWeights(gold, population).map((weight, nth) => weight * standsFor((gold[nth] as CodedRow).at));
  const machine = given.machine === undefined ? undefined : machineCodes(given.machine, variable, rows, book);
  const compare = given.compare === undefined ? [] : [nonEmptyString("compare", given.compare, "party")];
  if (compare.length === 0 && (given.groups !== undefined || given.adjust !== undefined))
    throw invalid("compare", undefined, 'groups and adjust need it, for example compare: "party".');
  const adjust = oneOf("adjust", given.adjust ?? "holm", ADJUSTMENTS);
  const grouping = new Grouping([...[given.by ?? []].flat(), ...compare]);
  const groups = grouping.indexes(population, "frame");
  const strata = new Set(gold.map(({ stratum }) => stratum));
  const errors = new ShareErrors(gold, weightOf, clusters, isWhole, machine !== undefined, design);
  const byGroup = groupBy(groups.keys(), (at) => groups[at] as number);
  const lines = [...byGroup].flatMap(([group, own]): readonly ShareLine[] => {
    const mine = gold.flatMap((row, nth) =>
      groups[row.at] === group ? [{ ...row, weight: weightOf[nth] as number }] : [],
    );
    const weights = new Map(mine.map(({ at, weight }) => [at, weight]));
    const total = sum([...weights.values()]);
    const codedAs = (at: number, value: string) => Number(machine?.[at] === value);
    const all = sum(own.map(standsFor));
    const naiveOf = (value: string) => sum(own.map((at) => standsFor(at) * codedAs(at, value))) / all;
    const isSmall = mine.length < FEW_CODED;
    // Equal rows of one stratum have the variance of their share itself.
    const isSimple = errors.hasIndependentRows && new Set(mine.map((row) => `${row.stratum} ${row.weight}`)).size === 1;
    const common = { group, about: isWhole ? "these rows" : "all that they stand for", rows: own.length };
    /** A share of which the machine's codes are a part: 0 for the sample alone. */
    const shareAt = (value: string, weight: number): ShareInfluence & { readonly share: number } => {
      const errorOf = (row: (typeof mine)[number]) => Number(row.value === value) - weight * codedAs(row.at, value);
      const naive = weight === 0 ? 0 : naiveOf(value);
      // The plain difference estimator divides by the known number of rows, the tuned one by the sum of weights, as the sample alone.
      const size = isTuned || weight === 0 ? total : all;
      const mean = sum(mine.map((row) => errorOf(row) * row.weight)) / size;
      const center = isTuned || weight === 0 ? mean : 0;
      const coded = new Map(mine.map((row) => [row.at, ((errorOf(row) - center) * row.weight) / size]));
      // What the machine's share adds to the error, where it is not about these rows alone.
      const isAdded = weight > 0 && !isWhole;
      const ofRow = (at: number) => (weight * standsFor(at) * (codedAs(at, value) - naive)) / all;
      const added = isAdded ? own.map((at) => [at, ofRow(at)] as const) : [];
      return { share: weight * naive + mean, coded, added: new Map(added) };
    };
    const varianceAt = (at: number) => sum(variable.values.map((value) => errors.of(shareAt(value, at)).error ** 2));
    const weight = isTuned && machine !== undefined && !isSmall ? bestWeight(varianceAt) : 1;
    return variable.values.map((value) => {
      const about = { ...common, value, coded: mine.length };
      if (mine.length < MIN_CODED) return { ...about, method: null };
      const intervalAt = (at: number, isCensus: boolean) => {
        const found = shareAt(value, at);
        const estimate = errors.jackknifed(found, weights);
        const kind = isCensus ? "census" : at === 0 && isSimple ? "simple" : undefined;
        const known = interval(found.share, errors.of(estimate), confidence, estimate.units, kind);
        const isKnown = clusters.length === 0 || estimate.units >= MIN_CLUSTERS;
        return isKnown ? { estimate, ...known } : { ...known, low: undefined, high: undefined };
      };
      const isCensus = isWhole && mine.length === own.length;
      const alone = intervalAt(0, isCensus && total === own.length);
      const fromGold = { gold_share: alone.share, gold_low: alone.low, gold_high: alone.high };
      if (machine === undefined) return { ...about, ...fromGold, method: "sample", ...alone };
      const accuracy = sum(mine.map((row) => row.weight * codedAs(row.at, row.value))) / total;
      const naive = naiveOf(value);
      const effective = all ** 2 / sum(own.map((at) => standsFor(at) ** 2));
      const { low: naive_low, high: naive_high } = wilsonInterval(naive * effective, effective, confidence);
      const shared = { ...about, ...fromGold, accuracy, naive, naive_low, naive_high };
      if (isSmall) return { ...shared, weight: 0, method: "sample", ...alone };
      return { ...shared, weight, method: "sample and machine", ...intervalAt(weight, isCensus) };
    });
  });
  const least = machine === undefined ? MIN_CODED : FEW_CODED;
  const few = new Map(lines.filter(({ coded }) => coded < least).map(({ group, coded }) => [group, coded]));
  const advice = "Code more rows, or estimate larger groups.";
  if (few.size > 0) {
    const none = [...few.values()].filter((coded) => coded < MIN_CODED).length;
    if (none === new Set(groups).size)
      throw invalid("gold", `fewer than ${MIN_CODED} coded rows in every group`, advice);
    const [alone, open] = [pluralize(few.size - none, "group"), pluralize(none, "group")];
    const what = [
      ...(few.size > none ? [`Of ${alone}, fewer than ${FEW_CODED} rows are coded: the sample alone counts.`] : []),
      ...(none > 0 ? [`Of ${open}, fewer than ${MIN_CODED} are, so there is no share.`] : []),
    ];
    warn("FEW_CODED", [...what, advice].join(" "));
  }
  const comparison = { variable: variable.name, grouping, groups: given.groups, adjust, confidence };
  const result = compare.length > 0 ? comparedShares(lines, errors, comparison) : sharesFrame(lines, grouping);
  const facts = { variable: variable.name, by: given.by, coded: gold.length, of: rows.length, strata: strata.size };
  const method = {
    tune: isTuned,
    finite: isWhole,
    confidence,
    machine: machine !== undefined,
    clusters: given.cluster,
  };
  const compared = compare.length > 0 ? { compare: given.compare, groups: given.groups, adjust } : {};
  const step = { ...facts, ...method, ...compared };
  return likeSource(frame, result, ["estimate", "summary", step], given.gold, given.machine);
}

/** Below it, the machine's weight cannot be told, and below the other no share. */
const [FEW_CODED, MIN_CODED] = [30, 5];

function sharesFrame(lines: readonly ShareLine[], grouping: Grouping): PolarsFrame {
  return resultFrame([
    ...grouping.columns(lines.map(({ group }) => group)),
    ...columnsOf(lines, pl.Utf8, "value", "about", "method"),
    ...columnsOf(lines, pl.Int64, "rows", "coded"),
    ...columnsOf(lines, pl.Float64, "accuracy", "naive", "naive_low", "naive_high", "weight"),
    ...columnsOf(lines, pl.Float64, "share", "se", "low", "high"),
    ...columnsOf(lines, pl.Float64, "gold_share", "gold_low", "gold_high", "effective_rows"),
  ]);
}

/** A row of the result. What cannot be estimated is missing. */
interface ShareLine extends GroupShare {
  readonly method: string | null;
  readonly accuracy?: number;
  readonly naive?: number;
  readonly naive_low?: number;
  readonly naive_high?: number;
  readonly weight?: number;
  readonly se?: number;
  readonly gold_share?: number;
  readonly gold_low?: number | undefined;
  readonly gold_high?: number | undefined;
  readonly effective_rows?: number | null;
}

/** The weight of the machine with the least variance of all shares together, which is a parabola of the weight. */
function bestWeight(varianceAt: (weight: number) => number): number {
  const [none, half, full] = [0, 0.5, 1].map(varianceAt) as [number, number, number];
  const bend = 2 * (none - 2 * half + full);
  return bend > 0 ? Math.min(1, Math.max(0, (bend + none - full) / (2 * bend))) : 0;
}

/** @param kind a census if all rows were coded, and only these count */
function interval(share: number, found: DesignError, confidence: number, units: number, kind?: "census" | "simple") {
  const se = found.error < 1e-12 ? 0 : found.error;
  const effective_rows = se === 0 ? null : (share * (1 - share)) / se ** 2;
  const { low, high } =
    kind === "census"
      ? { low: share, high: share }
      : kind === "simple"
        ? wilsonInterval(share * units, units, confidence)
        : shareInterval(share, found, units, confidence);
  return { share, se, low, high, effective_rows };
}

/** The cluster of every row; one without a value, and of an unidentified speaker, is a cluster of its own. Empty without clusters. */
function clusterNames(population: PolarsFrame, given: string | undefined): readonly string[] {
  const cluster = checkedCluster(given);
  if (cluster === undefined) return [];
  return clustersOf(population, new Grouping(cluster), "frame").map((name, at) => String(name ?? `row ${at}`));
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

/**
 * The coded rows of the sample; `at` is the row of the frame.
 *
 * @param drawn how many rows each row of the frame stands for: of a sample of it, the probability is the rest
 */
function goldRows(
  gold: PolarsFrame,
  variable: Variable,
  rows: readonly string[],
  drawn: readonly number[],
): readonly (CodedRow & { readonly value: string })[] {
  const place = new Map(rows.map((row, at) => [row, at]));
  const design = designOfParameter(
    gold.columns.includes("stratum") ? gold : gold.withColumns(pl.lit("").alias("stratum")),
    "gold",
  );
  const unknown = "Draw it with sampleRows or archive.sample, which know it, or add a column probability.";
  if (design === undefined) throw faulty("gold", "the rows have no probability of being drawn", unknown);
  const sources = new Map(textsOf(gold, "row").map((row, at) => [row, at]));
  return [...singleCodes("gold", gold, variable)].map(([row, value]) => {
    const at = place.get(row);
    const hint = "The frame has no such passage: give the rows that the sample was drawn from, as they were then.";
    if (at === undefined) throw invalid("gold", row, hint);
    const source = sources.get(row) as number;
    const [weight, stratum] = [design.weights[source] as number, design.stratum[source] as string];
    const [ofStratum = null, page = null] = [design.drawn[source], design.unit[source]];
    return { at, value, probability: (drawn[at] as number) / weight, stratum, drawn: ofStratum, page };
  });
}

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
