/** Types of Thrift's compact protocol, in which Parquet writes its metadata. */
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

/** Bytes of the types that always take as many. As a member, a boolean is its own type. */
const FIXED: ReadonlyMap<number, number> = new Map([
  [TRUE, 0],
  [FALSE, 0],
  [BYTE, 1],
  [DOUBLE, 8],
  [UUID, 16],
]);

/** Members of the metadata: see parquet.thrift, FileMetaData and KeyValue. */
const KEY_VALUES = 5;
const KEY = 1;
const VALUE = 2;

/** Parquet's own metadata is nested 6 deep. */
const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

/**
 * The texts that a Parquet file carries about itself (`key_value_metadata`), by key. Everything else in its metadata is skipped. Time and
 * memory are linear in the bytes, whatever they are: no size is believed that the bytes do not hold.
 *
 * @param metadata the metadata in the footer of the file
 * @throws RangeError where it is not what Parquet writes
 */
export function parquetNotes(metadata: Uint8Array): Map<string, string> {
  const notes = new Map<string, string>();
  const reader = new CompactReader(metadata);
  reader.fields((id, type) => {
    if (id !== KEY_VALUES || type !== LIST) return reader.skip(type);
    reader.elements((element) => {
      if (element !== STRUCT) return reader.skip(element);
      let key: string | undefined;
      let value: string | undefined;
      reader.fields((member, kind) => {
        if (kind !== BINARY || (member !== KEY && member !== VALUE)) return reader.skip(kind);
        if (member === KEY) key = reader.text();
        else value = reader.text();
      });
      if (key !== undefined && value !== undefined) notes.set(key, value);
    });
  });
  return notes;
}

class CompactReader {
  #at = 0;
  #depth = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The members of a struct. */
  fields(read: (id: number, type: number) => void): void {
    this.#deeper(() => {
      for (let id = 0; ; ) {
        const head = this.#byte();
        const type = head & 0x0f;
        if (type === STOP) return;
        const delta = head >> 4;
        id = delta === 0 ? Math.floor(this.#varint() / 2) : id + delta;
        read(id, type);
      }
    });
  }

  /** The elements of a list or a set. */
  elements(read: (type: number) => void): void {
    this.#deeper(() => {
      const head = this.#byte();
      const short = head >> 4;
      const count = short === 0x0f ? this.#size() : short;
      const type = head & 0x0f;
      for (let left = count; left > 0; left--) read(isBoolean(type) ? BYTE : type);
    });
  }

  text(): string {
    const length = this.#size();
    const start = this.#at;
    this.#skipBytes(length);
    return new TextDecoder().decode(this.bytes.subarray(start, this.#at));
  }

  /** Skips a value; every call but that for a boolean member takes at least one byte. */
  skip(type: number): void {
    const bytes = FIXED.get(type);
    if (bytes !== undefined) this.#skipBytes(bytes);
    else if (type === I16 || type === I32 || type === I64) this.#varint();
    else if (type === BINARY) this.#skipBytes(this.#size());
    else if (type === LIST || type === SET) this.elements((element) => this.skip(element));
    else if (type === MAP) this.#skipMap();
    else if (type === STRUCT) this.fields((_, member) => this.skip(member));
    else throw new RangeError(`no type ${type} of Thrift`);
  }

  #skipMap(): void {
    const count = this.#size();
    if (count === 0) return;
    const types = this.#byte();
    this.#deeper(() => {
      for (let left = count; left > 0; left--) {
        for (const type of [types >> 4, types & 0x0f]) this.skip(isBoolean(type) ? BYTE : type);
      }
    });
  }

  /** A number of bytes or elements: none is larger than the bytes that are left, as every element takes one. */
  #size(): number {
    const size = this.#varint();
    if (size > this.bytes.length - this.#at) throw new RangeError(`${size} of something in fewer bytes`);
    return size;
  }

  /** Large numbers lose their last digits; only those of sizes count. */
  #varint(): number {
    let value = 0;
    for (let at = 0; at < MAX_VARINT_BYTES; at++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * at);
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number of too many bytes");
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

  #deeper(read: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} deep`);
    read();
    this.#depth--;
  }
}

function isBoolean(type: number): boolean {
  return type === TRUE || type === FALSE;
}
