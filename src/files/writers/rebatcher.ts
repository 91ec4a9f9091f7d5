import { type PolarsFrame, pl } from "../../frames/polars.js";

/** Turns frames of any size into batches of one size, so that the output does not depend on how the rows arrive. */
export class Rebatcher {
  readonly #size: number;
  #frames: PolarsFrame[] = [];
  #rows = 0;

  /** @param size rows per batch */
  constructor(size: number) {
    this.#size = size;
  }

  /** Rows in the incomplete batch. */
  get rows(): number {
    return this.#rows;
  }

  /** There is no frame to take, not even one without rows. */
  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Adds a frame and yields the batches that it completes. Consume all of them. */
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

  /** Takes the incomplete batch. */
  take(): PolarsFrame {
    const frames = this.#frames;
    this.#frames = [];
    this.#rows = 0;
    // "vertical" takes quadratic time.
    return pl.concat(frames, { how: "diagonal" });
  }
}
