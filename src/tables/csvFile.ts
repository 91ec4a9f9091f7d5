import { readFile, writeFile } from "node:fs/promises";
import { numberedColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { textTypes, withFields } from "./fields.js";
import { literal } from "./openDuckDB.js";
import { ROWS, startOf, type TableInput, type TableReader, utf8File } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";
import { typedText } from "./textTypes.js";

/** A CSV file in UTF-8. */
interface CsvFile {
  readonly path: string;
  readonly separator: string;
  /** Lines before the header. */
  readonly skipped: number;
  /** The fields of the header. */
  readonly names: readonly string[];
}

const SEPARATORS = [",", ";", "\t", "|"];
const MAX_HEADER_BYTES = 2 ** 24;
const MAX_LINE_BYTES = 2 ** 25;

export const readCsv: TableReader = (input) => readSeparated(input, SEPARATORS);

export const readTsv: TableReader = (input) => readSeparated(input, ["\t"]);

async function readSeparated(input: TableInput, separators: readonly string[]): Promise<{ frame: PolarsFrame }> {
  const csv = await csvFile(await utf8File(input.file, input.encoding), separators);
  // DuckDB takes the first line end of the file for that of all lines, also within a name.
  if (csv.names.some((name) => /[\r\n]/.test(name))) await withOneLineEnd(csv);
  try {
    return { frame: await csvFrame(input, csv, false) };
  } catch (error) {
    const [, expected, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(String(error)) ?? [];
    const isMixed = /state machine|unterminated quote/.test(String(error));
    if (!isMixed && !(Number(found) < Number(expected))) throw error;
    if (!(await withOneLineEnd(csv))) throw isMixed ? error : new Error("a quoted field is not closed");
    return { frame: await csvFrame(input, csv, true) };
  }
}

/** Reads the header. The separator is the one that gives it the most fields. */
async function csvFile(path: string, separators: readonly string[]): Promise<CsvFile> {
  const text = (await startOf(path, MAX_HEADER_BYTES)).toString("utf8").replace(/^\ufeff/, "");
  // Excel reads the separator from a line like "sep=;".
  const [blank, own] = /^[\r\n]*(?:sep=(.)(?:\r\n?|\n))?/i.exec(text) as unknown as [string, string | undefined];
  const found = (own ? [own] : separators).map((separator) => ({
    separator,
    names: firstRecord(text.slice(blank.length), separator),
  }));
  const [best] = found.toSorted((a, b) => b.names.length - a.names.length);
  if (best === undefined || text.length === blank.length) throw new Error("it is empty and has no header");
  return { path, skipped: blank.match(/\r\n?|\n/g)?.length ?? 0, ...best };
}

function firstRecord(text: string, separator: string): string[] {
  const fields: string[] = [];
  const ends = ["\r", "\n", separator];
  for (let at = 0; ; at++) {
    const start = at;
    if (text[at] === '"') {
      do at = text.indexOf('"', at + 1) + 1 || text.length;
      while (text[at] === '"');
      fields.push(text.slice(start + 1, at - 1).replaceAll('""', '"'));
    } else {
      while (at < text.length && !ends.includes(text[at] as string)) at++;
      fields.push(text.slice(start, at));
    }
    if (text[at] !== separator) return fields;
  }
}

/** @param isPadded whether to pad lines with too few fields */
async function csvFrame(input: TableInput, csv: CsvFile, isPadded: boolean): Promise<PolarsFrame> {
  const { connection, directory, fields, isDescribed, asText } = input;
  const rows = csvRows(csv, isPadded);
  const columns = csv.names.map((name, at) => ({ name: `c${at}`, known: asText ? [] : textTypes(fields.get(name)) }));
  const typed = await typedText(connection, rows, columns, false);
  const values = columns.map(({ name }, at) => {
    // An empty text is null: a list is never written as empty text.
    const isNull = asText || fields.get(csv.names[at] ?? "")?.type === "array";
    return `${typed.get(name) ?? (isNull ? `nullif(${name}, '')` : name)} as ${name}`;
  });
  await connection.run(`create or replace view ${ROWS} as select ${values.join()} from ${rows}`);
  const frame = withFields(await tableFrame(connection, ROWS, directory, csv.names), fields);
  // In a file of this package, a row of nulls is data.
  return isDescribed ? frame : withoutBlankRows(frame);
}

/** Spreadsheets leave lines of empty fields. A line of quoted empty texts is a row. */
function withoutBlankRows(frame: PolarsFrame): PolarsFrame {
  const cells = numberedColumns(frame);
  const rows = cells.filter(pl.anyHorizontal(pl.col(cells.columns).isNotNull()));
  rows.columns = frame.columns;
  return rows;
}

/** The rows as an SQL table expression with text columns `c0`, `c1`, …. An empty field is null, `""` is empty text. */
function csvRows({ path, separator, skipped, names }: CsvFile, isPadded: boolean): string {
  const columns = names.map((_name, at) => `c${at}: 'VARCHAR'`).join();
  const dialect = `auto_detect = false, delim = ${literal(separator)}, quote = '"', escape = '"', header = true`;
  const limits = `skip = ${skipped}, max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${MAX_LINE_BYTES}`;
  const padding = isPadded ? ", null_padding = true, parallel = false" : "";
  return `read_csv(${literal(path)}, columns = {${columns}}, ${dialect}, ${limits}, allow_quoted_nulls = false${padding})`;
}

/** States of the CSV parser. */
const [FIELD_START, PLAIN, QUOTED, AFTER_QUOTE] = [0, 1, 2, 3];

/**
 * Normalizes the line ends of a CSV file, because DuckDB rejects a mixture, and removes those within names. Returns whether its last
 * quoted field is closed.
 */
async function withOneLineEnd({ path, separator, skipped }: CsvFile): Promise<boolean> {
  const bytes = await readFile(path);
  const [quote, cr, lf, space, comma] = Buffer.from(`"\r\n ${separator}`);
  let state = FIELD_START;
  let length = 0;
  let ended = 0;
  let before: number | undefined;
  for (const byte of bytes) {
    const isEnd = byte === cr || byte === lf;
    if (!isEnd || (state === QUOTED && ended > skipped)) bytes[length++] = byte;
    else if (state === QUOTED) bytes[length++] = space as number;
    else if (byte === cr || before !== cr) {
      bytes[length++] = lf as number;
      ended++;
    }
    if (state === QUOTED) state = byte === quote ? AFTER_QUOTE : QUOTED;
    else if (byte === quote && state !== PLAIN) state = QUOTED;
    else state = byte === comma || byte === cr || byte === lf ? FIELD_START : PLAIN;
    before = byte;
  }
  await writeFile(path, bytes.subarray(0, length));
  return state !== QUOTED;
}
