import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { FileError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { parseExact } from "../frames/exactJson.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import { type PolarsExpr, type PolarsFrame, pl } from "../frames/polars.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { inputFile } from "../fs/readInputFile.js";
import { userPath } from "../fs/userPath.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { findResource } from "./package/dataPackage.js";
import type { FileProvenance, PackagedProvenance } from "./package/fileProvenance.js";
import type { TableSchema } from "./package/fileResource.js";
import { readFileProvenance } from "./package/readFileProvenance.js";
import { type SaveFormat, saveFormat } from "./saveFormat.js";

/**
 * Reads a saved file as a polars frame that has its provenance again: the search, the verdict, and the steps that led to it. The format
 * follows the extension. Columns of CSV files have the types that `datapackage.json` describes; without it, polars guesses them.
 *
 * @param path a CSV, JSON, JSON Lines, Parquet or Arrow file, of this package or of others
 * @returns the frame, without provenance if the file has none
 * @throws ValidationError for other formats, FileError if the file cannot be read
 * @example
 * await saveFrame(frame, "climate.parquet");
 * const again = await readFrame("climate.parquet");
 * provenanceOf(again)?.parameters.query; //=> "climate"
 */
export async function readFrame(path: string): Promise<PolarsFrame> {
  return readTable(userPath("path", path, "climate.parquet"));
}

async function readTable(path: string): Promise<PolarsFrame> {
  const format = saveFormat(undefined, path);
  const read = READERS[format];
  if (read === undefined || extname(path) === "") {
    throw invalid("path", path, "Give a file that ends with .csv, .json, .jsonl, .parquet or .arrow.");
  }
  inputFile(path);
  try {
    const schema = findResource(path)?.schema;
    const frame = typed(read(path, schema !== undefined), schema?.fields ?? []);
    const saved = await readFileProvenance(path);
    const step = stepOf("readFrame", "order", [basename(path)]);
    return setProvenance(frame, saved && derived(provenanceOfFile(saved), step));
  } catch (cause) {
    if (cause instanceof FileError) throw cause;
    const hint = "Check that the file is whole. Of a dataset, read one file, or all with pl.scanParquet.";
    throw new FileError(`${path} cannot be read as ${format}.`, { code: "FILE_ERROR", hint, path, cause });
  }
}

/** CSV is read as text if its types are known. */
const READERS: Readonly<Partial<Record<SaveFormat, (path: string, isTyped: boolean) => PolarsFrame>>> = {
  csv: (path, isTyped) => pl.readCSV(path, isTyped ? { inferSchemaLength: 0 } : { inferSchemaLength: 10_000 }),
  json: (path) => toDataFrame(parseExact(readFileSync(path, "utf8"))),
  jsonl: (path) => toDataFrame(readFileSync(path, "utf8").split("\n").filter(Boolean).map(parseExact)),
  parquet: (path) => pl.readParquet(path),
  // polars takes a path for the content of the file.
  arrow: (path) => pl.readIPC(readFileSync(path)),
};

/** What makes columns of text of the types in `datapackage.json`. */
const CASTS: Readonly<Record<string, (column: PolarsExpr) => PolarsExpr>> = {
  integer: (column) => column.cast(pl.Int64),
  number: (column) => column.cast(pl.Float64),
  boolean: (column) => column.eq(pl.lit("true")),
  date: (column) => column.str.strptime(pl.Date, "%Y-%m-%d"),
  datetime: (column) => column.str.strptime(pl.Datetime("ms"), "%+"),
};

function typed(frame: PolarsFrame, fields: TableSchema["fields"]): PolarsFrame {
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  const casts = frame.columns.flatMap((name, at) => {
    const cast = frame.dtypes[at]?.variant === "String" ? CASTS[types.get(name) ?? ""] : undefined;
    return cast === undefined ? [] : [cast(pl.col(name))];
  });
  return casts.length === 0 ? frame : frame.withColumns(...casts);
}

/** The provenance of a file as that of a result. What only `datapackage.json` has is missing from Parquet files. */
function provenanceOfFile(saved: FileProvenance | PackagedProvenance): Provenance {
  const { sources, retrieved, source, ...own } = saved;
  return {
    baseUrl: source,
    firstResponseAt: retrieved,
    lastResponseAt: retrieved,
    pages: 0,
    requests: 0,
    retries: 0,
    cached: 0,
    redactions: 0,
    snapshot: null,
    ...own,
    source,
    ...(sources && { sources: sources.map(provenanceOfFile) }),
  };
}
