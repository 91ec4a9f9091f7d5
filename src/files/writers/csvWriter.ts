import { numberedColumns } from "../../frames/frameColumns.js";
import type { PolarsFrame, pl } from "../../frames/polars.js";
import { BufferedFile } from "../bufferedFile.js";
import type { FormatOptions, FrameWriter, WriterTarget } from "../frameWriter.js";
import { csvColumns, csvHeader } from "./csvColumns.js";

const DIALECT = { includeHeader: false, separator: ",", quoteChar: '"', lineTerminator: "\r\n" };

/**
 * Writes CSV by RFC 4180: UTF-8, a header, CR LF line ends. Missing values are empty fields, empty strings are `""` (as are
 * missing values in a single column). Timestamps, dates and durations are ISO 8601 text, lists and structs are JSON.
 */
export function csvWriter(target: WriterTarget, { bom = false, excelSafe = false }: FormatOptions): FrameWriter {
  const file = new BufferedFile(target);
  let columns: readonly pl.Expr[] | undefined;
  return {
    async write(frame) {
      if (columns === undefined) {
        columns = csvColumns(frame.dtypes, excelSafe);
        await file.write(`${bom ? "\ufeff" : ""}${csvHeader(frame.columns, excelSafe)}\r\n`);
      }
      if (frame.height === 0) return;
      await file.write(csvLinesOf(frame, columns));
    },
    end: () => file.end(),
    abort: () => file.abort(),
  };
}

function csvLinesOf(frame: PolarsFrame, columns: readonly pl.Expr[]): Buffer {
  return numberedColumns(frame)
    .withColumns(...columns)
    .writeCSV(DIALECT);
}

/** A frame as the text that {@link csvWriter} writes; empty without columns. */
export function csvText(frame: PolarsFrame): string {
  if (frame.width === 0) return "";
  const lines = frame.height === 0 ? "" : csvLinesOf(frame, csvColumns(frame.dtypes, false));
  return `${csvHeader(frame.columns, false)}\r\n${lines}`;
}
