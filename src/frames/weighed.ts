import { mappedMemory } from "../util/mappedMemory.js";
import type { PolarsFrame } from "./polars.js";

const weights = new WeakMap<PolarsFrame, ArrayBufferLike>();

/** The system limits how many mappings a process has, so small frames have none. */
const SMALLEST_MAPPED = 2 ** 17;

/**
 * Tells V8 how much memory a frame holds. V8 sees a small object, and would let hundreds of megabytes of frames that nobody
 * uses any more pile up before it collects garbage. Memory that nobody writes to costs nothing, but V8 counts it.
 */
export function weighed(frame: PolarsFrame, bytes: number): PolarsFrame {
  weights.set(frame, bytes < SMALLEST_MAPPED ? Buffer.allocUnsafeSlow(bytes).buffer : mappedMemory(bytes));
  return frame;
}

/** Tells V8 that a frame holds as much memory as its parts. */
export function weighedLike(frame: PolarsFrame, parts: readonly PolarsFrame[]): PolarsFrame {
  if (parts.includes(frame)) return frame;
  return weighed(
    frame,
    parts.reduce((sum, part) => sum + (weights.get(part)?.byteLength ?? 0), 0),
  );
}
