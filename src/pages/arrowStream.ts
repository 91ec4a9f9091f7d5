import { type MemberType, recordBytes, rowsBytes, type ScannedRows } from "./rows.js";
import { aligned, MARGIN, TYPE_CODES, withScanner } from "./scanner.js";

/** Consecutive rows of a page that fit its shape. */
export interface RowRun {
  readonly page: ScannedRows;
  /** The first row. */
  readonly from: number;
  rows: number;
}

/** Bytes of a run in the memory of the scanner: the layout of `wasm/columns.ts`. */
const RUN = 12;

/** A column of a record batch: how many nulls it has, and the offset in the body and size of each of its buffers. */
interface ColumnBuffers {
  readonly nulls: number;
  readonly buffers: ReadonlyArray<readonly [offset: number, bytes: number]>;
}

/**
 * Writes runs of rows of one shape as an Arrow IPC stream of one record batch. A member that was always null is a column of text.
 *
 * @param schema begins with the schema message of the stream: text has offsets of 64 bits, timestamps are microseconds
 * @param runs at least one
 * @param read reads the stream, which holds until it returns
 */
export function arrowStream<T>(schema: Buffer, runs: readonly RowRun[], read: (stream: Buffer) => T): T {
  const pages = new Set(runs.map(({ page }) => page));
  const { shape } = (runs[0] as RowRun).page.tape;
  const rows = runs.reduce((sum, run) => sum + run.rows, 0);
  const schemaBytes = 8 + schema.readInt32LE(4);
  return withScanner((scanner) => {
    const { exports } = scanner;
    let end = scanner.start;
    let inputBytes = 0;
    const places = new Map<ScannedRows, readonly [input: number, records: number]>();
    for (const page of pages) {
      const { length } = rowsBytes(page);
      const records = aligned(end + length + MARGIN);
      places.set(page, [end, records]);
      end = aligned(records + page.tape.words.byteLength);
      inputBytes += length;
    }
    const table = end;
    const out = aligned(table + RUN * runs.length + MARGIN);
    const messageBytes = 128 + 64 * shape.names.length;
    const body = aligned(out + schemaBytes + messageBytes);
    scanner.reserve(body + inputBytes + shape.names.length * (9 * rows + 64 * 4 + 16));
    const words = new Uint32Array(exports.memory.buffer);
    const stride = recordBytes(shape);
    for (const [page, [input, records]] of places) {
      rowsBytes(page).copy(scanner.bytes, input);
      words.set(page.tape.words, records / 4);
    }
    runs.forEach(({ page, from, rows }, at) => {
      const [input, records] = places.get(page) as readonly [number, number];
      words.set([records + from * stride, rows, input - page.tape.start(0)], (table + RUN * at) / 4);
    });
    exports.setRuns(table, runs.length, stride);
    let position = body;
    const columns = shape.types.map((type, at): ColumnBuffers => {
      const start = position - body;
      position = exports.column(at, TYPE_CODES[type as MemberType], rows, position);
      const validity = exports.validityBytes.value;
      const values = start + aligned(validity);
      const valueBytes = exports.valueBytes.value;
      const text = [values + aligned(valueBytes), exports.textBytes.value] as const;
      const isText = type === "string" || type === "null";
      const buffers = [[start, validity], [values, valueBytes], ...(isText ? [text] : [])] as const;
      return { nulls: exports.nulls.value, buffers };
    });
    const message = batchMessage(columns, rows, position - body);
    const start = body - message.length - schemaBytes;
    schema.copy(scanner.bytes, start, 0, schemaBytes);
    message.copy(scanner.bytes, start + schemaBytes);
    return read(scanner.bytes.subarray(start, position));
  });
}

/**
 * The message before the body of a record batch: a flatbuffer with the tables Message (version 5) and RecordBatch of Arrow's
 * Message.fbs at fixed places, and two lists of pairs of 64 bits.
 */
function batchMessage(columns: readonly ColumnBuffers[], rows: number, bodyBytes: number): Buffer {
  const buffers = columns.flatMap((column) => column.buffers);
  const nodes = columns.length;
  const head = [0xffffffff, 0, 16, 12 | (24 << 16), 16 | (18 << 16), 4 | (8 << 16), 12, 36, ...int64(bodyBytes)];
  head.push(4 | (3 << 16), 0, 10 | (24 << 16), 8 | (4 << 16), 16, 0, 16, 24, ...int64(rows), 20 + 16 * nodes, 0, 0);
  const pairs = [nodes, ...columns.flatMap(({ nulls }) => [...int64(rows), ...int64(nulls)]), 0, buffers.length];
  const words = [...head, ...pairs, ...buffers.flatMap(([offset, bytes]) => [...int64(offset), ...int64(bytes)])];
  while (words.length % 16 !== 0) words.push(0);
  words[1] = 4 * words.length - 8;
  return Buffer.from(Uint32Array.from(words).buffer);
}

/** The halves of a number below 2^53. */
function int64(value: number): [number, number] {
  return [value % 2 ** 32, Math.floor(value / 2 ** 32)];
}
