/** The type of an Arrow column. */
export type ColumnStorage = "string" | "int" | "float" | "bool" | "datetime";

/** A column of a schema. */
export interface ArrowColumn {
  readonly name: string;
  readonly type: ColumnStorage;
}

/** Members of the union `Type` of Arrow's Schema.fbs. */
const TYPES: Readonly<Record<ColumnStorage, number>> = { int: 2, float: 3, string: 5, bool: 6, datetime: 10 };
const VERSION = 4;
const SCHEMA = 1;
const RECORD_BATCH = 3;
/** The mark and the size before each message of a stream. */
const PREFIX = 8;
const MARK = 0xffffffff;

/** A field of a flatbuffer table: its slot, and its size in bytes, which is its alignment as well. */
type Field = readonly [slot: number, size: number];

/** Writes flatbuffers from the front. Offsets in them are relative, and must point forwards. */
class FlatBuffer {
  readonly bytes: Buffer;
  #end = 0;

  constructor(size: number) {
    this.bytes = Buffer.alloc(size);
  }

  align(to: number): number {
    this.#end = Math.ceil(this.#end / to) * to;
    return this.#end;
  }

  /** Reserves bytes. Returns their position. */
  take(size: number): number {
    const at = this.#end;
    this.#end += size;
    return at;
  }

  /** Writes the offset of what comes next at a position. */
  pointHere(from: number, alignment = 4): void {
    this.bytes.writeUInt32LE(this.align(alignment) - from, from);
  }

  /** Begins a table that an offset points to. Returns the position of each of its fields by slot. */
  table(from: number, fields: readonly Field[]): number[] {
    const slots = Math.max(0, ...fields.map(([slot]) => slot + 1));
    this.align(4);
    const layout = this.take(4 + 2 * slots);
    const start = this.align(8);
    this.take(4);
    const positions: number[] = [];
    for (const [slot, size] of fields.toSorted(([, a], [, b]) => b - a)) {
      this.align(size);
      positions[slot] = this.take(size);
      this.bytes.writeUInt16LE((positions[slot] as number) - start, layout + 4 + 2 * slot);
    }
    this.bytes.writeUInt16LE(4 + 2 * slots, layout);
    this.bytes.writeUInt16LE(this.#end - start, layout + 2);
    this.bytes.writeInt32LE(start - layout, start);
    this.bytes.writeUInt32LE(start - from, from);
    return positions;
  }

  text(from: number, text: string): void {
    this.pointHere(from);
    const size = Buffer.byteLength(text);
    this.bytes.writeUInt32LE(size, this.take(4));
    this.bytes.write(text, this.take(size + 1));
  }
}

/** The schema message of an IPC stream, with its prefix. Its size is a multiple of 64. */
export function schemaMessage(columns: readonly ArrowColumn[]): Buffer {
  const buffer = new FlatBuffer(schemaBytes(columns));
  const { bytes } = buffer;
  buffer.take(PREFIX);
  schemaTable(buffer, message(buffer, SCHEMA, 0), columns);
  const size = buffer.align(64);
  bytes.writeUInt32LE(MARK, 0);
  bytes.writeInt32LE(size - PREFIX, 4);
  return bytes.subarray(0, size);
}

/** Enough room for a schema. */
function schemaBytes(columns: readonly ArrowColumn[]): number {
  return columns.reduce((size, { name }) => size + 256 + Buffer.byteLength(name), 1024);
}

/** Writes a schema that an offset points to. */
function schemaTable(buffer: FlatBuffer, from: number, columns: readonly ArrowColumn[]): void {
  const [, fields = 0] = buffer.table(from, [[1, 4]]);
  buffer.pointHere(fields);
  buffer.bytes.writeUInt32LE(columns.length, buffer.take(4));
  const first = buffer.take(4 * columns.length);
  columns.forEach(({ name, type }, at) => {
    field(buffer, first + 4 * at, name, type);
  });
}

/** Writes the head of a message. Returns the position for the offset of its content. */
function message(buffer: FlatBuffer, content: number, bodyBytes: number): number {
  const root = buffer.take(4);
  const [version = 0, type = 0, header = 0, body = 0] = buffer.table(root, [
    [0, 2],
    [1, 1],
    [2, 4],
    [3, 8],
  ]);
  buffer.bytes.writeInt16LE(VERSION, version);
  buffer.bytes.writeUInt8(content, type);
  buffer.bytes.writeBigInt64LE(BigInt(bodyBytes), body);
  return header;
}

function field(buffer: FlatBuffer, from: number, name: string, type: ColumnStorage): void {
  const { bytes } = buffer;
  const at = buffer.table(from, [
    [0, 4],
    [1, 1],
    [2, 1],
    [3, 4],
    [5, 4],
  ]);
  const [nameAt = 0, nullable = 0, typeAt = 0, typeTable = 0, , children = 0] = at;
  bytes.writeUInt8(1, nullable);
  bytes.writeUInt8(TYPES[type], typeAt);
  buffer.text(nameAt, name);
  buffer.pointHere(children);
  buffer.take(4);
  if (type === "int") {
    const [bits = 0, signed = 0] = buffer.table(typeTable, [
      [0, 4],
      [1, 1],
    ]);
    bytes.writeInt32LE(64, bits);
    bytes.writeUInt8(1, signed);
  } else if (type === "float") {
    const [precision = 0] = buffer.table(typeTable, [[0, 2]]);
    bytes.writeInt16LE(2, precision);
  } else if (type === "datetime") {
    const [unit = 0, zone = 0] = buffer.table(typeTable, [
      [0, 2],
      [1, 4],
    ]);
    bytes.writeInt16LE(2, unit);
    buffer.text(zone, "UTC");
  } else buffer.table(typeTable, []);
}

/** A column of a record batch. */
export interface ColumnBuffers {
  readonly nulls: number;
  /** Offset in the body, and size, of each of its buffers. */
  readonly buffers: ReadonlyArray<readonly [offset: number, bytes: number]>;
}

/** The size of {@link batchMessage}, which does not depend on the values. */
export function batchMessageBytes(columns: readonly ArrowColumn[]): number {
  const buffers = columns.reduce((sum, { type }) => sum + (type === "string" ? 3 : 2), 0);
  return Math.ceil((192 + 16 * columns.length + 16 * buffers) / 64) * 64;
}

/** The message before the body of a record batch, of exactly `size` bytes. */
export function batchMessage(columns: readonly ColumnBuffers[], rows: number, bodyBytes: number, size: number): Buffer {
  const buffer = new FlatBuffer(size);
  const { bytes } = buffer;
  buffer.take(PREFIX);
  const header = message(buffer, RECORD_BATCH, bodyBytes);
  const [length = 0, nodes = 0, buffers = 0] = buffer.table(header, [
    [0, 8],
    [1, 4],
    [2, 4],
  ]);
  bytes.writeBigInt64LE(BigInt(rows), length);
  const pairs = (from: number, values: ReadonlyArray<readonly [number, number]>) => {
    // A list of structs is aligned to 8 bytes; its length stands right before it.
    const count = buffer.align(8) + 4;
    buffer.take(8);
    bytes.writeUInt32LE(count - from, from);
    bytes.writeUInt32LE(values.length, count);
    for (const [first, second] of values) {
      const at = buffer.take(16);
      writeInt64(bytes, first, at);
      writeInt64(bytes, second, at + 8);
    }
  };
  pairs(
    nodes,
    columns.map(({ nulls }) => [rows, nulls]),
  );
  pairs(
    buffers,
    columns.flatMap((column) => column.buffers),
  );
  bytes.writeUInt32LE(MARK, 0);
  bytes.writeInt32LE(size - PREFIX, 4);
  return bytes;
}

/** Writes a number below 2^53. */
function writeInt64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % 2 ** 32, at);
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}
