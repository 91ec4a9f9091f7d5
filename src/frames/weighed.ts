import type { PolarsFrame } from "./polars.js";

const weights = new WeakMap<PolarsFrame, Buffer>();

/**
 * Tells V8 how much memory a frame holds. V8 sees a small object, and would let hundreds of megabytes of frames that nobody
 * uses any more pile up before it collects garbage. A buffer that nobody writes to takes no memory, but V8 counts it.
 */
export function weighed(frame: PolarsFrame, bytes: number): PolarsFrame {
  weights.set(frame, Buffer.allocUnsafeSlow(bytes));
  return frame;
}
