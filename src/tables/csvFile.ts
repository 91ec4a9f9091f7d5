import { castText, DATE_TYPES, NUMBER_TYPES, type TextType, textTypes, typesOfText, withFields } from "./fields.js";
import { literal } from "./openDuckDB.js";
import { ROWS, startOf, type TableInput, type TableReader, utf8File } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";

const SEPARATORS = [",", ";", "\t", "|"];
const MAX_HEADER_BYTES = 2 ** 24;
const MAX_LINE_BYTES = 2 ** 25;
/** The types that undescribed text may represent. */
const UNKNOWN: readonly TextType[] = [...NUMBER_TYPES, "BOOLEAN", ...DATE_TYPES];

export const readCsv: TableReader = (input) => readSeparated(input, SEPARATORS);

export const readTsv: TableReader = (input) => readSeparated(input, ["\t"]);

async function readSeparated(input: TableInput, separators: readonly string[]): ReturnType<TableReader> {
  const { connection, directory, fields, isDescribed, asText } = input;
  const { names, rows } = await csvFile(await utf8File(input.file, input.encoding), separators);
  const columns = names.map((header, at) => ({
    name: `c${at}`,
    described: asText ? [] : textTypes(fields.get(header)),
    possible: UNKNOWN,
  }));
  const types = await typesOfText(connection, rows, columns);
  const values = columns.map(({ name }, at) => {
    const type = types.get(name);
    // An empty text is null: a list is never written as empty text.
    const isNull = asText || fields.get(names[at] ?? "")?.type === "array";
    const text = isNull ? `nullif(${name}, '')` : name;
    return `${type === undefined ? text : castText(name, type)} as ${name}`;
  });
  // Spreadsheets leave lines of empty fields. In a file of this package, a row of nulls is data; elsewhere, so is one of quoted empty texts.
  const cells = columns.map(({ name }) => (asText ? `nullif(${name}, '')` : name));
  const isRow = isDescribed ? "true" : `coalesce(${cells.join()}) is not null`;
  await connection.run(`create view ${ROWS} as select ${values.join()} from ${rows} where ${isRow}`);
  return { frame: withFields(await tableFrame(connection, ROWS, directory, names), fields) };
}

/** The names of the columns, and the rows as {@link csvRows}. The separator is the one that gives the header the most fields. */
async function csvFile(path: string, separators: readonly string[]) {
  const text = (await startOf(path, MAX_HEADER_BYTES)).toString();
  // Excel reads the separator from a line like "sep=;".
  const [blank, separator] = /^[\r\n]*(?:sep=(.)(?:\r\n?|\n))?/i.exec(text) as unknown as [string, string | undefined];
  if (text.length === blank.length) throw new Error("it is empty and has no header");
  const headers = (separator ? [separator] : separators).map((each) => readHeader(text.slice(blank.length), each));
  const [header] = headers.toSorted((a, b) => b.names.length - a.names.length) as [Header];
  return { names: header.names, rows: csvRows(path, header, blank.match(/\r\n?|\n/g)?.length ?? 0) };
}

interface Header {
  readonly separator: string;
  /** As an escape: `\\r\\n`. */
  readonly lineEnd: string;
  readonly names: readonly string[];
}

function readHeader(text: string, separator: string): Header {
  const names: string[] = [];
  const ends = ["\r", "\n", separator];
  for (let at = 0; ; at++) {
    const start = at;
    if (text[at] === '"') {
      do at = text.indexOf('"', at + 1) + 1 || text.length;
      while (text[at] === '"');
      names.push(text.slice(start + 1, at - 1).replaceAll('""', '"'));
    } else {
      while (at < text.length && !ends.includes(text[at] as string)) at++;
      names.push(text.slice(start, at));
    }
    if (text[at] === separator) continue;
    const lineEnd = text[at] === "\r" ? (text[at + 1] === "\n" ? "\\r\\n" : "\\r") : "\\n";
    return { separator, lineEnd, names };
  }
}

/**
 * The rows as an SQL table expression with text columns `c0`, `c1`, …. An empty field is null, `""` is empty text. DuckDB refuses other
 * line ends than that of the header, which it would take for the end of a file if it were not told.
 *
 * @param skipped the lines before the header
 */
function csvRows(path: string, { separator, lineEnd, names }: Header, skipped: number): string {
  const columns = names.map((_name, at) => `c${at}: 'VARCHAR'`).join();
  const dialect = `auto_detect = false, delim = ${literal(separator)}, quote = '"', escape = '"', header = true`;
  const limits = `skip = ${skipped}, max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${MAX_LINE_BYTES}`;
  return `read_csv(${literal(path)}, columns = {${columns}}, ${dialect}, new_line = '${lineEnd}', ${limits}, allow_quoted_nulls = false)`;
}
