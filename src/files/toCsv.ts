import { checkedOptions } from "../errors/validators.js";
import { CELLS_PER_VALUE, checkCells } from "../frames/cellLimit.js";
import { dateText } from "../frames/cells.js";
import { stringifyExact } from "../frames/exactJson.js";
import { toRecords } from "../frames/toRecords.js";

/** Options of {@link toCsv}. */
export interface ToCsvOptions {
  /** Columns to put first, even if no row has them. The others follow in order of appearance. Default: none. */
  columns?: readonly string[] | undefined;
}

/**
 * Formats rows as CSV by RFC 4180: a header and one line per row, with CR LF line ends. Accepts anything that {@link toRecords}
 * accepts. Nested values become JSON text. Missing values and null become an empty field, and an empty string becomes `""`
 * (as does null in a single column, where an empty field would be a blank line that readers skip).
 *
 * Text is not escaped for spreadsheets: a string that begins with `=` is written as it is. Use `excelSafe` of
 * {@link saveFrame} for that.
 *
 * @throws ArchiveError `TOO_MANY_CELLS` if most rows have columns of their own, so that nearly all fields would be empty
 * @example
 * toCsv([{ id: 1, title: "Build, Back" }, { id: 2, title: null }]);
 * //=> 'id,title\r\n1,"Build, Back"\r\n2,\r\n'
 */
export function toCsv(data: unknown, options: ToCsvOptions = {}): string {
  const { columns: first = [] } = checkedOptions(options, ["columns"], "option of toCsv");
  const rows = toRecords(data);
  const columns = new Set(first);
  for (const row of rows) for (const name of Object.keys(row)) columns.add(name);
  if (columns.size === 0) return "";
  const extraColumns = columns.size - new Set(first).size;
  const values = rows.reduce((sum, row) => sum + Object.keys(row).length, 0);
  checkCells({ rows: rows.length, columns: extraColumns, nameLength: 0 }, CELLS_PER_VALUE * values);
  const names = [...columns];
  // Inherited members such as `constructor` are no data.
  const own = (row: Record<string, unknown>, name: string) => (Object.hasOwn(row, name) ? row[name] : undefined);
  return [names.map(field), ...rows.map((row) => names.map((name) => cell(own(row, name))))]
    .map((line) => `${line.join(",") || '""'}\r\n`)
    .join("");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value === "" ? '""' : field(value);
  if (value instanceof Date) return dateText(value) ?? "";
  return typeof value === "object" ? field(stringifyExact(value)) : field(String(value));
}

function field(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
