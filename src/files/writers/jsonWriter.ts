import { numberedColumns } from "../../frames/frameColumns.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { BufferedFile } from "../bufferedFile.js";
import type { OpenWriter } from "../frameWriter.js";
import { textColumns } from "./textColumns.js";

const LINE_END = 0x0a;
const COMMA = 0x2c;

/** Writes JSON Lines: an object per row and line, see {@link jsonLines}. */
export const jsonlWriter: OpenWriter = (target) => {
  const file = new BufferedFile(target);
  const toLines = jsonLines();
  return {
    write: (frame) => file.write(toLines(frame)),
    end: () => file.end(),
    abort: () => file.abort(),
  };
};

/** Writes a JSON array with one row per line, see {@link jsonLines}. */
export const jsonWriter: OpenWriter = (target) => {
  const file = new BufferedFile(target);
  const toLines = jsonLines();
  let isEmpty = true;
  return {
    async write(frame) {
      if (frame.height === 0) return;
      await file.write(isEmpty ? "[\n" : ",\n");
      isEmpty = false;
      await file.write(joinWithCommas(toLines(frame), frame.height));
    },
    async end() {
      await file.write(isEmpty ? "[]\n" : "\n]\n");
      await file.end();
    },
    abort: () => file.abort(),
  };
};

/** Puts commas between lines, and removes the last line end. JSON rows contain no raw line ends. */
function joinWithCommas(lines: Buffer, rows: number): Buffer {
  const list = Buffer.allocUnsafe(lines.length + rows - 2);
  let to = 0;
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf(LINE_END, from);
    if (from > 0) to = list.writeUInt8(LINE_END, list.writeUInt8(COMMA, to));
    to += lines.copy(list, to, from, end);
    from = end + 1;
  }
  return list;
}

/**
 * Returns a function that formats frames of one schema as JSON Lines. Timestamps are text as in {@link textColumns}, integers
 * keep all their digits, NaN and infinities are null.
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
