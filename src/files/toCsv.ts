import { checkedOptions } from "../errors/validators.js";
import { CELLS_PER_VALUE, checkCells } from "../frames/cellLimit.js";
import { dateText } from "../frames/cells.js";
import { stringifyExact } from "../frames/exactJson.js";
import { toRecords } from "../frames/toRecords.js";

/** Options of {@link toCsv}. */
export interface ToCsvOptions {
  /** Columns that come first, also where no row has them. The others follow in the order in which they first appear. */
  columns?: readonly string[] | undefined;
}

/**
 * CSV of anything that holds rows (see {@link toRecords}): RFC 4180, a header and one line per row, lines ended by CR LF.
 * Nested values are JSON text. A missing value or null is an empty field, an empty text is `""` (and so is null in a single column, where an empty
 * field would be a blank line that readers skip).
 *
 * Nothing is changed for spreadsheets: a text that begins with `=` is written as it is.
 *
 * @throws ArchiveError `TOO_MANY_CELLS` for rows of which each has members of its own: nearly all fields would be empty
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
  const further = columns.size - new Set(first).size;
  const values = rows.reduce((sum, row) => sum + Object.keys(row).length, 0);
  checkCells({ rows: rows.length, columns: further, nameLength: 0 }, CELLS_PER_VALUE * values);
  const names = [...columns];
  // A row has a `constructor` of its own only where the data says so.
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
