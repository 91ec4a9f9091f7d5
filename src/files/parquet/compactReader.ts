/** Type codes of Thrift's compact protocol, the encoding of Parquet metadata. */
export const ThriftType = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

const { byte, i16, i32, i64, double, binary, list, set, map, struct, uuid } = ThriftType;

/** Sizes of types of fixed size, in bytes. A boolean field has no bytes: its value is the type code. */
const FIXED_SIZES: ReadonlyMap<number, number> = new Map([
  [ThriftType.true, 0],
  [ThriftType.false, 0],
  [byte, 1],
  [double, 8],
  [uuid, 16],
]);

/** Parquet metadata has 6 levels. */
const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

/**
 * Reads Thrift's compact protocol. Received files may be hostile: time and memory are linear in the length of the bytes,
 * because sizes larger than the remaining bytes are rejected.
 *
 * All methods throw a RangeError if the bytes are malformed.
 */
export class CompactReader {
  #at = 0;
  #depth = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Offset of the next byte. */
  get position(): number {
    return this.#at;
  }

  /** Calls `readField` for each field of a struct, with the id and the type of its value, which it must consume. */
  readStruct(readField: (id: number, type: number) => void): void {
    this.#nested(() => {
      for (let id = 0; ; ) {
        const header = this.#byte();
        const type = header & 0x0f;
        if (type === ThriftType.stop) return;
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
      for (let left = count; left > 0; left--) readElement(isBoolean(type) ? byte : type);
    });
  }

  /** Reads an integer, which must be safe. */
  readInteger(): number {
    const value = this.#varint();
    if (!Number.isSafeInteger(value)) throw new RangeError(`integer ${value} is too large`);
    // Zigzag encoding: 0, -1, 1, -2, …
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
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
    else if (type === i16 || type === i32 || type === i64) this.#varint();
    else if (type === binary) this.#skipBytes(this.#size());
    else if (type === list || type === set) this.readList((element) => this.skip(element));
    else if (type === map) this.#skipMap();
    else if (type === struct) this.readStruct((_id, field) => this.skip(field));
    else throw new RangeError(`unknown Thrift type ${type}`);
  }

  #skipMap(): void {
    const count = this.#size();
    if (count === 0) return;
    const types = this.#byte();
    this.#nested(() => {
      for (let left = count; left > 0; left--) {
        for (const type of [types >> 4, types & 0x0f]) this.skip(isBoolean(type) ? byte : type);
      }
    });
  }

  /** A number of bytes or elements. It cannot exceed the remaining bytes, since every element takes at least one. */
  #size(): number {
    const size = this.#varint();
    if (size > this.bytes.length - this.#at) throw new RangeError(`size ${size} exceeds the remaining bytes`);
    return size;
  }

  /** Numbers beyond 2^53 are rounded. */
  #varint(): number {
    let value = 0;
    for (let at = 0; at < MAX_VARINT_BYTES; at++) {
      const next = this.#byte();
      value += (next & 0x7f) * 2 ** (7 * at);
      if (next < 0x80) return value;
    }
    throw new RangeError("a varint is too long");
  }

  #byte(): number {
    const next = this.bytes[this.#at++];
    if (next === undefined) throw new RangeError("the metadata ends too early");
    return next;
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
  return type === ThriftType.true || type === ThriftType.false;
}
