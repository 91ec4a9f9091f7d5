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

export const readArrow: TableReader = async (input) => {
  const frame = readArrowStream(await readFile(input.file.path));
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

/** An empty frame with the dtypes that Arrow libraries store in a Parquet file; undefined if there are none. */
function storedFrame(schema: string | undefined): PolarsFrame | undefined {
  if (schema === undefined) return undefined;
  try {
    return readArrowStream(Buffer.from(schema, "base64"));
  } catch {
    return undefined;
  }
}

/** The start of an Arrow file; the stream follows after padding to 8 bytes. */
const MAGIC = "ARROW1";
/** Message types of Arrow's `Message.fbs`. */
const [SCHEMA, DICTIONARY_BATCH, RECORD_BATCH] = [1, 2, 3];
/** The end of a stream. */
const END = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]);

interface Message {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads an Arrow IPC stream, or the stream in an Arrow file (columnar format 1.4). polars allocates what a message asks for without
 * checking, and the process dies if there is not enough memory, so this adds up the sizes in the messages first.
 *
 * @throws Error for impossible sizes, and for a stream that is far larger when decompressed
 */
function readArrowStream(content: Buffer): PolarsFrame {
  const isFile = content.toString("latin1", 0, MAGIC.length) === MAGIC;
  const stream = isFile ? content.subarray(8) : content;
  const messages = messagesOf(stream);
  const isSorted = messages.every(({ type }, at) => at === 0 || type >= (messages[at - 1] as Message).type);
  if (!isFile || isSorted) return pl.readIPCStream(stream);
  // In files, polars writes dictionaries after the batches that need them.
  const sorted = messages.toSorted((a, b) => a.type - b.type).map(({ start, end }) => stream.subarray(start, end));
  return pl.readIPCStream(Buffer.concat([...sorted, END]));
}

function messagesOf(stream: Buffer): readonly Message[] {
  try {
    return checkedMessages(stream);
  } catch (error) {
    throw error instanceof RangeError ? new Error("it is truncated or not Arrow data", { cause: error }) : error;
  }
}

function checkedMessages(stream: Buffer): Message[] {
  const messages: Message[] = [];
  let left = decompressedBound(stream.length);
  for (let at = 0; at < stream.length; ) {
    // Before Arrow 0.15 there was no continuation marker.
    const start = at;
    if (stream.readInt32LE(at) === -1) at += 4;
    const size = stream.readInt32LE(at);
    if (size === 0) break;
    const message = tableAt(stream, at + 4);
    const body = at + 4 + size;
    const bodyBytes = long(stream, fieldOf(stream, message, 3));
    if (size < 0 || body + bodyBytes > stream.length) throw new RangeError("body");
    const typeAt = fieldOf(stream, message, 1);
    const type = typeAt && stream.readUInt8(typeAt);
    left -= type === SCHEMA ? 0 : batchBytes(stream, message, type, body, body + bodyBytes);
    checkBound(left);
    at = body + bodyBytes;
    messages.push({ type, start, end: at });
  }
  return messages;
}

/** The size of a batch in memory: its decompressed buffers, and at least one byte per row and array. */
function batchBytes(stream: Buffer, message: number, type: number, body: number, end: number): number {
  const headerAt = fieldOf(stream, message, 2);
  if ((type !== RECORD_BATCH && type !== DICTIONARY_BATCH) || headerAt === 0) throw new RangeError("type");
  const header = tableAt(stream, headerAt);
  const dataAt = type === RECORD_BATCH ? 0 : fieldOf(stream, header, 1);
  const batch = dataAt === 0 ? header : tableAt(stream, dataAt);
  let sum = 0;
  // The structs FieldNode { length, nullCount } and Buffer { offset, length } have 16 bytes.
  for (const node of structs(stream, fieldOf(stream, batch, 1))) sum += long(stream, node);
  const isCompressed = fieldOf(stream, batch, 3) !== 0;
  for (const buffer of structs(stream, fieldOf(stream, batch, 2))) {
    const [start, bytes] = [body + long(stream, buffer), long(stream, buffer + 8)];
    if (start + bytes > end) throw new RangeError("buffer");
    // A size of -1 marks an uncompressed buffer.
    sum += isCompressed && bytes >= 8 ? Math.max(Number(stream.readBigInt64LE(start)), bytes) : bytes;
  }
  return sum;
}

/** The table that the flatbuffer offset at a position points to. */
function tableAt(bytes: Buffer, at: number): number {
  return at + bytes.readUInt32LE(at);
}

/** The position of a field of a table; 0 if it has the default. */
function fieldOf(bytes: Buffer, table: number, field: number): number {
  const vtable = table - bytes.readInt32LE(table);
  const entry = 4 + 2 * field;
  const offset = entry < bytes.readUInt16LE(vtable) ? bytes.readUInt16LE(vtable + entry) : 0;
  return offset && table + offset;
}

/** The positions of the 16-byte structs in a list. */
function* structs(bytes: Buffer, at: number): Generator<number> {
  if (at === 0) return;
  const list = tableAt(bytes, at);
  const length = bytes.readUInt32LE(list);
  for (let index = 0; index < length; index++) yield list + 4 + 16 * index;
}

/** A length or an offset; 0 if the field has the default. */
function long(bytes: Buffer, at: number): number {
  const value = at === 0 ? 0 : Number(bytes.readBigInt64LE(at));
  if (value < 0) throw new RangeError("negative");
  return value;
}
