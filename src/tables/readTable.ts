import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import type { PolarsFrame } from "../frames/polars.js";
import { escaped } from "../util/text.js";
import { parquetMetadata, readArrow, readParquet } from "./columnarFiles.js";
import { readCsv, readTsv } from "./csvFile.js";
import type { Field } from "./fields.js";
import { readJson, readJsonLines } from "./jsonFile.js";
import { withDuckDB } from "./openDuckDB.js";
import { receiveFile, type TableReader } from "./receiveFile.js";

interface TableOptions {
  /** Whether to keep the cells of a CSV file as text; an empty one is null. The file may have any extension. */
  readonly asText?: boolean;
  /** The encoding of a text file without a byte-order mark. Default: UTF-8. */
  readonly encoding?: string | undefined;
  /** The description of the file in `datapackage.json`, which another program may have written. */
  readonly description?:
    | {
        readonly bytes?: number;
        readonly hash?: string;
        readonly schema?: { readonly fields?: readonly Field[] };
      }
    | undefined;
}

export interface Table {
  readonly frame: PolarsFrame;
  /** Whether the file has the size and hash of its description. */
  readonly matchesDescription: boolean;
  /** The key-value metadata of a Parquet file. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** Readers by extension. Text may be compressed. */
const TEXT_READERS: ReadonlyArray<readonly [RegExp, TableReader]> = [
  [/^(?:csv|txt)$/i, readCsv],
  [/^(?:tsv|tab)$/i, readTsv],
  [/^json$/i, readJson],
  [/^(?:jsonl|ndjson)$/i, readJsonLines],
];
const READERS: typeof TEXT_READERS = [
  ...TEXT_READERS,
  [/^(?:parquet|parq|pq)$/i, readParquet],
  [/^(?:arrows?|ipc|feather)$/i, readArrow],
];

/**
 * Reads a table file of any format and program, as `readFrame` describes it.
 *
 * @throws ValidationError for another extension; ArchiveError for an unreadable file, with the line if it is CSV
 */
export async function readTable(path: string, options: TableOptions = {}): Promise<Table> {
  const { description, encoding, asText = false } = options;
  const [, extension = "", gzip] = /\.(\w{1,10})(\.gz)?$/i.exec(path) ?? [];
  const readers = gzip === undefined ? READERS : TEXT_READERS;
  const read = readers.find(([pattern]) => pattern.test(extension))?.[1] ?? (asText ? readCsv : undefined);
  if (read === undefined) {
    const isWorkbook = /^(?:xls[xmb]?|ods)$/i.test(extension);
    const advice = isWorkbook ? "Workbooks can be written but not read: save the sheet as CSV. " : "";
    const hint = `${advice}Give a file that ends with .csv, .tsv, .txt, .json, .jsonl, .parquet or .arrow.`;
    throw invalid("path", path, hint);
  }
  return withDuckDB(async (connection, directory) => {
    const file = await receiveFile(path, directory);
    const { bytes = file.bytes, hash = file.hash, schema } = description ?? {};
    const matchesDescription = description !== undefined && bytes === file.bytes && hash === file.hash;
    const fields = new Map(Array.isArray(schema?.fields) ? schema.fields.map((field) => [field.name, field]) : []);
    try {
      const table = await read({ connection, directory, file, fields, matchesDescription, encoding, asText });
      return { metadata: new Map(), ...table, matchesDescription };
    } catch (error) {
      throw tableProblem(path, error, directory);
    }
  });
}

/** The key-value metadata of a Parquet file; none if it cannot be read. */
export function readMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  return withDuckDB(async (connection, directory) => {
    const file = await receiveFile(path, directory);
    return await parquetMetadata(connection, file.path).catch(() => new Map());
  });
}

/** Part of an error of DuckDB or Node, what is wrong with the file or the line, and the hint. */
const PROBLEMS: ReadonlyArray<readonly [part: string, problem: string, hint: string]> = [
  [
    "Expected Number of Columns",
    "has more or fewer fields than the header",
    "Write a field for each column, in quotes if it contains the separator.",
  ],
  ["unterminated quote", "has quotes that do not match", "Write a quote in a field twice."],
  [
    "state machine",
    "has line ends of several kinds, or quotes that do not match",
    "Save it with one kind of line end.",
  ],
  ["Malformed JSON", "is not JSON", "Write a list of objects, or an object per line."],
  ["Invalid unicode", "is not UTF-8", "Save it as UTF-8."],
  ["not valid for encoding", "is not in its encoding", "Save it as UTF-8."],
  ["Maximum line size", "is longer than 32 MB", "Is a quote before it not closed?"],
  ["Cannot create a Buffer larger", "is far larger when decompressed", "Decompress it first."],
  ["Out of Memory", "needs more than a gigabyte of memory", "Split the file."],
];

function tableProblem(path: string, error: unknown, directory: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [, description, hint] = PROBLEMS.find(([part]) => text.includes(part)) ?? [];
  const line = /\bLine: (\d+)/.exec(text)?.[1];
  // Users do not know the private copy.
  const [first = ""] = text.replaceAll(`File '${directory}/input'`, "it is").replaceAll(directory, "").split("\n");
  const message = first.replace(/^[\w ]{0,40} Error: /, "").slice(0, 300);
  const problem = description === undefined ? message : `${line === undefined ? "it" : `line ${line}`} ${description}`;
  const what = `${escaped(path)} cannot be read: ${problem.replace(/[.!]$/, "")}.`;
  return new ArchiveError(what, { code: "FILE_ERROR", hint, path, cause: error });
}
