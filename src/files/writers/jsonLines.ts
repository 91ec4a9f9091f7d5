import { numberedColumns } from "../../frames/frameColumns.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { textColumns } from "./textColumns.js";

/**
 * Makes JSON of frames of one schema: an object per row, each with its line end. Moments are text as in
 * {@link textColumns}, whole numbers have all their digits, NaN and infinities are null.
 */
export function jsonLines(): (frame: PolarsFrame) => Buffer {
  let columns: readonly pl.Expr[] | undefined;
  return (frame) => {
    columns ??= textColumns(frame.dtypes);
    const rows = numberedColumns(frame).select(...columns);
    rows.columns = frame.columns;
    return rows.writeJSON({ format: "lines" });
  };
}
