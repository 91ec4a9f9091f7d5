import type { PolarsFrame } from "../frames/polars.js";
import type { Step } from "./step.js";

/** The streamed verbs of a scan, applied to frame after frame; slices count over all of them. */
export class Pipeline {
  readonly #slices: Map<Step, { skip: number; left: number }>;

  constructor(readonly steps: readonly Step[]) {
    this.#slices = new Map(
      steps.flatMap((step) =>
        step.slice ? [[step, { skip: step.slice.offset, left: step.slice.length }] as const] : [],
      ),
    );
  }

  /** A slice has let through all it does: nothing that comes can add a row. */
  get full(): boolean {
    for (const { left } of this.#slices.values()) if (left === 0) return true;
    return false;
  }

  /** What becomes of the next frame. */
  apply(frame: PolarsFrame): PolarsFrame {
    let lazy = frame.lazy();
    let pending = false;
    for (const step of this.steps) {
      const counter = this.#slices.get(step);
      if (counter === undefined) {
        lazy = step.apply(lazy);
        pending = true;
        continue;
      }
      const rows = pending ? lazy.collectSync() : frame;
      const skipped = Math.min(counter.skip, rows.height);
      const taken = Math.min(counter.left, rows.height - skipped);
      counter.skip -= skipped;
      counter.left -= taken;
      frame = taken === rows.height ? rows : rows.slice(skipped, taken);
      lazy = frame.lazy();
      pending = false;
    }
    return pending ? lazy.collectSync() : frame;
  }
}
