import type { PolarsFrame } from "../frames/polars.js";
import { runPolars } from "./scanPlan.js";
import type { Verb } from "./verbs.js";

/** Verbs that run frame by frame; a `head` counts rows across frames. */
export class PageVerbs {
  /** For each verb, the rows that it may still keep. */
  readonly #left: number[];

  constructor(readonly verbs: readonly Verb[]) {
    this.#left = verbs.map(({ rows }) => rows ?? Number.POSITIVE_INFINITY);
  }

  /** A `head` is complete, so further frames cannot add a row. */
  get isFull(): boolean {
    return this.#left.includes(0);
  }

  apply(frame: PolarsFrame): PolarsFrame {
    return this.verbs.reduce((rows, verb, at) => {
      if (verb.rows === undefined) return runPolars(() => verb.apply(rows.lazy()).collectSync());
      const first = rows.head(this.#left[at]);
      this.#left[at] = (this.#left[at] as number) - first.height;
      return first;
    }, frame);
  }
}
