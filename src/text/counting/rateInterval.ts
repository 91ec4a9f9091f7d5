import { faulty, invalid, nonEmptyString, positiveNumber } from "../../errors/validators.js";
import { warnOnce } from "../../errors/warn.js";
import { poissonInterval, wilsonInterval } from "../statistics.js";
import { type ClusteredRatio, clusteredInterval, FEW_CLUSTERS, MIN_CLUSTERS } from "./clusteredRatio.js";
import type { Per } from "./tallies.js";

/** A rate with its interval; null where there is none. */
export interface Rate {
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How a rate and its interval are computed. */
export interface RateForm {
  readonly per: Per;
  readonly confidence: number;
  /** How many clusters there are in all rows; undefined for independent matches. */
  readonly clusters: number | undefined;
}

/**
 * A rate with its interval, in its unit. With clusters the interval is linearised; a rate of 0, whose clusters show no variance, and a rate of
 * independent matches have exact ones: Garwood's of counts per word or hour, Wilson's of shares of mentions.
 */
export function rateInterval(ratio: ClusteredRatio, { per, confidence, clusters }: RateForm): Rate {
  const { count, denominator, value, influence } = ratio;
  if (denominator === 0) return { rate: null, low: null, high: null };
  const isShare = per === "mention";
  if (isShare && count > denominator) {
    const hint = "Give all speech that the source is a part of.";
    throw faulty("baseline", "it has fewer mentions than contain the pattern", hint);
  }
  const scale = unitOf(per) / denominator;
  const rate = count * scale;
  if (clusters !== undefined && influence.size < MIN_CLUSTERS) return { rate, low: null, high: null };
  if (clusters !== undefined && count > 0) {
    const { low, high } = clusteredInterval(value, influence, clusters, confidence);
    const unit = unitOf(per);
    return { rate, low: Math.max(0, low * unit), high: isShare ? Math.min(1, high) : high * unit };
  }
  if (isShare) return { rate, ...wilsonInterval(count, denominator, confidence) };
  const { low, high } = poissonInterval(count, confidence);
  return { rate, low: low * scale, high: high * scale };
}

/** What the rates of a unit are multiplied by. */
export function unitOf(per: Per): number {
  return typeof per === "number" ? per : 1;
}

/** Checks a unit. Default 10,000 words. */
export function checkedPer(per: unknown = 10_000): Per {
  if (per === "hour" || per === "mention") return per;
  if (typeof per === "number") return positiveNumber("per", per, 10_000, "words");
  throw invalid("per", per, 'Give a number of words, "hour" or "mention".');
}

/** Checks a confidence. Default 0.95. */
export function checkedConfidence(confidence: unknown = 0.95): number {
  if (typeof confidence === "number" && confidence > 0 && confidence < 1) return confidence;
  throw invalid("confidence", confidence, "Give a number between 0 and 1, for example confidence: 0.95.");
}

export function checkedCluster<T>(cluster: T): T {
  if (cluster !== undefined) nonEmptyString("cluster", cluster, "personid");
  return cluster;
}

/**
 * Warns once about fewer than 30 clusters.
 *
 * @param where the group that has them, for the message
 * @throws ValidationError for fewer than 5
 */
export function checkClusters(clusters: number, cluster: string, where = ""): void {
  if (clusters < MIN_CLUSTERS) {
    const hint = `Give a column with at least ${MIN_CLUSTERS}, better ${FEW_CLUSTERS}, or more rows.`;
    throw faulty("cluster", `"${cluster}" has ${clusters} values${where}, too few for an interval`, hint);
  }
  if (clusters >= FEW_CLUSTERS) return;
  warnOnce(
    "FEW_CLUSTERS",
    `"${cluster}" has ${clusters} values${where}. Intervals from fewer than ${FEW_CLUSTERS} clusters tend to be too narrow.`,
  );
}
