import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { sum } from "../util/sum.js";
import type { MemberType, RowShape } from "./rows.js";

interface Value {
  readonly value: number;
}

/** The functions of `wasm/scanner.ts`. Positions are addresses in its memory. */
interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly irregular: Value;
  readonly failure: Value;
  readonly nulls: Value;
  readonly validityBytes: Value;
  readonly valuesAt: Value;
  readonly valueBytes: Value;
  readonly textAt: Value;
  readonly textBytes: Value;
  heapBase(): number;
  keyAt(): number;
  shapeBytes(members: number): number;
  beginShape(at: number, members: number): number;
  addMember(key: number, name: number, length: number, type: number): number;
  beginRows(input: number, order: number, tape: number, bytes: number): void;
  recordsEnd(): number;
  scanRows(at: number): number;
  scanRow(at: number): number;
  skipValue(at: number): number;
  skipString(at: number): number;
  setRuns(at: number, count: number, stride: number): void;
  column(cell: number, type: number, rows: number, out: number): number;
  csvLines(record: number, stride: number, rows: number, base: number, out: number, scratch: number): number;
}

/** The numbers that `wasm/shape.ts` gives the types. */
export const TYPE_CODES: Readonly<Record<MemberType, number>> = {
  string: 0,
  int: 1,
  float: 2,
  bool: 3,
  datetime: 4,
  null: 5,
};

/** Free bytes that the scanner needs behind every input and output. */
export const MARGIN = 64;
const WASM_PAGE = 2 ** 16;
/** A scanner with more memory is kept only until the next garbage collection. */
const MAX_KEPT_BYTES = 32 * 2 ** 20;

/** The multipliers of the row hash, the same in every scanner of this process. They have to be odd. */
const hashKey = randomBytes(32).map((byte, at) => (at % 4 === 0 ? byte | 1 : byte));

/**
 * The page scanner: WebAssembly, and its memory. Whoever uses it copies what it needs in and takes the results out before anyone else
 * can run, so paginations share nothing but the code.
 */
export class Scanner {
  readonly exports = loadWasm<ScannerExports>("scanner.wasm");
  /** The memory. Read it again after {@link reserve} and after scanning: both may replace it. */
  #bytes: Buffer = Buffer.from(this.exports.memory.buffer);
  #shape: RowShape | undefined;
  readonly #base = this.exports.heapBase();
  /** Room for the members that stood at each place of a row. */
  order = this.#base;
  /** The first free position, behind the shape. */
  start = this.#base;

  constructor() {
    this.#bytes.set(hashKey, this.exports.keyAt());
  }

  get bytes(): Buffer {
    const { buffer } = this.exports.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  /** Makes sure that there is memory up to this position. */
  reserve(end: number): void {
    const have = this.exports.memory.buffer.byteLength;
    if (end + MARGIN > have) this.exports.memory.grow(Math.ceil((end + MARGIN - have) / WASM_PAGE));
  }

  /** Sets the shape that rows are checked against. */
  useShape(shape: RowShape): void {
    if (this.#shape === shape) return;
    const { names, types } = shape;
    const keys = names.map((name) => Buffer.from(JSON.stringify(name)));
    const longest = keys.reduce((most, key) => Math.max(most, key.length), 0);
    const keyBytes = sum(keys.map((key) => 2 * key.length + 32));
    const scratch = this.#base + this.exports.shapeBytes(names.length) + keyBytes;
    this.reserve(scratch + 2 * longest + 4 * names.length + 4 * MARGIN);
    const { bytes } = this;
    let next = this.exports.beginShape(this.#base, names.length);
    keys.forEach((key, at) => {
      key.copy(bytes, scratch);
      bytes.fill(0, scratch + key.length, scratch + key.length + 16);
      next = this.exports.addMember(next, scratch, key.length, TYPE_CODES[types[at] as MemberType]);
    });
    this.#shape = shape;
    this.order = next;
    this.start = aligned(next + 4 * (names.length + 1));
  }
}

let kept: Scanner | WeakRef<Scanner> | undefined;

/** Runs `use` with the scanner of this process, which must not be used after it. */
export function withScanner<T>(use: (scanner: Scanner) => T): T {
  const scanner = (kept instanceof WeakRef ? kept.deref() : kept) ?? new Scanner();
  // Not there for a use within this one, or after an error, whose state nobody knows.
  kept = undefined;
  const result = use(scanner);
  kept = scanner.exports.memory.buffer.byteLength > MAX_KEPT_BYTES ? new WeakRef(scanner) : scanner;
  return result;
}

/** The next position that every kind of value can be stored at. */
export function aligned(at: number): number {
  return Math.ceil(at / 64) * 64;
}

/** The part of WebAssembly that is used here. The types of Node leave it out. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;

const modules = new Map<string, object>();

/** Creates an instance of a module that `npm run build` has compiled into `dist`, and returns its exports. */
function loadWasm<Exports>(file: string): Exports {
  const module = modules.get(file) ?? new Module(read(file));
  modules.set(file, module);
  return new Instance(module).exports as Exports;
}

function read(file: string): Uint8Array {
  try {
    // dist is at the same place seen from src/pages and from dist/pages.
    return readFileSync(new URL(`../../dist/${file}`, import.meta.url));
  } catch (cause) {
    throw new Error(`dist/${file} is missing. Run npm run build; a bundler has to leave archive-frames external.`, {
      cause,
    });
  }
}
