import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { dtypeNames, withDtypes } from "../frames/dtypes.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { literal } from "./openDuckDB.js";
import { maxDecompressedBytes, ROWS, type TableInput, type TableReader } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";

export const readParquet: TableReader = async (input) => {
  const { connection, file } = input;
  if ((await sizeInMemory(connection, file.path)) > maxDecompressedBytes(file.bytes))
    throw new Error("it is far larger when decompressed");
  const metadata = await parquetMetadata(connection, file.path);
  return { frame: await parquetFrame(input, file.path, arrowSchema(metadata.get("ARROW:schema"))), metadata };
};

/** Reads only files that this package wrote: polars allocates as much memory as an Arrow file claims to need, which can end the process. */
export const readArrow: TableReader = async (input) => {
  if (!input.matchesDescription)
    throw new Error("it is not the Arrow file that datapackage.json beside it describes. Save it as Parquet");
  const frame = pl.readIPC(await readFile(input.file.path));
  const path = join(input.directory, "rows.parquet");
  await frame.lazy().sinkParquet(path, { compression: "uncompressed" }).collect();
  return { frame: await parquetFrame(input, path, frame) };
};

/** @param schema a frame with the names and dtypes of the columns, because DuckDB renames columns whose names differ only in case */
async function parquetFrame(input: TableInput, path: string, schema: PolarsFrame | undefined): Promise<PolarsFrame> {
  const { connection, directory } = input;
  await connection.run(
    `create view ${ROWS} as select * from read_parquet(${literal(path)}, hive_partitioning = false)`,
  );
  const frame = await tableFrame(connection, ROWS, directory, schema?.columns);
  const dtypes = new Map(schema && dtypeNames(schema).map((dtype, at) => [schema.columns[at], dtype]));
  return withDtypes(
    frame,
    frame.columns.map((name) => dtypes.get(name)),
  );
}

/** The key-value metadata of a Parquet file, without binary values. */
export async function parquetMetadata(connection: DuckDBConnection, path: string): Promise<Map<string, string>> {
  const sql = `select try(decode(key)), try(decode(value)) from parquet_kv_metadata(${literal(path)})`;
  const rows = (await connection.runAndReadAll(sql)).getRows();
  return new Map(rows.flatMap(([key, value]) => (key && value ? [[String(key), String(value)] as const] : [])));
}

/** The approximate size of a Parquet file in memory. In the file, a run of equal values takes almost no space. */
async function sizeInMemory(connection: DuckDBConnection, path: string): Promise<number> {
  const sql = `select sum(greatest(total_uncompressed_size, num_values * 8)) from parquet_metadata(${literal(path)})`;
  return Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0);
}

const END_OF_STREAM = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]);

/** An empty frame with the dtypes that Arrow libraries store in a Parquet file; undefined if there are none. */
function arrowSchema(encoded: string | undefined): PolarsFrame | undefined {
  const message = Buffer.from(encoded ?? "", "base64");
  // polars allocates the size that the message claims to have.
  const hasSize = message.length >= 8 && message.readInt32LE(4) === message.length - 8;
  try {
    return hasSize ? pl.readIPCStream(Buffer.concat([message, END_OF_STREAM])) : undefined;
  } catch {
    return undefined;
  }
}
