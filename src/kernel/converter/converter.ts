import { Worker } from "node:worker_threads";

/** A fault that TypeScript found in a cell; line and column count from 1. */
export interface Fault {
  /** The file that it is in, where that is not the cell. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** How many characters of the line are meant. */
  readonly length: number;
  readonly message: string;
}

/** The two source maps from the code that runs back to the cell, as JSON. */
export interface CellMaps {
  readonly fromCommonJs: string;
  readonly fromTypeScript: string;
}

/** A cell as JavaScript, or the faults because of which there is none. */
export interface Conversion {
  readonly faults: readonly Fault[];
  /** A CommonJS module with top-level await. Absent where the cell has nothing to run. */
  readonly output?: string | undefined;
  /** What the names of all cells so far are, for the conversion of the next one. */
  readonly declarations?: string | undefined;
  /** The export that holds the value of the last expression. */
  readonly lastExpression?: string | undefined;
  readonly maps?: CellMaps | undefined;
  /** Local modules that the cell needs, or that have changed. */
  readonly modules?: ReadonlyArray<{ readonly path: string; readonly data: string }> | undefined;
}

/** What could be typed at a place. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  readonly candidates: readonly string[];
}

/** What the thread does; positions count UTF-16 units. */
export interface ConverterCalls {
  convert(declarations: string, code: string): Conversion;
  complete(declarations: string, code: string, position: number): Completion;
  /** Type and documentation of the name at a place. */
  inspect(declarations: string, code: string, position: number): string | undefined;
  isComplete(code: string): { readonly completed: boolean; readonly indent?: string };
}

/** A call on its way to the thread, and its answer. */
export type ConverterRequest = { readonly id: number; readonly call: keyof ConverterCalls; readonly with: unknown[] };
export type ConverterAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/**
 * TypeScript, as tslab uses it, in a thread of its own: the kernel answers while three megabytes of declarations are read
 * or a cell is checked, and loads its own modules meanwhile. The many short-lived objects of a parser want a large
 * young generation.
 */
export class Converter {
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #thread: Worker;
  #calls = 0;

  constructor() {
    this.#thread = this.#start();
  }

  call<K extends keyof ConverterCalls>(
    call: K,
    ...parameters: Parameters<ConverterCalls[K]>
  ): Promise<ReturnType<ConverterCalls[K]>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#thread.postMessage({ id, call, with: parameters } satisfies ConverterRequest);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL("./converterThread.js", import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 128 },
      // What TypeScript logs is no output of a cell.
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    thread.on("message", (answer: ConverterAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ("error" in answer) waiting?.reject(new Error(answer.error));
      else waiting?.resolve(answer.value);
    });
    thread.on("error", (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      this.#thread = this.#start();
    });
    return thread;
  }
}
