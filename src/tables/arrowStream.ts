import { type PolarsFrame, pl } from "../frames/polars.js";
import { checkBound, decompressedBound } from "./receiveFile.js";

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
export function readArrowStream(content: Buffer): PolarsFrame {
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
