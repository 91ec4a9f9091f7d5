import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { sum } from "../util/lists.js";
import type { MemberType, RowSchema } from "./rows.js";

/** The exports of `wasm/scanner.ts`. Positions are addresses in its memory. */
interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  irregular(): number;
  failure(): number;
  nulls(): number;
  validityBytes(): number;
  valuesAt(): number;
  valueBytes(): number;
  textAt(): number;
  textBytes(): number;
  heapBase(): number;
  keyAt(): number;
  schemaBytes(members: number): number;
  beginSchema(at: number, members: number): number;
  addMember(key: number, name: number, length: number, type: number): number;
  beginRows(input: number, order: number, records: number, bytes: number): void;
  recordsEnd(): number;
  scanRows(at: number): number;
  scanRow(at: number): number;
  skipValue(at: number): number;
  skipString(at: number): number;
  setRuns(at: number, count: number, stride: number): void;
  column(cell: number, type: number, rows: number, out: number): number;
}

/** The type numbers of `wasm/schema.ts`. */
export const TYPE_CODES: Readonly<Record<MemberType, number>> = {
  string: 0,
  int: 1,
  float: 2,
  bool: 3,
  datetime: 4,
  null: 5,
};

/** Free bytes that the scanner needs after every input and output. */
export const MARGIN = 64;
const WASM_PAGE = 2 ** 16;
/** A scanner with more memory is kept only until the next garbage collection. */
const MAX_IDLE_BYTES = 32 * 2 ** 20;

/** The multipliers of the row hash, the same in every scanner of this process. They must be odd. */
const hashKey = randomBytes(32).map((byte, at) => (at % 4 === 0 ? byte | 1 : byte));

/** The WebAssembly page scanner and its memory. Callers copy input in and results out synchronously, so paginations share no data. */
export class Scanner {
  readonly exports = instantiate();
  #bytes: Buffer = Buffer.from(this.exports.memory.buffer);
  #schema: RowSchema | undefined;
  readonly #base = this.exports.heapBase();
  /** Space for the order of the members in a row. */
  order = this.#base;
  /** The first free position after the schema. */
  start = this.#base;

  constructor() {
    this.#bytes.set(hashKey, this.exports.keyAt());
  }

  /** The memory. Get it again after {@link reserve} and after scanning: both may replace it. */
  get bytes(): Buffer {
    const { buffer } = this.exports.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  /** Grows the memory to a position, if necessary. */
  reserve(end: number): void {
    const size = this.exports.memory.buffer.byteLength;
    if (end + MARGIN > size) this.exports.memory.grow(Math.ceil((end + MARGIN - size) / WASM_PAGE));
  }

  /** Sets the schema that rows are checked against. */
  useSchema(schema: RowSchema): void {
    if (this.#schema === schema) return;
    const { names, types } = schema;
    const keys = names.map((name) => Buffer.from(JSON.stringify(name)));
    const longest = keys.reduce((most, key) => Math.max(most, key.length), 0);
    const keyBytes = sum(keys.map((key) => 2 * key.length + 32));
    const scratch = this.#base + this.exports.schemaBytes(names.length) + keyBytes;
    this.reserve(scratch + longest + 4 * names.length + 4 * MARGIN);
    const { bytes } = this;
    let next = this.exports.beginSchema(this.#base, names.length);
    keys.forEach((key, at) => {
      key.copy(bytes, scratch);
      bytes.fill(0, scratch + key.length, scratch + key.length + 16);
      next = this.exports.addMember(next, scratch, key.length, TYPE_CODES[types[at] as MemberType]);
    });
    this.#schema = schema;
    this.order = next;
    this.start = aligned(next + 4 * (names.length + 1));
  }
}

let idleScanner: Scanner | WeakRef<Scanner> | undefined;

/** Calls `use` with the scanner of this process, which must not be used afterwards. */
export function withScanner<T>(use: (scanner: Scanner) => T): T {
  const scanner = (idleScanner instanceof WeakRef ? idleScanner.deref() : idleScanner) ?? new Scanner();
  // Nested uses, and uses after an error, get a new scanner.
  idleScanner = undefined;
  const result = use(scanner);
  idleScanner = scanner.exports.memory.buffer.byteLength > MAX_IDLE_BYTES ? new WeakRef(scanner) : scanner;
  return result;
}

/** The next 64-byte aligned position. */
export function aligned(at: number): number {
  return Math.ceil(at / 64) * 64;
}

/** Missing in the types of Node. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

let module: object | undefined;

/** Instantiates the module that `npm run build` compiled. */
function instantiate(): ScannerExports {
  module ??= new WebAssembly.Module(wasmBytes());
  return new WebAssembly.Instance(module).exports as ScannerExports;
}

function wasmBytes(): Uint8Array {
  try {
    // The same relative path from src/pages and from dist/pages.
    return readFileSync(new URL("../../dist/scanner.wasm", import.meta.url));
  } catch (cause) {
    const what = "dist/scanner.wasm is missing. Run npm run build; bundlers must treat archive-frames as external.";
    throw new Error(what, { cause });
  }
}
