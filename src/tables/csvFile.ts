import { castToFields, type TextType, textTypes } from "./fields.js";
import { literal } from "./openDuckDB.js";
import { ROWS, readStart, type TableInput, type TableReader, utf8File } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";
import { castText, DATE_TYPES, inferTypes, NUMBER_TYPES } from "./textTypes.js";

const SEPARATORS = [",", ";", "\t", "|"];
const MAX_HEADER_BYTES = 2 ** 24;
const MAX_LINE_BYTES = 2 ** 25;
const INFERRED_TYPES: readonly TextType[] = [...NUMBER_TYPES, "BOOLEAN", ...DATE_TYPES];

export const readCsv: TableReader = (input) => readSeparated(input, SEPARATORS);

export const readTsv: TableReader = (input) => readSeparated(input, ["\t"]);

async function readSeparated(input: TableInput, separators: readonly string[]): ReturnType<TableReader> {
  const { connection, directory, fields, matchesDescription, asText } = input;
  const { names, rows } = await csvFile(await utf8File(input.file, input.encoding), separators);
  const columns = names.map((header, at) => ({
    name: `c${at}`,
    describedTypes: asText ? [] : textTypes(fields.get(header)),
    candidates: INFERRED_TYPES,
  }));
  const types = await inferTypes(connection, rows, columns);
  const values = columns.map(({ name }, at) => {
    const type = types.get(name);
    // A list is never written as an empty string.
    const emptyIsNull = asText || fields.get(names[at] ?? "")?.type === "array";
    const text = emptyIsNull ? `nullif(${name}, '')` : name;
    return `${type === undefined ? text : castText(name, type)} as ${name}`;
  });
  // Spreadsheets leave lines of empty fields. Only in a file of this package are they rows.
  const cells = columns.map(({ name }) => (asText ? `nullif(${name}, '')` : name));
  const isRow = matchesDescription ? "true" : `coalesce(${cells.join()}) is not null`;
  await connection.run(`create view ${ROWS} as select ${values.join()} from ${rows} where ${isRow}`);
  return { frame: castToFields(await tableFrame(connection, ROWS, directory, names), fields) };
}

/** The names of the columns, and the rows as an SQL table. The separator is the one that gives the header the most fields. */
async function csvFile(path: string, separators: readonly string[]) {
  const text = (await readStart(path, MAX_HEADER_BYTES)).toString();
  // Excel reads the separator from a line like "sep=;".
  const [preamble, separator] = /^[\r\n]*(?:sep=(.)(?:\r\n?|\n))?/i.exec(text) as unknown as [
    string,
    string | undefined,
  ];
  if (text.length === preamble.length) throw new Error("it is empty and has no header");
  const headers = (separator ? [separator] : separators).map((each) => readHeader(text.slice(preamble.length), each));
  const [header] = headers.toSorted((a, b) => b.names.length - a.names.length) as [Header];
  return { names: header.names, rows: csvRows(path, header, preamble.match(/\r\n?|\n/g)?.length ?? 0) };
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
    const [end = "\n"] = /^\r\n?/.exec(text.slice(at, at + 2)) ?? [];
    const lineEnd = end.replace("\r", "\\r").replace("\n", "\\n");
    return { separator, lineEnd, names };
  }
}

/**
 * The rows as an SQL table expression with text columns `c0`, `c1`, …. An empty field is null, `""` is an empty string. The line end is
 * explicit because DuckDB takes any other for the end of the file; now it rejects the file.
 *
 * @param skipped the lines before the header
 */
function csvRows(path: string, { separator, lineEnd, names }: Header, skipped: number): string {
  const columns = names.map((_name, at) => `c${at}: 'VARCHAR'`).join();
  const dialect = `auto_detect = false, delim = ${literal(separator)}, quote = '"', escape = '"', header = true`;
  const limits = `skip = ${skipped}, max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${MAX_LINE_BYTES}`;
  return `read_csv(${literal(path)}, columns = {${columns}}, ${dialect}, new_line = '${lineEnd}', ${limits}, allow_quoted_nulls = false)`;
}
