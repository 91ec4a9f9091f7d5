import { once } from "node:events";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";

/** An error that TypeScript reports for a cell; line and column start at 1. */
export interface Diagnostic {
  /** The file, unless it is the cell itself. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** Number of characters to underline. */
  readonly length: number;
  /** The line of the cell; undefined for another file. */
  readonly source: string | undefined;
  readonly message: string;
}

/** A cell converted to JavaScript, or the diagnostics that prevented it. */
export interface Conversion {
  /** Why the cell cannot run. */
  readonly diagnostics: readonly Diagnostic[];
  /** Type errors of a cell that can run. */
  readonly warnings: readonly Diagnostic[];
  /** A CommonJS module with top-level await and its source maps; absent if there is nothing to run. */
  readonly output?: string | undefined;
  /** Declarations of all cells so far, input of the next conversion. */
  readonly declarations: string;
  /** The export that holds the value of the last expression. */
  readonly lastExpression?: string | undefined;
  /** Local modules that the cell imports or that have changed. */
  readonly modules?: ReadonlyArray<{ readonly path: string; readonly data: string }> | undefined;
}

/** The possible completions at a position. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  readonly candidates: readonly string[];
}

/** The methods of the converter thread; positions count UTF-16 units. */
export interface ConverterMethods {
  convert(declarations: string, code: string): Conversion;
  complete(declarations: string, code: string, position: number): Completion;
  /** Documentation and type of the name at a position. */
  inspect(declarations: string, code: string, position: number): string | undefined;
  /** Whether code needs more lines, and the indentation of the next one. */
  isComplete(code: string): { readonly status: "complete" | "incomplete"; readonly indent?: string | undefined };
}

/** What the thread receives, and answers to the port. */
export type ConverterRequest = { method: keyof ConverterMethods; args: unknown[]; port: MessagePort };
export type ConverterResponse = { value?: unknown; error?: string };

/**
 * TypeScript in a worker thread: the kernel stays responsive and loads its own modules while three megabytes of declarations are
 * parsed or a cell is checked. A parser creates many short-lived objects, hence the large young generation.
 */
export class Converter {
  readonly #thread: Worker;

  constructor() {
    this.#thread = new Worker(new URL("./converterWorker.js", import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 128 },
      // Logs of TypeScript are not output of a cell.
      stdout: true,
      stderr: true,
    });
    this.#thread.stdout.resume();
    this.#thread.stderr.resume();
    // Without this thread no cell can run, and the front end starts another kernel.
    this.#thread.on("error", () => process.exit(1));
  }

  async call<K extends keyof ConverterMethods>(
    method: K,
    ...args: Parameters<ConverterMethods[K]>
  ): Promise<ReturnType<ConverterMethods[K]>> {
    const { port1, port2 } = new MessageChannel();
    this.#thread.postMessage({ method, args, port: port2 } satisfies ConverterRequest, [port2]);
    const [{ value, error }] = (await once(port1, "message")) as [ConverterResponse];
    port1.close();
    if (error !== undefined) throw new Error(error);
    return value as ReturnType<ConverterMethods[K]>;
  }
}
