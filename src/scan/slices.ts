import type { PolarsFrame } from "../frames/polars.js";
import { runPolars } from "./scanPlan.js";
import type { Verb } from "./verbs.js";

/** Verbs that run frame by frame. Their slices count rows across frames. */
export class Slices {
  readonly #left: ReadonlyArray<{ skip: number; keep: number }>;

  constructor(readonly verbs: readonly Verb[]) {
    this.#left = verbs.map(({ slice }) => ({
      skip: slice?.offset ?? 0,
      keep: slice?.length ?? Number.POSITIVE_INFINITY,
    }));
  }

  /** A slice is complete, so further frames cannot add a row. */
  get isFull(): boolean {
    return this.#left.some(({ keep }) => keep === 0);
  }

  apply(frame: PolarsFrame): PolarsFrame {
    return this.verbs.reduce((rows, verb, at) => {
      if (verb.slice === undefined) return runPolars(() => verb.apply(rows.lazy()).collectSync());
      const left = this.#left[at] as { skip: number; keep: number };
      const skipped = Math.min(left.skip, rows.height);
      const kept = Math.min(left.keep, rows.height - skipped);
      left.skip -= skipped;
      left.keep -= kept;
      return rows.slice(skipped, kept);
    }, frame);
  }
}
