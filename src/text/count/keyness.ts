import { checkedOptions, positiveInteger } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame } from "../../frames/resultFrame.js";
import { type TextSource, withStep } from "../read/textSource.js";
import { Sample } from "./sample.js";
import type { GroupTally } from "./tally.js";
import { countTerms, type TermsOptions } from "./terms.js";

const PER = 10_000;
/** The weight of the prior, in words. */
const PRIOR = 500;

/**
 * Finds the terms that set two bodies of speech apart. Positive values belong to `a`.
 *
 * `log_likelihood` says how surely their rates differ (Dunning 1993; Rayson and Garside 2000), `log_ratio` by how many doublings.
 * `log_odds` is shrunk toward the speech of both together, by a prior of 500 words, and `z` is `log_odds` divided by its standard error
 * (Monroe, Colaresi and Quinn 2008). Among thousands of terms, some are beyond ±1.96 by chance.
 *
 * @param options `ngrams`, `stopwords` and `once` as in `terms`; `min`: leave out rarer terms, default 5
 * @returns `term`, `n`, `count_a`, `count_b`, `total_a`, `total_b`, `rate_a` and `rate_b` (per 10,000), `log_likelihood`, `log_ratio`,
 * `log_odds` and `z`; the largest `z` first
 * @example
 * const [climate, energy] = [await archive.mentions("climate"), await archive.mentions("energy")];
 * await keyness(climate, energy, { stopwords: stopwords() });
 */
export async function keyness(
  a: TextSource,
  b: TextSource,
  options: Pick<TermsOptions, "ngrams" | "stopwords" | "min" | "once"> = {},
): Promise<PolarsFrame> {
  const checked = checkedOptions(options, ["ngrams", "min", "stopwords", "once"], "option of keyness");
  const { min = 5, once } = checked;
  positiveInteger("min", min, 5);
  const countsA = await countTerms(new Sample(a, "keyness", { once }), checked, "a");
  const countsB = await countTerms(new Sample(b, "keyness", { once }), checked, "b");
  const rows = countsA.flatMap(({ size, groups }, at) => comparedTerms(size, groups[0], countsB[at]?.groups[0], min));
  rows.sort((x, y) => y.z - x.z || (x.term < y.term ? -1 : 1));
  const result = resultFrame([
    ...columnsOf(rows, pl.Utf8, "term"),
    ...columnsOf(rows, pl.Int64, "n", "count_a", "count_b", "total_a", "total_b"),
    ...columnsOf(rows, pl.Float64, "rate_a", "rate_b", "log_likelihood", "log_ratio", "log_odds", "z"),
  ]);
  const measures = `log-likelihood and log-odds with a prior of ${PRIOR} words`;
  const text = `compared by term (${measures}, terms that occur at least ${min} times in both together)`;
  return withStep(a, result, "keyness", text, b);
}

function comparedTerms(n: number, a: GroupTally | undefined, b: GroupTally | undefined, min: number) {
  const [total_a, total_b] = [a?.all.total ?? 0, b?.all.total ?? 0];
  if (total_a === 0 || total_b === 0) return [];
  return [...new Set([...(a?.parts.keys() ?? []), ...(b?.parts.keys() ?? [])])].flatMap((term) => {
    const [count_a, count_b] = [a?.parts.get(term)?.total ?? 0, b?.parts.get(term)?.total ?? 0];
    if (count_a + count_b < min) return [];
    const counts = { term, n, count_a, count_b, total_a, total_b };
    return [{ ...counts, ...termStatistics(count_a, count_b, total_a, total_b) }];
  });
}

function termStatistics(a: number, b: number, totalA: number, totalB: number) {
  const alpha = (PRIOR * (a + b)) / (totalA + totalB);
  const odds = (count: number, total: number) => Math.log((count + alpha) / (total + PRIOR - count - alpha));
  // NaN if the term is all speech on both sides: infinite odds that do not differ.
  const log_odds = odds(a, totalA) - odds(b, totalB) || 0;
  return {
    rate_a: (PER * a) / totalA,
    rate_b: (PER * b) / totalB,
    log_likelihood: logLikelihood(a, b, totalA, totalB),
    // Zero counts as half an occurrence, as in Hardie (2014).
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

/** O ln(O / E), which is 0 for O = 0: a part of the log-likelihood statistic. */
export function observedTerm(observed: number, expected: number): number {
  return observed === 0 ? 0 : observed * Math.log(observed / expected);
}
