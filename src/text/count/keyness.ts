import type { ValidationError } from "../../errors/index.js";
import { checkedOptions, faulty, positiveInteger, positiveNumber } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { readProvenance, type TextSource, withStep } from "../read/textSource.js";
import { observedTerm } from "./collocations.js";
import { warnOfChosenRows } from "./notes.js";
import type { OnceOption } from "./sample.js";
import { termsFrame } from "./terms.js";

/** Options of {@link keyness}. */
export interface KeynessOptions extends OnceOption {
  /** Leave out terms that occur less often in both together. Default 5. */
  min?: number | undefined;
  /**
   * The weight of the prior, in words: how much speech it takes to believe that a term differs. Larger values shrink the log-odds of rare terms more.
   * Default 500.
   */
  prior?: number | undefined;
  /** Words to leave out if `a` and `b` are texts; tables are taken as they are. Default: none. */
  stopwords?: Iterable<string> | undefined;
}

const PER = 10_000;

/**
 * The terms that set two bodies of speech apart.
 *
 * `log_likelihood` says how surely their rates differ (Dunning 1993; Rayson and Garside 2000), `log_ratio` by how many doublings. `log_odds` is
 * shrunk toward the speech of both together (an informative Dirichlet prior), and `z` is the log-odds by its standard error (Monroe, Colaresi and
 * Quinn 2008, "Fightin' words"): beyond ±1.96 a term is distinctive, if one does not look at thousands of them. Positive values
 * belong to `a`.
 *
 * @param a texts, or the result of `terms` for one group
 * @param b the same
 * @param options minimum count, weight of the prior, stop words
 * @returns `term`, `n`, `count_a`, `count_b`, `total_a`, `total_b`, `rate_a` and `rate_b` (per 10,000), `log_likelihood`, `log_ratio`,
 *   `log_odds` and `z`; sorted by `z`, those of `a` first
 * @throws ValidationError for an invalid source or option, and for tables of several groups
 * @example
 * const counts = await terms(frame, { by: "party", stopwords: stopwords() });
 * const [left, right] = ["D", "R"].map((party) => counts.filter(pl.col("party").eq(pl.lit(party))));
 * await keyness(left, right);
 */
export async function keyness(a: TextSource, b: TextSource, options: KeynessOptions = {}): Promise<PolarsFrame> {
  const checked = checkedOptions(options, ["min", "prior", "stopwords", "once"], "option of keyness");
  const { min = 5, prior = 500 } = checked;
  positiveInteger("min", min, 5);
  positiveNumber("prior", prior, 500, "words");
  const [left, right] = [await tableOf(a, "a", checked), await tableOf(b, "b", checked)];
  const rows = [...new Set([...left.counts.keys(), ...right.counts.keys()])].flatMap((key) => {
    const [count_a, count_b] = [left.counts.get(key) ?? 0, right.counts.get(key) ?? 0];
    const n = Number(key.slice(0, key.indexOf(" ")));
    const [total_a, total_b] = [left.totals.get(n) ?? 0, right.totals.get(n) ?? 0];
    if (count_a + count_b < min || total_a === 0 || total_b === 0) return [];
    const counts = { term: key.slice(key.indexOf(" ") + 1), n, count_a, count_b, total_a, total_b };
    return [{ ...counts, ...termStatistics(count_a, count_b, total_a, total_b, prior) }];
  });
  rows.sort((x, y) => y.z - x.z || (x.term < y.term ? -1 : 1));
  const result = resultFrame([
    ...columnsOf(rows, pl.Utf8, "term"),
    ...columnsOf(rows, pl.Int64, "n", "count_a", "count_b", "total_a", "total_b"),
    ...columnsOf(rows, pl.Float64, "rate_a", "rate_b", "log_likelihood", "log_ratio", "log_odds", "z"),
  ]);
  const measures = `log-likelihood and log-odds with a prior of ${prior} words`;
  const text = `compared by term (${measures}, terms that occur at least ${min} times in both together)`;
  return withStep(a, result, "keyness", text, b);
}

function termStatistics(a: number, b: number, totalA: number, totalB: number, prior: number) {
  const alpha = (prior * (a + b)) / (totalA + totalB);
  const odds = (count: number, total: number) => Math.log((count + alpha) / (total + prior - count - alpha));
  // The odds of a term that is all speech on both sides are infinite, and do not differ.
  const log_odds = odds(a, totalA) - odds(b, totalB) || 0;
  return {
    rate_a: (PER * a) / totalA,
    rate_b: (PER * b) / totalB,
    log_likelihood: logLikelihood(a, b, totalA, totalB),
    // Half an occurrence stands for none, as Hardie (2014) does.
    log_ratio: Math.log2((a || 0.5) / totalA / ((b || 0.5) / totalB)),
    log_odds,
    z: log_odds / Math.sqrt(1 / (a + alpha) + 1 / (b + alpha)),
  };
}

/**
 * The log-likelihood statistic of two counts out of two totals (Dunning 1993), in the two-cell form of Rayson and Garside
 * (2000, "Comparing corpora using frequency profiling"). Above 3.84, 6.63, 10.83 and 15.13 the difference is significant at 5, 1,
 * 0.1 and 0.01 %, for a single term that was chosen beforehand.
 */
function logLikelihood(a: number, b: number, totalA: number, totalB: number): number {
  const share = (a + b) / (totalA + totalB);
  return 2 * (observedTerm(a, totalA * share) + observedTerm(b, totalB * share));
}

interface TermTable {
  /** By length and term: `"2 climate change"`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly totals: ReadonlyMap<number, number>;
}

const TABLE = ["term", "n", "count", "total"];

async function tableOf(
  source: TextSource,
  name: string,
  { stopwords, once }: Partial<KeynessOptions>,
): Promise<TermTable> {
  const isTable = isPolarsFrame(source) && TABLE.every((column) => source.columns.includes(column));
  if (isTable) warnOfChosenRows(readProvenance(source), "keyness");
  const frame = isTable ? source : await termsFrame(source, { stopwords, once }, "keyness", name);
  const [counts, totals] = [new Map<string, number>(), new Map<number, number>()];
  for (const row of frame.select(...TABLE).toRecords()) {
    const [n, total, key] = [Number(row.n), Number(row.total), `${row.n} ${row.term}`];
    if (counts.has(key) || (totals.get(n) ?? total) !== total) throw severalGroups(name);
    counts.set(key, Number(row.count));
    totals.set(n, total);
  }
  return { counts, totals };
}

function severalGroups(name: string): ValidationError {
  const hint = 'Filter it to one group, for example counts.filter(pl.col("party").eq(pl.lit("D"))).';
  return faulty(name, "it has the terms of several groups", hint);
}
