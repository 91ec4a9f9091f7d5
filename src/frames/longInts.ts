import type { PolarsFrame } from "./polars.js";

/** The Int64 columns with values beyond 2^53, which JavaScript numbers would round. */
export function longInts(frame: PolarsFrame): string[] {
  return frame.columns.filter((name, at) => {
    if (frame.dtypes[at]?.variant !== "Int64") return false;
    const column = frame.getColumn(name);
    return [column.min(), column.max()].some((value) => value !== null && !Number.isSafeInteger(value));
  });
}
