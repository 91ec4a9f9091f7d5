import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { emptyStream } from "../../src/frames/convertColumns.js";
import { pl } from "../../src/index.js";
import { arrowStream } from "../../src/pages/arrowStream.js";
import { declaredShape, type RowShape, rowShape } from "../../src/pages/rows.js";
import { type Scanner, withScanner } from "../../src/pages/scanner.js";
import { NotScannable, type PageScan, scanPage } from "../../src/pages/scanPage.js";
import { LONG, runs } from "../scale.js";
import { Bodies, COLUMNS } from "./bodies.js";

const BODIES = runs(150, 20_000);
const SHAPE = declaredShape(COLUMNS);
/** What surrounds a body in memory: bytes that would go on with a text, an object, a number or a name. */
const SURROUNDINGS = [0x00, 0x22, 0x7d, 0x39, 0x5c, 0xff];

let guard: GuardedScanner;
afterAll(() => guard?.release());
/** Pages that were scanned, so that the tests prove something. */
let scanned = 0;

/** Fills the memory of the scanner beyond the shape, and watches it. */
function surround(byte: number, bodyBytes: number, shape: RowShape): void {
  withScanner((scanner) => {
    if (guard?.scanner !== scanner) {
      guard?.release();
      guard = new GuardedScanner(scanner);
    }
    guard.bodyBytes = bodyBytes;
    scanner.useShape(shape);
    scanner.reserve(scanner.start + 24 * bodyBytes + 2 ** 14);
    scanner.bytes.fill(byte, scanner.start);
  });
}

/** The rows of a page, read by polars. */
function rowsOf(page: PageScan): string {
  const { names, types } = page.tape.shape;
  const columns = names.map((name, at) => ({ name, type: types[at] === "null" ? "string" : (types[at] as "string") }));
  return arrowStream(emptyStream(columns), [page], (stream) => JSON.stringify(pl.readIPCStream(stream).rows()));
}

/** All that the scanner makes of a body amid such bytes. */
function resultsOf(body: Buffer, byte: number, shape: RowShape): unknown {
  const { length } = body;
  let page: PageScan;
  surround(byte, length, shape);
  try {
    page = scanPage(body, "rows", shape);
  } catch (error) {
    if (error instanceof NotScannable) return error.message;
    throw error;
  }
  const { cursor, tape } = page;
  const rows: unknown[] = [cursor, tape.isUniform, Buffer.from(tape.words.buffer).toString("latin1")];
  surround(byte, length, shape);
  if (tape.isUniform && tape.rows > 0) rows.push(rowsOf(page));
  scanned++;
  return rows;
}

/** Scans a body amid two kinds of bytes: nothing else may be written, and what is read there may not matter. */
function check(body: Buffer, pick: (of: readonly number[]) => number, shape: RowShape = SHAPE): void {
  const [one, other] = [pick(SURROUNDINGS), pick(SURROUNDINGS)].map((byte) => {
    const results = resultsOf(body, byte, shape);
    expect(guard.strays, shown(body)).toEqual([]);
    return results;
  });
  if (!isDeepStrictEqual(other, one)) expect(other, shown(body)).toEqual(one);
}

const shown = (body: Buffer) => JSON.stringify(body.toString("latin1").slice(0, 2000));

describe("the page scanner, amid any bytes, writes to its own memory only", () => {
  const bodies = new Bodies(7);
  const pick = (of: readonly number[]) => bodies.pick(of);

  it("for generated bodies", () => {
    const before = scanned;
    for (let at = 0; at < BODIES; at++) check(bodies.next(), pick);
    expect(scanned - before).toBeGreaterThan(BODIES);
    // Only the last two hashes are static data.
    expect(guard.calls).toBeGreaterThan(0);
    expect(guard.statics.size).toBeLessThanOrEqual(32);
  });

  it("for a body that ends anywhere", () => {
    const body = Buffer.from(
      '{"cursor":"c","rows":[{"id":"12","s":"\\ud83d\\ude00 é\\n","i":-12,"f":1.5e3,"b":true,"d":"2024-04-27T02:35:35Z"},' +
        '{"x":{"y":[null,"\\u00e9",1e5]},"id":"7"}]}',
    );
    for (let end = 0; end <= body.length; end++) check(body.subarray(0, end), pick);
  });

  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const names = (count: number) => Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join(",");
  const size = LONG ? 10 * 2 ** 20 : 2 ** 16;
  it.each([
    ["nested lists", nested("[", "]", 499)],
    ["lists nested too deeply", nested("[", "]", 100_000)],
    ["nested objects", `${'{"":'.repeat(499)}0${"}".repeat(499)}`],
    ["very many names", `{${names(size / 10)}}`],
    ["the shortest names, repeated", `{${'"":0,'.repeat(size / 10)}"":0}`],
    ["a long text", `"${"é ".repeat(size / 3)}"`],
    ["a text of escapes", `"${"\\ud83d\\ude00".repeat(size / 12)}"`],
    ["a text without end", `"${"\\\\".repeat(size / 2)}`],
    ["a long number", "7".repeat(size)],
    ["a long fraction", `0.${"7".repeat(size)}`],
  ])("for %s", (_what, value) => {
    for (const member of ["s", "other", "id"]) {
      check(Buffer.from(`{"rows":[{"id":"1","s":"a"},{"${member}":${value}},{"i":5}]}`), pick);
    }
    check(Buffer.from(`{"more":${value},"rows":[{"id":"1"}]}`), pick);
  });

  it("for thousands of empty rows of a wide shape", () => {
    const wide = rowShape(Array.from({ length: 300 }, (_, at) => [`m${at}`, "int"] as const));
    check(Buffer.from(`{"rows":[${"{},".repeat(3000)}{"m299":1}]}`), pick, wide);
  });

  it("for CSV of any texts", () => {
    const shape = rowShape([
      ["id", "string"],
      ["s", "string"],
      ["i", "int"],
    ]);
    const pieces = [
      '\\"',
      ",",
      "\\n",
      "\\r",
      "a",
      "é",
      "\\u2028",
      "fifteen bytes .",
      "sixteen bytes ..",
      "\\ud83d\\ude00",
      "x".repeat(33),
    ];
    const text = () => Array.from({ length: bodies.int(7) }, () => bodies.pick(pieces)).join("");
    const before = scanned;
    for (let at = 0; at < BODIES / 4; at++) {
      const rows = Array.from(
        { length: 1 + bodies.int(5) },
        () => `{"id":"${text()}",\n"s":"${text()}","i":${bodies.int(1e9)}}`,
      );
      check(Buffer.from(`{"rows":[${rows.join(",\r\n")}]}`), pick, shape);
    }
    check(Buffer.from(`{"rows":[{"id":"${'\\"'.repeat(size / 2)}","s":"${"\\n".repeat(size / 2)}"}]}`), pick, shape);
    expect(scanned - before).toBeGreaterThan(BODIES / 2);
  });
});

/** The bytes of memory from `from` to before `to`. */
type Region = readonly [from: number, to: number];
type WasmFunction = (...args: number[]) => number;

/** How far beyond its output a function may write: the comment at the top of `wasm/scanner.ts`. */
const BEYOND = 32;

/**
 * Watches the memory of a scanner: compares all of it before and after each call into WebAssembly. Only what the call
 * has to write may differ.
 */
class GuardedScanner {
  /** Calls that wrote elsewhere. */
  readonly strays: string[] = [];
  /** Positions of static data that have changed. */
  readonly statics = new Set<number>();
  calls = 0;
  /** Size of the body that is scanned, which bounds what the scan may write. */
  bodyBytes = 0;
  readonly #unwatched: Scanner["exports"];
  readonly #memory: { readonly buffer: ArrayBuffer };
  readonly #heap: number;
  readonly #recordsEnd: WasmFunction;
  #shape = 0;
  #recordBytes = 0;
  #records = 0;

  /** @param scanner its exports are replaced by watched ones until the release */
  constructor(readonly scanner: Scanner) {
    this.#unwatched = scanner.exports;
    const exports = scanner.exports as unknown as Record<string, WasmFunction>;
    this.#memory = scanner.exports.memory;
    this.#heap = scanner.exports.heapBase();
    this.#recordsEnd = exports.recordsEnd as WasmFunction;
    const watched = Object.entries(exports).map(([name, value]) => [
      name,
      typeof value === "function" ? this.#watched(name, value) : value,
    ]);
    Object.defineProperty(scanner, "exports", { value: Object.fromEntries(watched), configurable: true });
  }

  /** Stops watching. The other tests of the process use the same scanner, and watching it makes every page slow. */
  release(): void {
    Object.defineProperty(this.scanner, "exports", { value: this.#unwatched });
  }

  #watched(name: string, run: WasmFunction): WasmFunction {
    return (...args) => {
      const before = Buffer.from(new Uint8Array(this.#memory.buffer).slice().buffer);
      const result = run(...args);
      const after = Buffer.from(this.#memory.buffer);
      for (let at = 0; at < this.#heap; at++) if (before[at] !== after[at]) this.statics.add(at);
      const regions = this.#regions(name, args, result);
      const stray = firstDifference(before, after, [[0, this.#heap], ...regions]);
      if (stray >= 0)
        this.strays.push(`${name}(${args}) = ${result} wrote to ${stray}, outside ${regions.join(" and ")}`);
      this.calls++;
      return result;
    };
  }

  /** Where a call may write besides static data, in ascending order. */
  #regions(name: string, args: readonly number[], result: number): Region[] {
    const { order, start } = this.scanner;
    const [first = 0, second = 0, third = 0, fourth = 0] = args;
    switch (name) {
      case "beginShape":
        this.#shape = first;
        this.#recordBytes = 32 + 8 * second;
        return [[first, result]];
      case "addMember":
        return [
          [this.#shape, result],
          [second, second + 3 * third + 128],
        ];
      case "beginRows":
        this.#records = third;
        return [[order, start]];
      case "scanRows":
      case "scanRow":
      case "skipValue":
      case "skipString":
        return [
          [order, start],
          // A value that is not spelled plainly is copied behind the last record.
          [this.#records, this.#recordsEnd() + this.#recordBytes + 256 + this.bodyBytes],
        ];
      case "column":
        return [[fourth, result + BEYOND]];
      default:
        return [];
    }
  }
}

/** The first byte outside the regions that changed, or -1. Memory that was added held zeros. */
function firstDifference(before: Buffer, after: Buffer, regions: readonly Region[]): number {
  const zeros = Buffer.alloc(after.length - before.length);
  let from = 0;
  for (const [start, end] of [...regions, [after.length, after.length] as const]) {
    const to = Math.min(start, after.length);
    const known = Math.max(from, Math.min(to, before.length));
    const same =
      after.subarray(from, known).equals(before.subarray(from, known)) &&
      after.subarray(known, to).equals(zeros.subarray(0, Math.max(0, to - known)));
    if (!same) return after.findIndex((byte, at) => at >= from && at < to && byte !== (before[at] ?? 0));
    from = Math.max(from, end);
  }
  return -1;
}
