import { numberedColumns } from "../../frames/frameColumns.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { BufferedFile } from "../bufferedFile.js";
import type { OpenWriter } from "../frameWriter.js";
import { textColumns } from "./csvWriter.js";

/** Writes JSON Lines, see {@link jsonLines}. */
export const jsonlWriter: OpenWriter = (target) => {
  const file = new BufferedFile(target);
  const toLines = jsonLines();
  return { write: (frame) => file.write(toLines(frame)), end: () => file.end(), abort: () => file.abort() };
};

/** Writes a JSON array with one row per line, see {@link jsonLines}. */
export const jsonWriter: OpenWriter = (target) => {
  const file = new BufferedFile(target);
  const toLines = jsonLines();
  let before = "[\n";
  return {
    async write(frame) {
      if (frame.height === 0) return;
      // A row of JSON contains no line break.
      await file.write(before + toLines(frame).toString().trimEnd().replaceAll("\n", ",\n"));
      before = ",\n";
    },
    async end() {
      await file.write(before === ",\n" ? "\n]\n" : "[]\n");
      await file.end();
    },
    abort: () => file.abort(),
  };
};

/**
 * Returns a function that formats frames of one schema as JSON Lines. Timestamps are text as in {@link textColumns}, integers keep all
 * digits, NaN and infinities become null.
 */
export function jsonLines(): (frame: PolarsFrame) => Buffer {
  let columns: readonly pl.Expr[] | undefined;
  return (frame) => {
    columns ??= textColumns(frame.dtypes);
    const rows = numberedColumns(frame).withColumns(...columns);
    rows.columns = frame.columns;
    return rows.writeJSON({ format: "lines" });
  };
}
