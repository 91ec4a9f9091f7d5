import { sum } from "../../util/sum.js";
import { tBound } from "../distributions.js";
import { PERMUTED_CLUSTERS, weightedInfluence } from "./clusteredRatio.js";
import type { TermTally } from "./termTally.js";

/** By how many doublings a term is more frequent in a group than in all other groups together. Null where there is nothing to compare. */
export type LogRatio = Readonly<Record<"log_ratio" | "log_ratio_low" | "log_ratio_high", number | null>>;

/**
 * The log ratios of the terms of a group, with the intervals of `differenceOf`, for a hundred thousand terms: all clusters contribute to the
 * variance by what they say at all, which is summed once; those that say the term, by that too.
 *
 * @param tally of the group
 * @param all of all groups
 */
export function logRatios(tally: TermTally, all: TermTally, confidence: number): (term: string) => LogRatio {
  const size = all.totals.size;
  const others = all.total - tally.total;
  const elsewhere = [...all.totals].filter(([cluster, total]) => total > (tally.totals.get(cluster) ?? 0));
  const hasInterval = Math.min(tally.totals.size, elsewhere.length) >= PERMUTED_CLUSTERS;
  const bound = hasInterval ? tBound(confidence, size - 1) * Math.sqrt(size / (size - 1)) : 0;
  const spoken = weightedInfluence([-1 / tally.total - 1 / others, tally.totals], [1 / others, all.totals]);
  const squares = sum([...spoken.values()].map((value) => value * value));
  return (term) => {
    const [{ count, clusters }, total] = [tally.of(term), all.of(term)];
    const rest = total.count - count;
    // Half an occurrence stands for none, as in keyness.
    const log_ratio = others === 0 ? null : Math.log2(count / tally.total / ((rest || 0.5) / others));
    if (log_ratio === null || !hasInterval || rest === 0)
      return { log_ratio, log_ratio_low: null, log_ratio_high: null };
    const said = weightedInfluence([1 / count + 1 / rest, clusters], [-1 / rest, total.clusters]);
    let variance = squares;
    for (const [cluster, value] of said) variance += value * (value + 2 * (spoken.get(cluster) as number));
    const half = (bound * Math.sqrt(Math.max(0, variance))) / Math.LN2;
    return { log_ratio, log_ratio_low: log_ratio - half, log_ratio_high: log_ratio + half };
  };
}
