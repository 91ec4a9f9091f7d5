import { inspect, stripVTControlCharacters } from "node:util";
import type { ProgressEvent } from "../../call/progressEvent.js";
import { hasCustomBundle, type MimeBundle, noteBundle, pictureMetadata } from "../../notebook/display/mimeBundle.js";
import { createProgressDisplay } from "../../notebook/display/progressDisplay.js";
import type { Conversion, Converter, Diagnostic } from "../converter/converter.js";
import type { Output } from "../outputs/output.js";
import {
  type CellFailure,
  cellFailure,
  isError,
  TypeScriptError,
  warningTexts,
  withoutKernelFrames,
} from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";
import { ClosedVariables } from "./closedVariables.js";
import { Evaluator, type Variables } from "./evaluator.js";

interface CellHost {
  /** Aborts when the user interrupts the cell. */
  readonly signal: AbortSignal;
  readonly progress: (event: ProgressEvent) => void;
}

const SET_UP = "Only its imports and clients were run, so that later cells find them.";
const UNHANDLED_REJECTION = "Unhandled rejection. Is an `await` missing?";

/** Runs one cell at a time, from TypeScript to its output. */
export class CellRunner {
  /** The declarations of all cells so far, in TypeScript. */
  declarations = "";
  /** The host of the running cell, or of the last one. */
  host: CellHost | undefined;
  readonly #evaluator = new Evaluator(process.cwd());
  readonly #unhandled: UnhandledErrors;
  readonly #closed = new ClosedVariables();
  #interrupt: AbortController | undefined;
  #runs = 0;

  /** @param control learns whether code of a cell is running */
  constructor(
    private readonly converter: Converter,
    private readonly output: Output,
    private readonly positions: CellPositions,
    private readonly control: { running: boolean },
  ) {
    this.#unhandled = new UnhandledErrors((reason) => output.text("stderr", unhandledErrorText(reason, positions)));
  }

  get variables(): Variables {
    return this.#evaluator.variables;
  }

  interrupt(): void {
    this.#interrupt?.abort(new InterruptedError());
  }

  /**
   * Runs a cell and publishes its output. An interrupt ends it whatever its code does, even if V8 has discarded its pending
   * promise reactions.
   *
   * @param cell its execution count
   * @param options silent: publish neither value nor error; isTyped: whether types are checked
   * @returns the failure; undefined on success
   */
  async run(
    cell: number,
    code: string,
    { silent = false, isTyped = true }: { silent?: boolean; isTyped?: boolean } = {},
  ): Promise<CellFailure | undefined> {
    const output = this.output;
    const interrupt = new AbortController();
    const { signal } = interrupt;
    this.#interrupt = interrupt;
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    // It may be rejected before the race below, or after it.
    stopped.catch(() => undefined);
    const showProgress = createProgressDisplay(output.display);
    const searches = new Map<number, ProgressEvent>();
    const progress = (event: ProgressEvent) => {
      searches.set(event.call, event);
      showProgress(event);
    };
    this.host = { signal, progress };
    this.#unhandled.begin((error) => interrupt.abort(error));
    const run = ++this.#runs;
    let thrown: { error: unknown; note?: string | undefined } | undefined;
    let result: MimeBundle | undefined;
    const warnings: Diagnostic[] = [];
    try {
      const conversion = this.#convert(run, cell, code, isTyped).then((done) => {
        warnings.push(...(done.warnings ?? []));
        return this.#execute(run, done, signal);
      });
      result = await Promise.race([conversion, stopped]);
    } catch (error) {
      thrown = { error, note: error instanceof TypeScriptError ? error.note : undefined };
    }
    this.control.running = false;
    // Ignore errors caused by the interrupt, and the one that failed the cell already.
    const uncaught = (await this.#unhandled.end()).filter(
      (error) => error !== thrown?.error && !(signal.aborted && isAbort(error)),
    );
    this.#interrupt = undefined;
    if (thrown === undefined && uncaught.length > 0) thrown = { error: uncaught.shift(), note: UNHANDLED_REJECTION };
    for (const error of uncaught) output.text("stderr", unhandledErrorText(error, this.positions));

    output.flush();
    const closed = thrown === undefined ? [] : this.#closed.notes(code);
    this.#closed.add(cell, code);
    if (thrown === undefined) {
      // Above the result, as in Python: qtconsole begins no new line after a result.
      if (warnings.length > 0 && !silent) output.display(noteBundle(...warningTexts(warnings, run, this.positions)));
      if (result !== undefined && !silent) {
        output.publish("execute_result", { execution_count: cell, data: result, metadata: pictureMetadata(result) });
      }
      return undefined;
    }
    this.#evaluator.restoreUnassigned();
    const notes = [thrown.note ?? [], closed, fetchedRows([...searches.values()])].flat();
    const failure = cellFailure(thrown.error, run, this.positions, notes, warnings);
    if (!silent) output.publish("error", { ...failure });
    return failure;
  }

  async #convert(run: number, cell: number, code: string, isTyped: boolean): Promise<Conversion> {
    const converting = this.converter.call("convert", this.declarations, withoutCellOptions(code), isTyped);
    setImmediate(() => loadAhead(code, this.#evaluator.require));
    const conversion = await converting;
    this.positions.add(run, { cell, code, maps: conversion.maps });
    return conversion;
  }

  async #execute(run: number, conversion: Conversion, signal: AbortSignal): Promise<MimeBundle | undefined> {
    if (conversion.diagnostics.length > 0) {
      throw new TypeScriptError(conversion.diagnostics, await this.#setUp(run, conversion.setup, signal));
    }
    return this.#evaluate(run, conversion, signal);
  }

  /** Runs the imports and clients of a cell that cannot run, and says so. */
  async #setUp(run: number, setup: Conversion | undefined, signal: AbortSignal): Promise<string | undefined> {
    try {
      if (setup === undefined) return undefined;
      await this.#evaluate(run, setup, signal);
      return SET_UP;
    } catch {
      // The cell will say why when it can run.
      signal.throwIfAborted();
      return undefined;
    }
  }

  async #evaluate(run: number, conversion: Conversion, signal: AbortSignal): Promise<MimeBundle | undefined> {
    // In a separate turn: terminating the code discards all promise reactions pending in the same turn.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    // As in IPython, a failed cell keeps what it has assigned, and so its declarations.
    this.declarations = conversion.declarations ?? this.declarations;
    this.#evaluator.updateModules(conversion.modules ?? []);
    if (conversion.output === undefined) return undefined;
    this.control.running = true;
    const last = await this.#evaluator.run(run, conversion);
    if (last === undefined) return undefined;
    // A promise is awaited unless it brings its own bundle.
    const value = hasCustomBundle(last.value) ? last.value : await last.value;
    if (value === undefined || value === null) return undefined;
    const display = await loadDisplay();
    const bundle = display?.displayBundle(value);
    if (bundle !== undefined) return bundle;
    const text = typeof value === "string" ? value : inspect(value);
    return { "text/plain": this.positions.toCellPositions(withoutKernelFrames(text)) };
  }
}

/**
 * Loads the display code, which loads polars. Deferred until a cell runs, so that the kernel responds sooner. If polars cannot be
 * loaded, everything except frames can still be displayed.
 */
const loadDisplay = () => import("../../notebook/display/displayBundle.js").catch(() => undefined);

/** Loads what the cell will need while TypeScript checks it: for the first cell, both are slow. */
function loadAhead(code: string, require: NodeJS.Require): void {
  void loadDisplay();
  try {
    if (code.includes("archive-frames")) require("archive-frames");
  } catch {
    // The import in the cell will report it.
  }
}

function isAbort(reason: unknown): boolean {
  return isError(reason) && (reason instanceof InterruptedError || reason.name === "AbortError");
}

/** Where to find the rows of unfinished searches, which no variable has. */
function fetchedRows(searches: readonly ProgressEvent[]): string[] {
  const unfinished = searches.some(({ verdict = "stopped", rows }) => verdict === "stopped" && rows > 0);
  return unfinished ? ["The rows fetched so far are in lastResult() of the client."] : [];
}

class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor() {
    super("The cell was interrupted.");
    // Without the stack frames of the kernel.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** Turns the cell options of Quarto, lines at the top that begin with `#|`, into comments of the same length. */
function withoutCellOptions(code: string): string {
  return code.replace(/^(?:#\|.*(?:\n|$)|[^\S\n]*\n)+/, (options) => options.replace(/^#\|/gm, "//"));
}

/** Collects unhandled rejections and exceptions in callbacks while a cell runs. */
class UnhandledErrors {
  readonly #rejections = new Map<Promise<unknown>, unknown>();
  readonly #exceptions: unknown[] = [];
  #endCell: ((error: unknown) => void) | undefined;

  /** @param onLate receives errors that occur while no cell runs */
  constructor(onLate: (reason: unknown) => void) {
    process.on("unhandledRejection", (reason, promise) => {
      if (this.#endCell === undefined) onLate(reason);
      else this.#rejections.set(promise, reason);
    });
    process.on("rejectionHandled", (promise) => {
      this.#rejections.delete(promise);
    });
    process.on("uncaughtException", (error) => {
      if (this.#endCell === undefined) return onLate(error);
      this.#exceptions.push(error);
      this.#endCell(error);
    });
  }

  /** @param endCell fails the cell that starts now: after an exception in a callback, what it awaits may never happen */
  begin(endCell: (error: unknown) => void): void {
    this.#endCell = endCell;
  }

  async end(): Promise<unknown[]> {
    // Node reports a rejection after all promise reactions have run. One turn of the event loop also lets aborted requests end
    // and handles input that arrived while the cell blocked the thread.
    await new Promise(setImmediate);
    this.#endCell = undefined;
    const reasons = [...this.#exceptions.splice(0), ...this.#rejections.values()];
    this.#rejections.clear();
    return reasons;
  }
}

/** The text for standard error about an unhandled error that can no longer fail a cell. */
function unhandledErrorText(reason: unknown, positions: CellPositions): string {
  const lines = cellFailure(reason, 0, positions).traceback.map((line) => stripVTControlCharacters(line));
  return `Unhandled error. Is an \`await\` missing?\n${lines.join("\n")}\n`;
}
