import { closeSync, fstatSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "../../errors/index.js";
import { readBytes } from "../../fs/fileBytes.js";
import { openReceivedFile } from "../../fs/readReceivedFile.js";
import { escaped } from "../../util/quoted.js";

/** Rows that resemble each other are a thousand times larger in memory than in a file. Small files may be larger still. */
const MAX_RATIO = 1000;
const SMALL_BYTES = 2 ** 26;
/** Bytes of a cell in memory besides its text. */
const CELL = 16;
const MAX_FOOTER = 2 ** 25;
const MAX_PAGES = 2 ** 21;

/**
 * The path of a Parquet file in a corpus that somebody else may have made, for readers that open it themselves. It is a regular file, no
 * directory above it in the corpus is a link, and its pages do not unpack to much more than its size.
 *
 * @throws FileError `UNSAFE_PATH`, or `FILE_ERROR` if it unpacks to too much; the system error if there is none (`ENOENT`)
 */
export function parquetFile(dir: string, name: string): string {
  const path = join(dir, name);
  const file = openReceivedFile(dir, name);
  try {
    const { size } = fstatSync(file);
    const unpacked = unpackedBytes(file, size);
    // polars reports anything that is not a Parquet file.
    if (unpacked === undefined || unpacked <= SMALL_BYTES + MAX_RATIO * size) return path;
    const megabytes = Math.round(unpacked / 2 ** 20).toLocaleString("en-US");
    throw new FileError(`${escaped(path)} unpacks to ${megabytes} MB.`, {
      code: "FILE_ERROR",
      hint: "It was not written by this package. Delete it, or get the corpus from somebody you trust.",
      path,
    });
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the footer of a Parquet file, and the headers of all pages: the sums in the footer may be wrong.
 *
 * @returns the bytes in memory that they announce; undefined if it is no Parquet file
 */
function unpackedBytes(file: number, size: number): number | undefined {
  try {
    const tail = readBytes(file, size - 8, 8);
    const length = tail.readUInt32LE();
    if (tail.toString("latin1", 4) !== "PAR1" || length > Math.min(size, MAX_FOOTER)) return undefined;
    const footer = new ThriftReader(readBytes(file, size - 8 - length, length)).struct();
    let [unpacked, pages] = [0, 0];
    for (const group of structs(footer[4]))
      for (const chunk of structs(group[1])) {
        const { 7: compressed = 0, 9: data = 0, 11: dictionary = 0 } = (chunk[3] ?? {}) as Record<number, number>;
        let at = dictionary > 0 ? Math.min(data, dictionary) : data;
        for (const end = Math.min(size, at + compressed); at < end; ) {
          const { header, bytes } = pageHeader(file, at, end);
          const { 1: values = 0 } = (header[5] ?? header[8] ?? header[7] ?? {}) as Record<number, number>;
          const [whole, packed] = [Number(header[2]), Number(header[3])];
          if (!(whole >= 0 && packed >= 0 && values >= 0)) return undefined;
          unpacked += whole + values * CELL;
          if (++pages > MAX_PAGES) return Number.POSITIVE_INFINITY;
          at += bytes + packed;
        }
      }
    return unpacked;
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function pageHeader(file: number, at: number, end: number): { readonly header: Struct; readonly bytes: number } {
  for (let length = 512; ; length *= 64) {
    const reader = new ThriftReader(readBytes(file, at, Math.min(length, end - at)));
    try {
      return { header: reader.struct(), bytes: reader.at };
    } catch (error) {
      if (!(error instanceof RangeError) || length >= end - at) throw error;
    }
  }
}

/** The members of a struct by their numbers. */
type Struct = Readonly<Record<number, unknown>>;

const structs = (value: unknown) => (Array.isArray(value) ? value : []) as readonly Struct[];

/** Reads Thrift's compact protocol. Text is skipped. RangeError if it is none, or ends early. */
class ThriftReader {
  at = 0;

  constructor(readonly bytes: Buffer) {}

  struct(depth = 0): Struct {
    if (depth > 32) throw new RangeError("nested too deeply");
    const members: Record<number, unknown> = {};
    for (let id = 0; ; ) {
      const head = this.#byte();
      if (head === 0) return members;
      id = head >> 4 === 0 ? this.#integer() : id + (head >> 4);
      members[id] = this.#value(head & 15, depth);
    }
  }

  #value(type: number, depth: number): unknown {
    if (type === 1 || type === 2) return type === 1;
    if (type === 3) return this.#byte();
    if (type >= 4 && type <= 6) return this.#integer();
    if (type === 7) return this.#skip(8);
    if (type === 8) return this.#skip(this.#varint());
    if (type === 12) return this.struct(depth + 1);
    if (type !== 9 && type !== 10) throw new RangeError("unknown type");
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#varint() : head >> 4;
    if (count > this.bytes.length) throw new RangeError("too long");
    const isBoolean = (head & 15) < 3;
    return Array.from({ length: count }, () => (isBoolean ? this.#byte() : this.#value(head & 15, depth + 1)));
  }

  #byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  #skip(count: number): undefined {
    this.at += count;
    if (this.at > this.bytes.length) throw new RangeError("too short");
  }

  #varint(): number {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  #integer(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
