import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { dtypeNames, withDtypes } from "../frames/dtypes.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { quoted } from "../util/quoted.js";
import { literal } from "./openDuckDB.js";
import { checkBound, decompressedBound, ROWS, type TableInput, type TableReader } from "./receiveFile.js";
import { tableColumns, tableFrame } from "./tableFrame.js";

export const readParquet: TableReader = async (input) => {
  const { connection, file } = input;
  checkBound(decompressedBound(file.bytes) - (await decodedBytes(connection, file.path)));
  const metadata = await parquetMetadata(connection, file.path);
  return { frame: await parquetFrame(input, file.path, storedFrame(metadata.get("ARROW:schema"))), metadata };
};

/** polars allocates what an Arrow file asks for, and the process ends if there is not enough memory: only files of ours are read. */
export const readArrow: TableReader = async (input) => {
  if (!input.isDescribed)
    throw new Error("it is not the Arrow file that datapackage.json beside it describes. Save it as Parquet");
  const frame = pl.readIPC(await readFile(input.file.path));
  const path = join(input.directory, "rows.parquet");
  await frame.lazy().sinkParquet(path, { compression: "uncompressed" }).collect();
  return { frame: await parquetFrame(input, path, frame) };
};

/** @param schema a frame with the names and dtypes of the columns. DuckDB renames columns whose names differ only in case */
async function parquetFrame(input: TableInput, path: string, schema: PolarsFrame | undefined): Promise<PolarsFrame> {
  const { connection, directory } = input;
  await connection.run(
    `create view ${ROWS} as select * from read_parquet(${literal(path)}, hive_partitioning = false)`,
  );
  const columns = await tableColumns(connection, ROWS, schema?.columns);
  const binary = columns.find(({ type }) => /^BLOB\b/.test(String(type)));
  if (binary !== undefined)
    throw new Error(`the column ${quoted(binary.path.join("."))} is binary. Write it as text, or leave it out`);
  const frame = await tableFrame(connection, ROWS, directory, schema?.columns);
  if (schema === undefined) return frame;
  const nested = new Set(columns.flatMap(({ path }) => (path.length > 1 ? [path.join(".")] : [])));
  const dtypes = dtypeNames(schema);
  const byName = new Map(schema.columns.map((name, at) => [name, dtypes[at]]));
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
