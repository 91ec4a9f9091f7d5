import { faulty, invalid, nonEmptyString } from "../../errors/validators.js";
import { designOfParameter } from "../../frames/designOf.js";
import { columnCells } from "../../frames/frameColumns.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { requireColumns } from "./columns.js";
import { readProvenance, type TextSource } from "./textSource.js";

export interface WeightsOption {
  /**
   * The column with how many rows each row stands for, or `false` to count all rows alike. Default: 1 / probability for a sample, see `designOf`,
   * otherwise all alike.
   */
  weights?: string | false | undefined;
}

export interface OnceOption {
  /** Counts a speech that was broadcast several times once, see {@link reairings}; holds all rows in memory. Default false: a note says how many rows repeat others. */
  once?: boolean | undefined;
}

/** Whether the rows of a source count as often as they stand for others, for its provenance. */
export function isWeighted(source: TextSource, option: string | false | undefined): true | undefined {
  const isSample = typeof option === "string" || (option !== false && readProvenance(source)?.design !== undefined);
  return isSample || undefined;
}

export interface RowDesign {
  readonly weights: readonly number[];
  readonly stratum: readonly string[];
  readonly unit: readonly (string | null)[];
}

/** Weights of rows that come in batches, and what they add up to. */
export class RowWeights {
  #rows = 0;
  #total = 0;
  #least = Number.POSITIVE_INFINITY;
  #most = 0;

  constructor(readonly option: string | false | undefined) {
    if (option === undefined || option === false) return;
    if (typeof option !== "string") throw invalid("weights", option, "Give the name of a column, or false.");
    nonEmptyString("weights", option, "weight");
  }

  /** How the rows of a frame were drawn; undefined for rows that all count alike. */
  of(frame: PolarsFrame, name = "source"): RowDesign | undefined {
    const design = this.option === false ? undefined : this.#designOf(frame, name);
    this.#rows += frame.height;
    for (const weight of design?.weights ?? []) {
      this.#least = Math.min(this.#least, weight);
      this.#most = Math.max(this.#most, weight);
    }
    this.#total += design?.weights.reduce((sum, weight) => sum + weight, 0) ?? frame.height;
    return design;
  }

  #designOf(frame: PolarsFrame, name: string): RowDesign | undefined {
    if (typeof this.option !== "string")
      return designOfParameter(frame, name, ", or give weights: false to count all rows alike");
    requireColumns(frame, [this.option], name);
    const weights = columnCells(frame, this.option).map(Number);
    const wrong = weights.filter((weight) => !(weight > 0 && weight < Number.POSITIVE_INFINITY)).length;
    if (wrong > 0)
      throw faulty("weights", `${wrong} rows of "${this.option}" have none above 0`, "Filter them out first.");
    return { weights, stratum: weights.map(() => "all"), unit: weights.map(() => null) };
  }

  get differ(): boolean {
    return this.#most > 0 && this.#most - this.#least > 1e-9 * this.#most;
  }

  /** The factor for weighted sums that makes all rows together count as their number. */
  get scale(): number {
    return this.#rows === 0 ? 1 : this.#rows / this.#total;
  }

  /** A weighted sum of whole numbers at that scale: whole again if all rows count alike. */
  scaled(sum: number): number {
    return this.differ ? sum * this.scale : Math.round(sum * this.scale);
  }
}

/** A weighted count as a whole number: the half that the order of rows leaves in the last digits of a sum goes up. */
export function wholeNumber(count: number): number {
  return Math.round(Number(count.toPrecision(12)));
}
