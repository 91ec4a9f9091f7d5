import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { columnsOf, resultFrame } from "../../../frames/resultFrame.js";
import { readIndex } from "../tableFiles.js";
import { describeTables, labelsText } from "./describeTables.js";

/** See `corpus.codebook`. */
export function codebook(dir: string): PolarsFrame {
  const described = describeTables(dir, readIndex(dir)?.files ?? []).flatMap(({ name: table, rows, columns }) =>
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
