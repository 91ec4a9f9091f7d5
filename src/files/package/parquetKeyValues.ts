/** Type codes of Thrift's compact protocol, the encoding of Parquet metadata. */
const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const MAP = 11;
const STRUCT = 12;
const UUID = 13;

/** Sizes of types of fixed size, in bytes. A boolean field has no bytes: its value is the type code. */
const FIXED_SIZES: ReadonlyMap<number, number> = new Map([
  [TRUE, 0],
  [FALSE, 0],
  [BYTE, 1],
  [DOUBLE, 8],
  [UUID, 16],
]);

/** Field ids in parquet.thrift: FileMetaData.key_value_metadata, KeyValue.key and KeyValue.value. */
const KEY_VALUE_METADATA_FIELD = 5;
const KEY_FIELD = 1;
const VALUE_FIELD = 2;

/** Parquet metadata has 6 levels. */
const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

/**
 * The `key_value_metadata` of a Parquet file. All other metadata is skipped. Received files may be hostile: time and memory
 * are linear in the length of the metadata, because sizes larger than the remaining bytes are rejected.
 *
 * @param metadata the Thrift-encoded FileMetaData in the footer of the file
 * @throws RangeError if the metadata is malformed
 * @example
 * parquetKeyValues(metadata).get("archive-frames"); //=> '{"operation":"mentions",…}'
 */
export function parquetKeyValues(metadata: Uint8Array): Map<string, string> {
  const entries = new Map<string, string>();
  const reader = new CompactReader(metadata);
  reader.readStruct((field, type) => {
    if (field !== KEY_VALUE_METADATA_FIELD || type !== LIST) return reader.skip(type);
    reader.readList((elementType) => {
      if (elementType !== STRUCT) return reader.skip(elementType);
      let key: string | undefined;
      let value: string | undefined;
      reader.readStruct((entryField, entryType) => {
        if (entryType !== BINARY) return reader.skip(entryType);
        if (entryField === KEY_FIELD) key = reader.readString();
        else if (entryField === VALUE_FIELD) value = reader.readString();
        else reader.skip(entryType);
      });
      if (key !== undefined && value !== undefined) entries.set(key, value);
    });
  });
  return entries;
}

/** Reads Thrift's compact protocol. */
class CompactReader {
  #at = 0;
  #depth = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Calls `readField` for each field of a struct, with the id and the type of its value, which it must consume. */
  readStruct(readField: (id: number, type: number) => void): void {
    this.#nested(() => {
      for (let id = 0; ; ) {
        const header = this.#byte();
        const type = header & 0x0f;
        if (type === STOP) return;
        const delta = header >> 4;
        // Without a delta the id follows, zigzag-encoded. Ids are positive, so halving decodes it.
        id = delta === 0 ? Math.floor(this.#varint() / 2) : id + delta;
        readField(id, type);
      }
    });
  }

  /** Calls `readElement` for each element of a list or a set, with the type of its value, which it must consume. */
  readList(readElement: (type: number) => void): void {
    this.#nested(() => {
      const header = this.#byte();
      const shortCount = header >> 4;
      const count = shortCount === 0x0f ? this.#size() : shortCount;
      const type = header & 0x0f;
      // Unlike a boolean field, a boolean element takes a byte.
      for (let left = count; left > 0; left--) readElement(isBoolean(type) ? BYTE : type);
    });
  }

  readString(): string {
    const length = this.#size();
    const start = this.#at;
    this.#skipBytes(length);
    return new TextDecoder().decode(this.bytes.subarray(start, this.#at));
  }

  /** Skips a value. Except for boolean fields, this consumes at least one byte, which bounds the time. */
  skip(type: number): void {
    const size = FIXED_SIZES.get(type);
    if (size !== undefined) this.#skipBytes(size);
    else if (type === I16 || type === I32 || type === I64) this.#varint();
    else if (type === BINARY) this.#skipBytes(this.#size());
    else if (type === LIST || type === SET) this.readList((element) => this.skip(element));
    else if (type === MAP) this.#skipMap();
    else if (type === STRUCT) this.readStruct((_id, field) => this.skip(field));
    else throw new RangeError(`unknown Thrift type ${type}`);
  }

  #skipMap(): void {
    const count = this.#size();
    if (count === 0) return;
    const types = this.#byte();
    this.#nested(() => {
      for (let left = count; left > 0; left--) {
        for (const type of [types >> 4, types & 0x0f]) this.skip(isBoolean(type) ? BYTE : type);
      }
    });
  }

  /** A number of bytes or elements. It cannot exceed the remaining bytes, since every element takes at least one. */
  #size(): number {
    const size = this.#varint();
    if (size > this.bytes.length - this.#at) throw new RangeError(`size ${size} exceeds the remaining bytes`);
    return size;
  }

  /** Numbers beyond 2^53 are rounded. That is harmless: only sizes and ids are used. */
  #varint(): number {
    let value = 0;
    for (let at = 0; at < MAX_VARINT_BYTES; at++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * at);
      if (byte < 0x80) return value;
    }
    throw new RangeError("a varint is too long");
  }

  #byte(): number {
    const byte = this.bytes[this.#at++];
    if (byte === undefined) throw new RangeError("the metadata ends too early");
    return byte;
  }

  #skipBytes(count: number): void {
    if (count > this.bytes.length - this.#at) throw new RangeError("the metadata ends too early");
    this.#at += count;
  }

  #nested(read: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} levels`);
    read();
    this.#depth--;
  }
}

function isBoolean(type: number): boolean {
  return type === TRUE || type === FALSE;
}
