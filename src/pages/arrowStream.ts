import { type MemberType, recordBytes, rowsBytes, type ScannedRows } from "./rows.js";
import { aligned, MARGIN, TYPE_CODES, withScanner } from "./scanner.js";

/** Bytes of a run of rows; the layout is in `wasm/columns.ts`. */
const RUN_BYTES = 12;

/**
 * Writes pages of one schema as an Arrow IPC stream with one record batch. A member that was always null becomes a text column.
 * @param schemaMessage begins with the schema message of the stream: text has 64-bit offsets, timestamps are microseconds
 * @param read reads the stream, which is valid only until it returns
 */
export function arrowStream<T>(schemaMessage: Buffer, pages: readonly ScannedRows[], read: (stream: Buffer) => T): T {
  const { schema } = (pages[0] as ScannedRows).records;
  const schemaMessageBytes = 8 + schemaMessage.readInt32LE(4);
  return withScanner((scanner) => {
    const { exports } = scanner;
    const stride = recordBytes(schema);
    const table: number[] = [];
    let [rows, inputBytes, end] = [0, 0, scanner.start];
    for (const page of pages) {
      const { records } = page;
      const bytes = rowsBytes(page);
      const recordsAt = aligned(end + bytes.length + MARGIN);
      table.push(recordsAt, records.rows, end - records.start(0));
      scanner.reserve(recordsAt + records.words.byteLength);
      bytes.copy(scanner.bytes, end);
      new Uint32Array(exports.memory.buffer, recordsAt).set(records.words);
      rows += records.rows;
      inputBytes += bytes.length;
      end = aligned(recordsAt + records.words.byteLength);
    }
    const out = aligned(end + RUN_BYTES * pages.length + MARGIN);
    const batchMessageBytes = 128 + 64 * schema.names.length;
    const body = aligned(out + schemaMessageBytes + batchMessageBytes);
    scanner.reserve(body + inputBytes + schema.names.length * (9 * rows + 64 * 4 + 16));
    new Uint32Array(exports.memory.buffer, end).set(table);
    exports.setRuns(end, pages.length, stride);
    const nodes: number[] = [];
    const buffers: number[] = [];
    let position = body;
    for (let at = 0; at < schema.types.length; at++) {
      const type = schema.types[at] as MemberType;
      const start = position - body;
      position = exports.column(at, TYPE_CODES[type], rows, position);
      nodes.push(rows, exports.nulls());
      const values = exports.valuesAt() - body;
      buffers.push(start, exports.validityBytes(), values, exports.valueBytes());
      if (type === "string" || type === "null") buffers.push(exports.textAt() - body, exports.textBytes());
    }
    const message = batchMessage(rows, nodes, buffers, position - body);
    const start = body - message.length - schemaMessageBytes;
    schemaMessage.copy(scanner.bytes, start, 0, schemaMessageBytes);
    message.copy(scanner.bytes, start + schemaMessageBytes);
    return read(scanner.bytes.subarray(start, position));
  });
}

/**
 * The message before the body of a record batch: a flatbuffer with the tables Message (version 5) and RecordBatch of Arrow's
 * Message.fbs at fixed offsets, and two lists of 64-bit pairs.
 */
function batchMessage(rows: number, nodes: number[], buffers: number[], bodyBytes: number): Buffer {
  const bytes = 4 * Math.ceil((26 + 2 * (nodes.length + buffers.length)) / 16) * 16;
  const message = Buffer.alloc(bytes);
  const words = new Uint32Array(message.buffer, message.byteOffset, bytes / 4);
  const int64 = (at: number, numbers: number[]) =>
    words.set(new Uint32Array(BigInt64Array.from(numbers.map(BigInt)).buffer), at);
  words.set([0xffffffff, bytes - 8, 16, 12 | (24 << 16), 16 | (18 << 16), 4 | (8 << 16), 12, 36]);
  int64(8, [bodyBytes]);
  words.set([4 | (3 << 16), 0, 10 | (24 << 16), 8 | (4 << 16), 16, 0, 16, 24], 10);
  int64(18, [rows]);
  words.set([20 + 8 * nodes.length, 0, 0, nodes.length / 2], 20);
  int64(24, nodes);
  words.set([0, buffers.length / 2], 24 + 2 * nodes.length);
  int64(26 + 2 * nodes.length, buffers);
  return message;
}
