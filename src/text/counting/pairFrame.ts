import { type PolarsFrame, pl } from "../../frames/polars.js";
import { resultFrame } from "../source/resultFrame.js";

/**
 * A frame with one row for every two of some names, `a` and `b`, and a column for each measure.
 *
 * @param by the measure to sort by, largest first
 */
export function pairFrame(
  names: readonly string[],
  measures: Readonly<Record<string, (a: number, b: number) => number>>,
  by: string,
): PolarsFrame {
  const rows = names.flatMap((a, at) =>
    names.slice(at + 1).map((b, after) => {
      const values = Object.entries(measures).map(([name, measure]) => [name, measure(at, at + 1 + after)] as const);
      return { a, b, values: Object.fromEntries(values) as Record<string, number> };
    }),
  );
  rows.sort((x, y) => (y.values[by] as number) - (x.values[by] as number));
  return resultFrame([
    { name: "a", values: rows.map(({ a }) => a), dtype: pl.Utf8 },
    { name: "b", values: rows.map(({ b }) => b), dtype: pl.Utf8 },
    ...Object.keys(measures).map((name) => ({
      name,
      values: rows.map(({ values }) => values[name]),
      dtype: pl.Float64,
    })),
  ]);
}
