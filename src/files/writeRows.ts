import { createReadStream, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";
import { scanIpcFiles, withIpcBatchSize, withParquetMetadata } from "../frames/polarsPlan.js";
import { joinRows } from "../pages/rows.js";
import type { Page } from "../service/paging/page.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { type WriterTarget, writeNewFile } from "./frameWriter.js";
import type { OutputPath } from "./outputPath.js";
import { fileProvenance, PARQUET_KEY } from "./package/fileProvenance.js";
import { type TableSchema, tableSchema } from "./package/tableSchema.js";
import { CSV_DIALECT, csvRows, jsonRows } from "./textColumns.js";

/** Larger row groups take three times the memory. */
const PARQUET_OPTIONS = { compression: "zstd", statistics: true, rowGroupSize: 32_767, maintainOrder: true } as const;

/** Uncompressed and without string views, so that all readers accept it. */
const ARROW_OPTIONS = { compression: "uncompressed", compatLevel: "oldest" } as const;

/** By default polars makes batches of 122,880 rows, and holds several of them in memory. */
const ARROW_BATCH_ROWS = 16_384;

/**
 * Writes the rows of Arrow files to one file. polars reads, converts and writes them batch by batch.
 *
 * @param files have the same columns and types
 * @returns the schema of the rows
 */
export async function writeRows(
  files: readonly string[],
  target: WriterTarget,
  { format, formatOptions }: Pick<OutputPath, "format" | "formatOptions">,
  provenance: Provenance | undefined,
): Promise<TableSchema> {
  const rows = scanIpcFiles(files);
  const empty = rows.head(0).collectSync();
  if (format === "parquet") {
    const sink = rows.sinkParquet(target.path, PARQUET_OPTIONS);
    const json = provenance && JSON.stringify(fileProvenance(provenance));
    await run(json === undefined ? sink : withParquetMetadata(sink, PARQUET_KEY, json), target);
  } else if (format === "arrow") {
    await run(withIpcBatchSize(rows.sinkIpc(target.path, ARROW_OPTIONS), ARROW_BATCH_ROWS), target);
  } else if (format === "csv") {
    const { bom = false, excelSafe = false } = formatOptions;
    const options = { ...CSV_DIALECT, includeHeader: true, includeBom: bom, maintainOrder: true };
    await run(csvRows(rows, empty, excelSafe).sinkCSV(target.path, options), target);
  } else if (format === "jsonl") {
    await run(jsonRows(rows, empty).sinkNdJson(target.path, { maintainOrder: true }), target);
  } else if (format === "json") {
    const lines = { ...target, path: join(target.scratch, "rows.jsonl") };
    await run(jsonRows(rows, empty).sinkNdJson(lines.path, { maintainOrder: true }), lines);
    await writeNewFile(jsonArray(linesToItems(createReadStream(lines.path))), target);
  } else {
    const { writeXlsx } = await import("./writers/xlsx.js");
    await writeXlsx(framesOf(files), target);
  }
  return tableSchema(empty, format);
}

/** Writes the rows of a lazy frame to an Arrow file. */
export async function writeLazy(rows: LazyFrame, path: string): Promise<string> {
  await run(rows.sinkIpc(path, { ...ARROW_OPTIONS, maintainOrder: true }), { path, mode: 0o600 });
  return path;
}

/** Runs a sink of polars. It overwrites its file, so the file is created first, with its mode. */
async function run(sink: LazyFrame, { path, mode }: Pick<WriterTarget, "path" | "mode">): Promise<void> {
  await writeFile(path, "", { flag: "wx", mode });
  await sink.collect();
}

/** The rows of a JSON Lines file, separated like those of a JSON array. */
async function* linesToItems(lines: AsyncIterable<Buffer>): Chunks {
  let partialRow = "";
  for await (const part of lines) {
    const text = partialRow + part.toString("latin1");
    const end = text.lastIndexOf("\n");
    partialRow = text.slice(end + 1);
    if (end > 0) yield Buffer.from(text.slice(0, end).replaceAll("\n", ",\n"), "latin1");
  }
}

function* framesOf(files: readonly string[]): Generator<PolarsFrame> {
  for (const path of files) yield pl.readIPC(readFileSync(path));
}

/** The content of a file, in parts as they become available. */
export type Chunks = AsyncIterable<Buffer | string>;

/** Response bodies exactly as sent. */
export async function* bodiesAsSent(pages: AsyncIterable<Page>): Chunks {
  for await (const { bytes } of pages) yield bytes;
}

/** Rows as sent by the service: as JSON Lines, or as a JSON array with one row per line. */
export async function* rowsAsSent(pages: AsyncIterable<Page>, format: "json" | "jsonl"): Chunks {
  if (format === "json") return yield* jsonArray(joinedRows(pages, ",\n"));
  for await (const lines of joinedRows(pages, "\n")) {
    yield lines;
    yield "\n";
  }
}

async function* joinedRows(pages: AsyncIterable<Page>, separator: "\n" | ",\n"): Chunks {
  for await (const page of pages) if (page.records.rows > 0) yield joinRows(page, separator);
}

/** A JSON array with one row per line. @param parts rows, separated by a comma and a line feed */
async function* jsonArray(parts: Chunks): Chunks {
  let isEmpty = true;
  for await (const rows of parts) {
    yield isEmpty ? "[\n" : ",\n";
    yield rows;
    isEmpty = false;
  }
  yield isEmpty ? "[]\n" : "\n]\n";
}
