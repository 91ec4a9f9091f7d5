import { inspect, stripVTControlCharacters } from "node:util";
import type { NotebookHost } from "../../call/notebookHost.js";
import type { ProgressEvent } from "../../call/progressEvent.js";
import { hasCustomBundle, type MimeBundle, noteBundle } from "../../notebook/display/mimeBundle.js";
import { createProgressDisplay } from "../../notebook/display/progressDisplay.js";
import type { Conversion, Converter, Diagnostic } from "../converter/converter.js";
import type { Output } from "../output.js";
import {
  type CellFailure,
  cellFailure,
  isError,
  TypeScriptError,
  warningTexts,
  withoutKernelFrames,
} from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";
import { Evaluator, type Variables } from "./evaluator.js";

const SET_UP = "Only its imports and clients were run, so that later cells find them.";
const UNHANDLED_REJECTION = "Unhandled rejection. Is an `await` missing?";

/** Runs one cell at a time, from TypeScript to its output. */
export class CellRunner {
  /** The declarations of all cells so far, in TypeScript. */
  declarations = "";
  /** What the running cell, or the last one, provides to the library. */
  host: Pick<NotebookHost, "signal" | "progress"> = {};
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
    this.#unhandled = new UnhandledErrors((reason) => this.#printUnhandled(reason));
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
    { silent, isTyped }: { silent: boolean; isTyped: boolean },
  ): Promise<CellFailure | undefined> {
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
    for (const error of uncaught) this.#printUnhandled(error);

    output.flush();
    const closed = thrown === undefined ? [] : this.#closed.notes(code);
    this.#closed.add(cell, code);
    if (thrown === undefined) {
      // Above the result, as in Python: qtconsole begins no new line after a result.
      if (warnings.length > 0 && !silent) output.display(noteBundle(...warningTexts(warnings)));
      if (result !== undefined && !silent) {
        output.publish("execute_result", { execution_count: cell, data: result, metadata: {} });
      }
      return undefined;
    }
    this.#evaluator.restoreUnassigned();
    const isUnfinished = ({ verdict = "stopped", rows }: ProgressEvent) => verdict === "stopped" && rows > 0;
    const fetched = [...searches.values()].some(isUnfinished)
      ? ["The rows fetched so far are in lastResult() of the client."]
      : [];
    const notes = [thrown.note ?? [], closed, fetched].flat();
    const failure = cellFailure(thrown.error, positions, notes, warnings);
    if (!silent) output.publish("error", { ...failure });
    return failure;
  }

  async #convert(run: number, cell: number, code: string, isTyped: boolean): Promise<Conversion> {
    // The cell options of Quarto, lines at the top that begin with `#|`, become comments of the same length.
    const typescript = code.replace(/^(?:#\|.*(?:\n|$)|[^\S\n]*\n)+/, (options) => options.replace(/^#\|/gm, "//"));
    const converting = this.converter.call("convert", this.declarations, typescript, isTyped);
    setImmediate(() => loadAhead(code, this.#evaluator.require));
    const conversion = await converting;
    this.positions.add(run, cell, code, conversion.maps);
    return conversion;
  }

  /** Runs a converted cell; of one that cannot run, its imports and clients. */
  async #execute(run: number, conversion: Conversion, signal: AbortSignal): Promise<MimeBundle | undefined> {
    const { diagnostics, setup } = conversion;
    if (diagnostics.length === 0) return this.#evaluate(run, conversion, signal);
    const evaluated = setup && this.#evaluate(run, setup, signal).then(() => SET_UP);
    // If they fail, the cell will say why when it can run.
    const note = await evaluated?.catch(() => undefined);
    signal.throwIfAborted();
    throw new TypeScriptError(diagnostics, note);
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

  /** Prints an unhandled error that can no longer fail a cell. */
  #printUnhandled(reason: unknown): void {
    const lines = cellFailure(reason, this.positions).traceback.map((line) => stripVTControlCharacters(line));
    this.output.text("stderr", `Unhandled error. Is an \`await\` missing?\n${lines.join("\n")}\n`);
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

class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor() {
    super("The cell was interrupted.");
    // Without the stack frames of the kernel.
    this.stack = `${this.name}: ${this.message}`;
  }
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

const USING = /^(?:await[ \t]+)?using[ \t]+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gmu;
const DECLARED = /\b(?:const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;
const NAME = /(?<![\p{ID_Continue}$.])[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/** Variables that a cell declared with `using` and closed when it ended. */
class ClosedVariables {
  /** The cells, by execution count. */
  readonly #cells = new Map<string, number>();

  add(cell: number, code: string): void {
    for (const [, name = ""] of code.matchAll(DECLARED)) this.#cells.delete(name);
    for (const [, name = ""] of code.matchAll(USING)) this.#cells.set(name, cell);
  }

  /** Why a cell may have failed: it uses what an earlier one has closed. */
  notes(code: string): string[] {
    const names = new Set([...code.matchAll(NAME)].map(([name]) => name));
    const used = [...this.#cells].filter(([name]) => names.has(name));
    return used.map(
      ([name, cell]) =>
        `Cell ${cell} closed ${name} when it ended, because it says using. Declare it with const to use it in later cells.`,
    );
  }
}
