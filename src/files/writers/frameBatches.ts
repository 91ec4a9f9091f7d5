import { type PolarsFrame, pl } from "../../frames/polars.js";

/** Frames of one schema and of any sizes, as frames of one size: what is made of them does not depend on how rows come. */
export class FrameBatches {
  readonly #size: number;
  #frames: PolarsFrame[] = [];
  #rows = 0;

  /** @param size rows of a batch */
  constructor(size: number) {
    this.#size = size;
  }

  /** Rows that wait for a full batch. */
  get rows(): number {
    return this.#rows;
  }

  /** Whether there is nothing to take, not even a frame without rows. */
  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Adds a frame, and gives the batches that are full by it; all of them are to be taken. */
  *add(frame: PolarsFrame): Generator<PolarsFrame> {
    let from = 0;
    do {
      const rows = Math.min(this.#size - this.#rows, frame.height - from);
      this.#frames.push(frame.slice(from, rows));
      this.#rows += rows;
      from += rows;
      if (this.#rows === this.#size) yield this.take();
    } while (from < frame.height);
  }

  /** What waits, as one frame. */
  take(): PolarsFrame {
    const frames = this.#frames;
    this.#frames = [];
    this.#rows = 0;
    // Linear, as "vertical" is not.
    return pl.concat(frames, { how: "diagonal" });
  }
}
