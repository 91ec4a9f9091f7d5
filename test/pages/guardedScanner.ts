import type { Scanner } from "../../src/pages/scanner.js";

/** The bytes of memory from `from` to before `to`. */
type Region = readonly [from: number, to: number];
type WasmFunction = (...args: number[]) => number;

/** How far beyond its output a function may write: the comment at the top of `wasm/scanner.ts`. */
const BEYOND = 32;

/**
 * Watches the memory of a scanner: compares all of it before and after each call into WebAssembly. Only what the call
 * has to write may differ.
 */
export class GuardedScanner {
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
