import { checkedOptions, invalid, positiveInteger, positiveNumber } from "../errors/validators.js";
import { checkedConfidence } from "../text/counting/rateRows.js";
import { normalBound } from "../text/statistics.js";

/** Options of {@link sampleSize}. */
export interface SampleSizeOptions {
  /** The share that you expect, between 0 and 1. Default 0.5, which needs most passages. */
  share?: number | undefined;
  /** Half of the interval that you want: `0.05` for ± 5 percentage points. */
  halfWidth?: number | undefined;
  /** Instead of `halfWidth`, the passages that you can code in all. */
  rows?: number | undefined;
  /** The design effect, as `rates` and a pilot sample tell it: 1 for independent passages. Default 1. */
  deff?: number | undefined;
  /** Groups that are estimated separately. Default 1. */
  groups?: number | undefined;
  /** Confidence of the interval, between 0 and 1. Default 0.95. */
  confidence?: number | undefined;
}

/** What {@link sampleSize} returns. */
export interface SampleSize {
  /** Passages to code in all. */
  readonly rows: number;
  /** Passages to code in each group. */
  readonly perGroup: number;
  /** Half of the interval of the share of a group. */
  readonly halfWidth: number;
}

/**
 * How many passages to code for an interval of a given width, or how wide the interval of so many passages is: z² share (1 − share) deff / halfWidth² in each group
 * (Cochran 1977, "Sampling techniques", chapter 4). A machine's codes make intervals shorter; `estimate` says by how much (`effective_rows`).
 *
 * @throws ValidationError for invalid options, and for both of `halfWidth` and `rows`, or none
 * @example
 * sampleSize({ share: 0.3, halfWidth: 0.05, deff: 1.5 }).rows; //=> 485
 * sampleSize({ share: 0.3, rows: 485, deff: 1.5 }).halfWidth.toFixed(3); //=> "0.050"
 */
export function sampleSize(given: SampleSizeOptions): SampleSize {
  const names = ["share", "halfWidth", "rows", "deff", "groups", "confidence"];
  const options = checkedOptions(given, names, "option of sampleSize");
  const { share = 0.5, halfWidth, rows, deff = 1, groups = 1, confidence } = options;
  if (!(typeof share === "number" && share > 0 && share < 1))
    throw invalid("share", share, "Give a share between 0 and 1, for example share: 0.3.");
  if ((halfWidth === undefined) === (rows === undefined))
    throw invalid("halfWidth", halfWidth, "Give either halfWidth, for example 0.05, or rows.");
  positiveNumber("deff", deff, 1.5, "times the variance of independent passages");
  positiveInteger("groups", groups, 2);
  const variance = normalBound(checkedConfidence(confidence)) ** 2 * share * (1 - share) * deff;
  if (rows !== undefined) {
    const perGroup = Math.floor(positiveInteger("rows", rows, 400) / groups);
    if (perGroup === 0) throw invalid("rows", rows, "Give at least one for each group.");
    return { rows, perGroup, halfWidth: Math.sqrt(variance / perGroup) };
  }
  if (!(typeof halfWidth === "number" && halfWidth > 0 && halfWidth < 1))
    throw invalid("halfWidth", halfWidth, "Give a share between 0 and 1, for example halfWidth: 0.05.");
  // 484.0000001 passages are 484.
  const perGroup = Math.ceil(variance / halfWidth ** 2 - 1e-9);
  return { rows: perGroup * groups, perGroup, halfWidth };
}
