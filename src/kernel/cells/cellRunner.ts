import { inspect, stripVTControlCharacters } from "node:util";
import type { NotebookHost, ProgressEvent } from "../../call/progress.js";
import { hasCustomBundle, type MimeBundle, noteBundle } from "../../notebook/display/mimeBundle.js";
import { createProgressDisplay } from "../../notebook/display/progressDisplay.js";
import type { Conversion, Converter, Diagnostic } from "../converter/converter.js";
import type { Output } from "../output.js";
import type { CellModules } from "../patches/modules.js";
import { type CellFailure, cellFailure, TypeScriptError, warningTexts } from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";
import { createVariables, evaluate } from "./evaluator.js";

const UNHANDLED_REJECTION = "Unhandled rejection. Is an `await` missing?";

/** Runs one cell at a time, from TypeScript to its output. */
export class CellRunner {
  /** The declarations of all cells so far, in TypeScript. */
  declarations = "";
  readonly variables = createVariables();
  /** What the running cell, or the last one, provides to the library. */
  host: Pick<NotebookHost, "signal" | "progress"> = {};
  readonly #unhandled: UnhandledErrors;
  readonly #interruptedRuns = new Set<number>();
  #interrupt: AbortController | undefined;
  #runs = 0;

  /** @param control learns whether code of a cell is running */
  constructor(
    private readonly converter: Converter,
    private readonly output: Output,
    private readonly positions: CellPositions,
    private readonly modules: CellModules,
    private readonly control: { running: boolean },
  ) {
    this.#unhandled = new UnhandledErrors((reason) => this.#printUnhandled(reason));
  }

  interrupt(): void {
    this.#interrupt?.abort(new InterruptedError("The cell was interrupted."));
  }

  /** Whether the calling code belongs to an interrupted cell: its awaits continue, and would print into later cells. */
  get isInterrupted(): boolean {
    if (this.#interruptedRuns.size === 0) return false;
    return this.#interruptedRuns.has(this.positions.outermostRun(new Error().stack ?? ""));
  }

  /**
   * Runs a cell and publishes its output. An interrupt ends it whatever its code does, even if V8 drops its promise reactions.
   *
   * @param silent publish neither value nor error
   * @returns the failure; undefined on success
   */
  async run(cell: number, code: string, silent: boolean): Promise<CellFailure | undefined> {
    const { output, positions } = this;
    const interrupt = new AbortController();
    const { signal } = interrupt;
    this.#interrupt = interrupt;
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    // It may be rejected before the race below, or after it.
    stopped.catch(() => undefined);
    const showProgress = createProgressDisplay(output.display);
    let search: ProgressEvent | undefined;
    const progress = (event: ProgressEvent) => {
      search = event;
      showProgress(event);
    };
    this.host = { signal, progress };
    const before = Object.entries(this.variables);
    this.#unhandled.begin((error) => interrupt.abort(error));
    const run = ++this.#runs;
    let thrown: { readonly error: unknown } | undefined;
    let result: MimeBundle | undefined;
    const notes: string[] = [];
    const warnings: Diagnostic[] = [];
    try {
      const execution = this.#convert(run, cell, code).then((conversion) => {
        warnings.push(...conversion.warnings);
        return this.#evaluate(run, conversion, signal);
      });
      result = await Promise.race([execution, stopped]);
    } catch (error) {
      thrown = { error };
    }
    this.control.running = false;
    const isInterrupted = signal.reason instanceof InterruptedError;
    if (isInterrupted) this.#interruptedRuns.add(run);
    const errors = await this.#unhandled.end();
    // What an interrupt has caused is not reported.
    const uncaught = isInterrupted ? [] : errors.filter((error) => error !== thrown?.error);
    this.#interrupt = undefined;
    if (thrown === undefined && uncaught.length > 0) {
      thrown = { error: uncaught.shift() };
      notes.push(UNHANDLED_REJECTION);
    }
    for (const error of uncaught) this.#printUnhandled(error);

    output.flush();
    if (thrown === undefined) {
      // Above the result, as in Python: qtconsole begins no new line after a result.
      if (warnings.length > 0 && !silent) output.display(noteBundle(...warningTexts(warnings)));
      if (result !== undefined && !silent) {
        output.publish("execute_result", { execution_count: cell, data: result, metadata: {} });
      }
      return undefined;
    }
    // The JavaScript of a cell first sets what it declares to undefined.
    for (const [name, value] of before) if (this.variables[name] === undefined) this.variables[name] = value;
    const { verdict = "stopped", rows = 0 } = search ?? {};
    if (verdict === "stopped" && rows > 0)
      notes.push(
        "The rows fetched so far are in lastResult().frame of the client. Run the cell again to resume a save or a corpus.",
      );
    const failure = cellFailure(thrown.error, positions, notes, warnings);
    if (!silent) output.publish("error", { ...failure });
    return failure;
  }

  async #convert(run: number, cell: number, code: string): Promise<Conversion> {
    // The cell options of Quarto, lines at the top that begin with `#|`, become comments of the same length.
    const typescript = code.replace(/^(?:#\|.*(?:\n|$)|[^\S\n]*\n)+/, (options) => options.replace(/^#\|/gm, "//"));
    const converting = this.converter.call("convert", this.declarations, typescript);
    setImmediate(() => loadAhead(code, this.modules.require));
    const conversion = await converting;
    this.positions.add(run, cell, code, conversion.output ?? "");
    return conversion;
  }

  async #evaluate(run: number, conversion: Conversion, signal: AbortSignal): Promise<MimeBundle | undefined> {
    // In a separate turn: terminating the code discards all promise reactions pending in the same turn.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    this.modules.update(conversion.modules ?? []);
    if (conversion.diagnostics.length > 0) throw new TypeScriptError(conversion.diagnostics);
    // As in IPython, a failed cell keeps what it has assigned, and so its declarations.
    this.declarations = conversion.declarations;
    if (conversion.output === undefined) return undefined;
    this.control.running = true;
    const last = await evaluate(conversion, run, this.variables, this.modules.require);
    if (last === undefined) return undefined;
    // A promise is awaited unless it brings its own bundle.
    const value = hasCustomBundle(last.value) ? last.value : await last.value;
    if (value === undefined || value === null) return undefined;
    const { displayBundle } = await loadDisplay();
    const bundle = displayBundle(value);
    if (bundle !== undefined) return bundle;
    const text = typeof value === "string" ? value : inspect(value);
    return { "text/plain": this.positions.toCellPositions(text) };
  }

  /** Prints an unhandled error that can no longer fail a cell. */
  #printUnhandled(reason: unknown): void {
    const lines = cellFailure(reason, this.positions).traceback.map((line) => stripVTControlCharacters(line));
    this.output.text("stderr", `Unhandled error. Is an \`await\` missing?\n${lines.join("\n")}\n`);
  }
}

/** Loads the display code, which loads polars. Deferred until a cell runs, so that the kernel responds sooner. */
const loadDisplay = () => import("../../notebook/display/displayBundle.js");

/** Loads what the cell will need while TypeScript checks it: for the first cell, both are slow. */
function loadAhead(code: string, require: NodeJS.Require): void {
  void loadDisplay();
  try {
    if (code.includes("archive-frames")) require("archive-frames");
  } catch {
    // The import in the cell will report it.
  }
}

class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** Collects unhandled rejections and exceptions in callbacks while a cell runs. */
export class UnhandledErrors {
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
