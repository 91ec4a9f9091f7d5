import { join } from "node:path";
import { checkedOptions, invalid } from "../errors/validators.js";
import { isDanfoFrame } from "../frames/danfo.js";
import { type Engine, type FrameTypes, isPolarsFrame } from "../frames/engine.js";
import { stringifyExact } from "../frames/exactJson.js";
import { selectColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { toRecords } from "../frames/toRecords.js";
import { outputPath, WRITE_OPTIONS, type WriteOptions } from "./outputPath.js";
import { StagingDirectory } from "./stagingDirectory.js";
import { CSV_DIALECT, csvRows, jsonRows } from "./textColumns.js";
import { writeLazy, writeRows } from "./writeRows.js";

/**
 * Writes a frame to a file: CSV, JSON, JSON Lines, XLSX, Parquet or Arrow, by `format` or by the extension. An existing file is replaced in
 * one step.
 *
 * @param frame a polars or a danfo frame
 * @param dest a file or a directory. A path is a directory if it ends in `/`, is an existing directory, or has no extension (`"out"`); the
 * file in it is called `frame.<format>` or `filename`
 * @returns the path of the file
 * @example
 * await saveFrame(pl.DataFrame({ a: [1, 2] }), "numbers.csv"); //=> "numbers.csv"
 */
export async function saveFrame(frame: FrameTypes[Engine], dest: string, options: WriteOptions = {}): Promise<string> {
  const checked = checkedOptions(options, WRITE_OPTIONS, "option of saveFrame");
  const rows = asPolarsFrame(frame);
  if (rows === undefined)
    throw invalid("frame", frame, "Give a polars or a danfo frame. toDataFrame(rows) makes one from rows.");
  const target = outputPath(dest, "frame", checked);
  const staging = new StagingDirectory(target);
  try {
    const provenance = provenanceOf(frame);
    const output = staging.writerTarget();
    const file = await writeLazy(rows.lazy(), join(output.scratch, "rows.arrow"));
    await staging.publish(await writeRows([file], output, target, provenance), provenance);
    return target.path;
  } catch (error) {
    staging.remove();
    throw staging.toError(error);
  } finally {
    staging.release();
  }
}

/** A frame of any engine as a polars frame; undefined for anything else. */
function asPolarsFrame(value: unknown): PolarsFrame | undefined {
  if (isPolarsFrame(value)) return value;
  return isDanfoFrame(value) ? toDataFrame(value) : undefined;
}

/**
 * Formats rows (see `toRecords`) as CSV (RFC 4180), a frame like `saveFrame`: timestamps to the microsecond, durations in ISO 8601, floats
 * as `1.0`. Nested values become JSON text, null an empty field, and an empty string `""`. Text is not escaped for spreadsheets: for that,
 * use `excelSafe` of `saveFrame`.
 *
 * @param options `columns`: columns to put first, even if no row has them. Default: the order of appearance
 * @throws ValidationError for values that JSON cannot represent, such as a Map or a URL; ArchiveError `TOO_MANY_COLUMNS`
 * @example
 * toCsv([{ id: 1, title: "Build, Back" }, { id: 2, title: null }]);
 * //=> 'id,title\r\n1,"Build, Back"\r\n2,\r\n'
 */
export function toCsv(data: unknown, options: { columns?: readonly string[] | undefined } = {}): string {
  const { columns: first = [] } = checkedOptions(options, ["columns"], "option of toCsv");
  const frame = withLeadingColumns(asPolarsFrame(data) ?? toDataFrame(data), [...new Set(first)]);
  return frame.width === 0 ? "" : String(csvRows(frame.lazy(), frame).collectSync().writeCSV(CSV_DIALECT));
}

/** Puts columns first, and adds those that are missing, with nulls. */
function withLeadingColumns(frame: PolarsFrame, first: readonly string[]): PolarsFrame {
  if (first.length === 0) return frame;
  const existing = new Set(frame.columns);
  const missing = first.filter((name) => !existing.has(name));
  const nullColumns = missing.map((name) => pl.Series(name, new Array<null>(frame.height).fill(null), pl.Utf8));
  return selectColumns(frame.hstack(nullColumns) as unknown as PolarsFrame, [...new Set([...first, ...existing])]);
}

/**
 * Formats rows (see `toRecords`) as JSON Lines: one JSON object per line, with timestamps to the microsecond.
 *
 * @example
 * toJsonl({ bills: [{ id: 1 }, { id: 2 }], cursor: "VdRM" }); //=> '{"id":1}\n{"id":2}\n'
 */
export function toJsonl(data: unknown): string {
  const frame = asPolarsFrame(data);
  if (frame?.height === 0) return "";
  if (frame !== undefined) return String(jsonRows(frame.lazy(), frame).collectSync().writeJSON({ format: "lines" }));
  return toRecords(data)
    .map((row) => `${stringifyExact(row)}\n`)
    .join("");
}
