import type { PolarsFrame } from "./polars.js";

/**
 * The frame with columns called `c0`, `c1`, …: names come from the wire, an expression would take `*` and `^…$` for patterns, and a
 * column called `rows` hides a method of its frame.
 */
export function plainNames(frame: PolarsFrame): PolarsFrame {
  const plain = frame.clone();
  plain.columns = frame.columns.map((_name, at) => `c${at}`);
  return plain;
}
