import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { columnsOf, resultFrame } from "../../../frames/resultFrame.js";
import { describeTables, labelsText } from "./describeTables.js";

/**
 * The codebook of a corpus as a frame: one row per column of its tables, with `table`, `column`, `meaning`, `unit`, `dtype`, `rows`,
 * `nulls` (share of rows without a value), `examples` and `labels` (names of values, `18 = Debate`).
 *
 * @example
 * codebook("inflation/").filter(pl.col("table").eq(pl.lit("mentions")));
 */
export function codebook(dir: string): PolarsFrame {
  const described = describeTables(dir).flatMap(({ name: table, rows, columns }) =>
    columns.map(({ name: column, examples, labels, ...rest }) => {
      const texts = { examples: examples.join("; ") || null, labels: labelsText(labels) || null };
      return { table, column, rows, ...rest, ...texts };
    }),
  );
  return resultFrame([
    ...columnsOf(described, pl.String, "table", "column", "meaning", "unit", "dtype"),
    ...columnsOf(described, pl.Int64, "rows"),
    ...columnsOf(described, pl.Float64, "nulls"),
    ...columnsOf(described, pl.String, "examples", "labels"),
  ]);
}
