import type { PolarsFrame } from "../frames/polars.js";
import type { Verb } from "./verbs.js";

interface Counter {
  skip: number;
  left: number;
}

/** The streamed verbs of a scan, applied to frame after frame; slices count over all of them. */
export class Pipeline {
  readonly #slices: Map<Verb, Counter>;

  constructor(
    readonly steps: readonly Verb[],
    slices?: ReadonlyMap<Verb, Counter>,
  ) {
    this.#slices = new Map(slices);
    if (slices !== undefined) return;
    for (const step of steps) {
      if (step.slice) this.#slices.set(step, { skip: step.slice.offset, left: step.slice.length });
    }
  }

  /** A slice has let through all it does: nothing that comes can add a row. */
  get full(): boolean {
    for (const { left } of this.#slices.values()) if (left === 0) return true;
    return false;
  }

  /** The same verbs as far as they have come, to go on by themselves. */
  fork(): Pipeline {
    return new Pipeline(this.steps, new Map([...this.#slices].map(([step, counter]) => [step, { ...counter }])));
  }

  /** How many rows of a frame it takes to let `count` rows through. */
  rowsFor(frame: PolarsFrame, count: number): number {
    let [low, high] = [0, frame.height];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.fork().apply(frame.slice(0, middle)).height >= count) high = middle;
      else low = middle + 1;
    }
    return low;
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
