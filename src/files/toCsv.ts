import { checkedOptions } from "../errors/validators.js";
import { dateText, stringifyExact } from "../frames/exactJson.js";
import { selectColumns } from "../frames/frameColumns.js";
import { CELLS_PER_VALUE, checkCells } from "../frames/irregularRows.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { checkedRecords } from "../frames/toRecords.js";
import { sum } from "../util/sum.js";
import { asPolarsFrame } from "./saveFrame.js";
import { csvText, headerField, jsonLines } from "./writers/textWriters.js";

/**
 * Formats rows as CSV (RFC 4180): a header and one line per row, with CR LF line ends. Accepts anything that {@link toRecords} accepts.
 * A frame is formatted as by {@link saveFrame}: timestamps to the microsecond, durations in ISO 8601, floats as `1.0`. In rows, nested
 * values become JSON text. Missing values and null become an empty field, and an empty string becomes `""` (as does null in a single
 * column, where an empty field would be a blank line that readers skip).
 *
 * Text is not escaped for spreadsheets: a string that begins with `=` is written unchanged. For that, use `excelSafe` of
 * {@link saveFrame}.
 *
 * @param options `columns`: columns to put first, even if no row has them. The others follow in order of appearance. Default: none
 * @throws ValidationError for values that JSON cannot represent, such as a Map or a URL; ArchiveError `TOO_MANY_CELLS` if most rows have
 *   different columns, so that nearly all fields would be empty
 * @example
 * toCsv([{ id: 1, title: "Build, Back" }, { id: 2, title: null }]);
 * //=> 'id,title\r\n1,"Build, Back"\r\n2,\r\n'
 */
export function toCsv(data: unknown, options: { columns?: readonly string[] | undefined } = {}): string {
  const { columns: first = [] } = checkedOptions(options, ["columns"], "option of toCsv");
  const frame = asPolarsFrame(data);
  if (frame !== undefined) return csvText(withFirst(frame, [...new Set(first)]));
  const rows = checkedRecords(data);
  const columns = new Set(first);
  for (const row of rows) for (const name of Object.keys(row)) columns.add(name);
  if (columns.size === 0) return "";
  const extraColumns = columns.size - new Set(first).size;
  const values = sum(rows.map((row) => Object.keys(row).length));
  checkCells(rows.length, extraColumns, CELLS_PER_VALUE * values);
  const names = [...columns];
  // Inherited members such as `constructor` are not data.
  const own = (row: Record<string, unknown>, name: string) => (Object.hasOwn(row, name) ? row[name] : undefined);
  return [names.map(headerField), ...rows.map((row) => names.map((name) => cell(own(row, name))))]
    .map((line) => `${line.join(",") || '""'}\r\n`)
    .join("");
}

/** Puts columns first; missing ones are null. */
function withFirst(frame: PolarsFrame, first: readonly string[]): PolarsFrame {
  if (first.length === 0) return frame;
  const own = new Set(frame.columns);
  const missing = first.filter((name) => !own.has(name));
  const added = missing.map((name) => pl.Series(name, new Array<null>(frame.height).fill(null), pl.Utf8));
  return selectColumns(frame.hstack(added) as unknown as PolarsFrame, [...new Set([...first, ...own])]);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value === "" ? '""' : field(value);
  if (value instanceof Date) return dateText(value) ?? "";
  return typeof value === "object" ? field(stringifyExact(value)) : field(String(value));
}

/** A text as a field, quoted if necessary, as in polars. */
function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Formats rows as JSON Lines: one JSON object per line, each followed by a line feed. Accepts anything that {@link toRecords} accepts.
 * A frame is formatted as by {@link saveFrame}, with timestamps to the microsecond.
 *
 * @throws ValidationError for values that JSON cannot represent, such as a Map or a URL
 * @example
 * toJsonl({ bills: [{ id: 1 }, { id: 2 }], cursor: "VdRM" }); //=> '{"id":1}\n{"id":2}\n'
 */
export function toJsonl(data: unknown): string {
  const frame = asPolarsFrame(data);
  if (frame !== undefined) return frame.height === 0 ? "" : jsonLines()(frame).toString();
  return checkedRecords(data)
    .map((row) => `${stringifyExact(row)}\n`)
    .join("");
}
