import type { PolarsFrame } from "./polars.js";

/**
 * The columns of these names, in this order. Given as one list, which polars takes although its types do not say so: of arguments
 * there can be too many.
 */
export function selectColumns(frame: PolarsFrame, names: readonly string[]): PolarsFrame {
  return frame.select(names as unknown as string);
}
