import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { dtypeNames, withDtypes } from "../frames/dtypes.js";
import { numberedColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { quoted } from "../util/quoted.js";
import { literal } from "./openDuckDB.js";
import { checkBound, decompressedBound, ROWS, type TableInput, type TableReader } from "./receiveFile.js";
import { tableColumns, tableFrame } from "./tableFrame.js";

/** Writes a frame as a Parquet file, and returns it as an SQL table expression with columns `c0`, `c1`, …. */
export async function parquetRows(frame: PolarsFrame, directory: string): Promise<string> {
  const path = join(directory, "rows.parquet");
  await numberedColumns(frame).lazy().sinkParquet(path, { compression: "uncompressed" }).collect();
  return `read_parquet(${literal(path)})`;
}

export const readParquet: TableReader = async (input) => {
  const { connection, file } = input;
  checkBound(decompressedBound(file.bytes) - (await decodedBytes(connection, file.path)));
  const metadata = await parquetMetadata(connection, file.path);
  const names = await topNames(connection, file.path);
  const stored = storedFrame(metadata.get("ARROW:schema"));
  const rows = `read_parquet(${literal(file.path)}, hive_partitioning = false)`;
  return { frame: await viewFrame(input, rows, names, stored), metadata };
};

/** polars allocates what an Arrow file asks for, and the process ends if there is not enough memory: only files of ours are read. */
export const readArrow: TableReader = async (input) => {
  if (!input.isDescribed)
    throw new Error("it is not the Arrow file that datapackage.json beside it describes. Save it as Parquet");
  const frame = pl.readIPC(await readFile(input.file.path));
  return { frame: await viewFrame(input, await parquetRows(frame, input.directory), frame.columns, frame) };
};

/** @param known a frame with the dtypes of the columns */
async function viewFrame(
  { connection, directory }: TableInput,
  rows: string,
  names: readonly string[],
  known: PolarsFrame | undefined,
): Promise<PolarsFrame> {
  await connection.run(`create view ${ROWS} as select * from ${rows}`);
  const columns = await tableColumns(connection, ROWS, names);
  const binary = columns.find(({ type }) => /^BLOB\b/.test(String(type)));
  if (binary !== undefined)
    throw new Error(`the column ${quoted(binary.path.join("."))} is binary. Write it as text, or leave it out`);
  const frame = await tableFrame(connection, ROWS, directory, names);
  if (known === undefined) return frame;
  const nested = new Set(columns.flatMap(({ path }) => (path.length > 1 ? [path.join(".")] : [])));
  const dtypes = dtypeNames(known);
  const byName = new Map(known.columns.map((name, at) => [name, dtypes[at]]));
  return withDtypes(
    frame,
    frame.columns.map((name) => (nested.has(name) ? undefined : byName.get(name))),
  );
}

/** The key-value metadata of a Parquet file that is text. */
export async function parquetMetadata(connection: DuckDBConnection, path: string): Promise<Map<string, string>> {
  const sql = `select try(decode(key)), try(decode(value)) from parquet_kv_metadata(${literal(path)})`;
  const rows = (await connection.runAndReadAll(sql)).getRows();
  return new Map(rows.flatMap(([key, value]) => (key && value ? [[String(key), String(value)] as const] : [])));
}

/** The minimum size of a Parquet file in memory: a run of equal values takes almost no bytes in the file. */
async function decodedBytes(connection: DuckDBConnection, path: string): Promise<number> {
  const size = "case type when 'BOOLEAN' then 0 when 'INT32' then 4 when 'FLOAT' then 4 else 8 end";
  const sql = `select sum(total_uncompressed_size), sum(num_values * ${size}) from parquet_metadata(${literal(path)})`;
  const [[stored, values] = []] = (await connection.runAndReadAll(sql)).getRows();
  return Math.max(Number(stored ?? 0), Number(values ?? 0));
}

/** The column names, which may differ only in case. */
async function topNames(connection: DuckDBConnection, path: string): Promise<string[]> {
  const sql = `select name, num_children from parquet_schema(${literal(path)})`;
  const [, ...elements] = (await connection.runAndReadAll(sql)).getRows();
  const names: string[] = [];
  let nested = 0;
  // The tree, depth first.
  for (const [name, children] of elements) {
    if (nested === 0) names.push(String(name));
    else nested--;
    nested += Number(children ?? 0);
  }
  return names;
}

/** The end of an Arrow stream. */
const END = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]);

/** An empty frame with the dtypes that Arrow libraries store in a Parquet file; undefined if there are none. */
function storedFrame(encoded: string | undefined): PolarsFrame | undefined {
  const message = Buffer.from(encoded ?? "", "base64");
  // polars allocates as many bytes as the message is said to have.
  const hasSize = message.length >= 8 && message.readInt32LE(4) === message.length - 8;
  try {
    return hasSize ? pl.readIPCStream(Buffer.concat([message, END])) : undefined;
  } catch {
    return undefined;
  }
}
