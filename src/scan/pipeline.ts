import type { PolarsFrame } from "../frames/polars.js";
import type { Verb } from "./verbs.js";

/** How many rows a slice has still to skip, and then to let through. */
interface Counter {
  skip: number;
  left: number;
}

/** The streamed verbs of a scan, applied to frame after frame. Slices count rows across frames. */
export class Pipeline {
  readonly #slices: Map<Verb, Counter>;

  constructor(
    readonly verbs: readonly Verb[],
    slices?: ReadonlyMap<Verb, Counter>,
  ) {
    this.#slices = new Map(slices);
    if (slices !== undefined) return;
    for (const verb of verbs) {
      if (verb.slice) this.#slices.set(verb, { skip: verb.slice.offset, left: verb.slice.length });
    }
  }

  /** A slice is complete, so further frames cannot add a row. */
  get isFull(): boolean {
    for (const { left } of this.#slices.values()) if (left === 0) return true;
    return false;
  }

  /** An independent copy with the same counters. */
  fork(): Pipeline {
    return new Pipeline(this.verbs, new Map([...this.#slices].map(([verb, counter]) => [verb, { ...counter }])));
  }

  /** How many rows of a frame are needed to let `count` rows through. */
  rowsFor(frame: PolarsFrame, count: number): number {
    let [low, high] = [0, frame.height];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.fork().apply(frame.slice(0, middle)).height >= count) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Applies the verbs to the next frame. */
  apply(frame: PolarsFrame): PolarsFrame {
    let lazy = frame.lazy();
    let pending = false;
    for (const verb of this.verbs) {
      const counter = this.#slices.get(verb);
      if (counter === undefined) {
        lazy = verb.apply(lazy);
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
