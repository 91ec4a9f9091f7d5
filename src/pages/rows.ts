import { isUtf8 } from "node:buffer";

export interface ScannedRows {
  readonly bytes: Buffer;
  readonly records: RowRecords;
}

/** The text of one row exactly as sent. */
export function rowText({ bytes, records }: ScannedRows, row: number): string {
  return bytes.toString("utf8", records.start(row), records.end(row));
}

export function rowsJson(rows: ScannedRows): string {
  return `[${Array.from({ length: rows.records.rows }, (_row, at) => rowText(rows, at)).join(",")}]`;
}

/** The bytes from the start of the first row to the end of the last one, without a copy. */
export function rowsBytes({ bytes, records }: ScannedRows): Buffer {
  return records.rows === 0 ? bytes.subarray(0, 0) : bytes.subarray(records.start(0), records.end(records.rows - 1));
}

/** Joins rows as sent, each on one line: a line break in a row can only be white space. Bytes that are not UTF-8 become U+FFFD. */
export function joinRows(rows: ScannedRows, separator: "\n" | ",\n"): Buffer {
  const { records } = rows;
  let source = rowsBytes(rows);
  if (source.includes("\n") || source.includes("\r"))
    source = Buffer.from(source.toString("latin1").replace(/[\r\n]/g, " "), "latin1");
  const lines = Buffer.allocUnsafe(source.length + records.rows * separator.length);
  let end = 0;
  for (let row = 0; row < records.rows; row++) {
    if (row > 0) end += lines.write(separator, end, "latin1");
    end += source.copy(lines, end, records.start(row) - records.start(0), records.end(row) - records.start(0));
  }
  const output = lines.subarray(0, end);
  return isUtf8(output) ? output : Buffer.from(output.toString());
}

// The layout of a record in 32-bit words, as in `wasm/rows.ts`. Cells follow.
const HEADER = 8;
const START = 0;
const END = 1;
const ID = 2;
const HASH_HIGH = 4;
const HASH_LOW = 6;

export function recordBytes({ names }: RowSchema): number {
  return 4 * (HEADER + 2 * names.length);
}

/** The scanner's records: for each row its position, id, hash, and the positions of its values. */
export class RowRecords {
  readonly rows: number;
  readonly #stride: number;
  readonly #floats: Float64Array;

  /** @param isUniform whether all rows are regular, so that their records have cells */
  constructor(
    readonly schema: RowSchema,
    readonly words: Uint32Array,
    readonly isUniform: boolean,
  ) {
    this.#stride = recordBytes(schema) / 4;
    this.rows = words.length / this.#stride;
    this.#floats = new Float64Array(words.buffer as ArrayBuffer);
  }

  /** The offset of the row in the bytes of the response. */
  start(row: number): number {
    return this.words[row * this.#stride + START] as number;
  }

  end(row: number): number {
    return this.words[row * this.#stride + END] as number;
  }

  /** A key for the `id` of each row: the id itself if it is a whole number, quoted or not, otherwise 53 bits of its hash; -1 without an id. */
  ids(): Float64Array {
    const ids = new Float64Array(this.rows);
    for (let row = 0; row < this.rows; row++) ids[row] = this.#floats[(row * this.#stride + ID) / 2] as number;
    return ids;
  }

  /** The upper 53 bits of the row's hash, which ignores the order of members and white space. */
  hashHigh(row: number): number {
    return this.#floats[(row * this.#stride + HASH_HIGH) / 2] as number;
  }

  /** The lower 32 bits of each row's hash. */
  hashesLow(): Int32Array {
    const hashes = new Int32Array(this.rows);
    for (let row = 0; row < this.rows; row++) hashes[row] = this.words[row * this.#stride + HASH_LOW] as number;
    return hashes;
  }

  select(rows: readonly number[]): RowRecords {
    const words = new Uint32Array(rows.length * this.#stride);
    rows.forEach((row, at) => {
      words.set(this.words.subarray(row * this.#stride, (row + 1) * this.#stride), at * this.#stride);
    });
    return new RowRecords(this.schema, words, this.isUniform);
  }
}

/** The type of a member, for JSON values that become columns directly. "null" if every value so far was null. */
export type MemberType = "string" | "int" | "float" | "bool" | "datetime" | "null";

/** The expected members of rows, in their expected order. `scanPage` checks rows against it. */
export interface RowSchema {
  /** Member names, in the order of the columns. */
  readonly names: readonly string[];
  readonly types: readonly MemberType[];
}

export function rowSchema(members: Iterable<readonly [string, MemberType]>): RowSchema {
  const entries = [...members];
  return { names: entries.map(([name]) => name), types: entries.map(([, type]) => type) };
}

const schemas = new WeakMap<object, RowSchema>();

/** The schema of declared columns: always the same object per table, so that the scanner prepares it once. */
export function declaredSchema(columns: Readonly<Record<string, MemberType>>): RowSchema {
  const schema = schemas.get(columns) ?? rowSchema(Object.entries(columns));
  schemas.set(columns, schema);
  return schema;
}
