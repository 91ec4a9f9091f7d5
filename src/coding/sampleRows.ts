import { checkedOptions, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { checkPolarsFrame } from "../frames/engine.js";
import type { PolarsFrame } from "../frames/polars.js";
import { withStep } from "../text/read/textSource.js";
import { seededRandom } from "../util/seededRandom.js";
import { rowsAt } from "./passages.js";

/** Options of {@link sampleRows}. */
export interface SampleRowsOptions {
  /** Rows to draw; of a smaller frame, all of them. */
  rows: number;
  /** The same seed draws the same rows of the same frame. Default 1. */
  seed?: number | undefined;
}

/**
 * Draws a random sample of the rows of a frame, each equally likely, in the order of the frame.
 *
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 1000 });
 * const sample = sampleRows(frame, { rows: 200, seed: 1 });
 * sample.height; //=> 200
 */
export function sampleRows(frame: PolarsFrame, options: SampleRowsOptions): PolarsFrame {
  const given = checkedOptions(options, ["rows", "seed"], "option of sampleRows");
  checkPolarsFrame(frame);
  const rows = Math.min(positiveInteger("rows", given.rows, 200), frame.height);
  const seed = nonNegativeInteger("seed", given.seed ?? 1, 1);
  const drawn = shuffled([...Array(frame.height).keys()], seededRandom(seed)).slice(0, rows);
  const positions = drawn.toSorted((a, b) => a - b);
  return withStep(frame, rowsAt(frame, positions), "sampleRows", `sampled at random with the seed ${seed}`);
}

/** In random order. */
export function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  const keyed = values.map((value) => ({ value, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
