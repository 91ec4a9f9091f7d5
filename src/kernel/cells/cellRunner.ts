import type { ProgressEvent } from "../../call/progressEvent.js";
import { formatCount } from "../../notebook/display/grid.js";
import { hasCustomBundle, type MimeBundle } from "../../notebook/display/mimeBundle.js";
import { createProgressDisplay } from "../../notebook/display/progressDisplay.js";
import type { Converter, Diagnostic } from "../converter/converter.js";
import type { Output } from "../outputs/output.js";
import { type CellFailure, cellFailure, isError, TypeScriptError, withoutKernelFrames } from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";
import { errorHints, RejectedCells } from "./errorHints.js";
import type { Evaluator, RunningCell, Variables } from "./evaluator.js";
import { type UnhandledErrors, unhandledErrorText } from "./unhandledErrors.js";
import { loadDisplay, valueBundle } from "./valueBundle.js";

/** What a {@link CellRunner} works with. */
interface CellRunnerContext {
  readonly converter: Converter;
  readonly evaluator: Evaluator;
  readonly positions: CellPositions;
  readonly output: Output;
  readonly unhandled: UnhandledErrors;
  /** Whether `archive`, `pl` and the others are declared before the first cell. */
  readonly preload: boolean;
  /** Reports whether code of a cell is running. */
  readonly setRunning: (running: boolean) => void;
}

/** The part of the host that belongs to one cell. */
export interface CellHost {
  /** Aborts when the user interrupts the cell. */
  readonly signal: AbortSignal;
  readonly progress: (event: ProgressEvent) => void;
}

/** How a cell ended: it failed, or it has a value or none. */
interface CellOutcome {
  readonly failure?: CellFailure;
  readonly result?: MimeBundle | undefined;
}

/** The state of one run of a cell. */
interface RunState {
  readonly run: number;
  readonly cell: number;
  /** An expression of the front end: it declares nothing, and its value is shown whatever it is. */
  readonly isExpression: boolean;
  declarations?: string | undefined;
  running?: RunningCell;
}

const CELL = { before: "", after: "", linesBefore: 0 } as const;

/** Brackets on lines of their own leave the columns of an expression as they are. */
const EXPRESSION = { before: "(\n", after: "\n)", linesBefore: 1 } as const;

const UNHANDLED_REJECTION = "Unhandled rejection. Is an `await` missing?";

const LIBRARY = "archive-frames";

/** Runs one cell at a time, from TypeScript to its output. */
export class CellRunner {
  readonly #context: CellRunnerContext;
  #declarations: string;
  #interrupt: AbortController | undefined;
  #host: CellHost | undefined;
  #runs = 0;
  readonly #rejected = new RejectedCells();

  constructor(context: CellRunnerContext) {
    this.#context = context;
    this.#declarations = context.preload ? PRELOADED : "";
  }

  /** The declarations of all cells so far, in TypeScript. */
  get declarations(): string {
    return this.#declarations;
  }

  /** The variables of all cells so far. */
  get variables(): Variables {
    return this.#context.evaluator.variables;
  }

  /** The host of the running cell, or of the last one. */
  get host(): CellHost | undefined {
    return this.#host;
  }

  /** Interrupts the running cell, if there is one. */
  interrupt(): void {
    this.#interrupt?.abort(new InterruptedError());
  }

  /**
   * Runs a cell and publishes its output. An interrupt ends it whatever its code does, even if V8 has discarded its pending
   * promise reactions.
   *
   * @param cell its execution count
   * @param silent publish neither value nor error
   * @returns the failure; undefined on success
   */
  async run(cell: number, code: string, silent: boolean): Promise<CellFailure | undefined> {
    const { output } = this.#context;
    const { failure, result } = await this.#run(cell, code, false);
    if (failure !== undefined) {
      if (!silent) output.publish("error", { ...failure });
      return failure;
    }
    if (result !== undefined && !silent) {
      output.publish("execute_result", { execution_count: cell, data: result, metadata: {} });
    }
    return undefined;
  }

  /** Evaluates an expression after a cell. Nothing is published besides what the expression itself prints. */
  evaluate(cell: number, expression: string): Promise<CellOutcome> {
    return this.#run(cell, expression, true);
  }

  async #run(cell: number, code: string, isExpression: boolean): Promise<CellOutcome> {
    const { evaluator, output, unhandled, positions, setRunning } = this.#context;
    const interrupt = new AbortController();
    this.#interrupt = interrupt;
    const stopped = new Promise<never>((_, reject) => {
      interrupt.signal.addEventListener("abort", () => reject(interrupt.signal.reason));
    });
    // It may be rejected before the race below, or after it.
    stopped.catch(() => undefined);
    const searches: Searches = new Map();
    const showProgress = createProgressDisplay(output.display);
    const progress = (event: ProgressEvent) => {
      searches.set(event.call, { event, at: performance.now() });
      showProgress(event);
    };
    this.#host = { signal: interrupt.signal, progress };
    unhandled.begin((error) => interrupt.abort(error));
    this.#runs += 1;
    const state: RunState = { run: this.#runs, cell, isExpression };
    let thrown: { error: unknown; note?: string } | undefined;
    let result: MimeBundle | undefined;
    try {
      result = await Promise.race([this.#execute(code, interrupt.signal, state), stopped]);
    } catch (error) {
      thrown = { error };
    }
    setRunning(false);
    // Ignore errors caused by the interrupt, and the one that failed the cell already.
    const interrupted = interrupt.signal.aborted;
    const uncaught = (await unhandled.end()).filter(
      (error) => error !== thrown?.error && !(interrupted && isAbort(error)),
    );
    this.#interrupt = undefined;
    if (thrown === undefined && uncaught.length > 0) thrown = { error: uncaught.shift(), note: UNHANDLED_REJECTION };
    for (const error of uncaught) output.text("stderr", unhandledErrorText(error, positions));

    output.flush();
    if (thrown !== undefined) {
      const waiting = state.running && evaluator.waits.current;
      const wait = waiting && { ...waiting, ...positions.typed(state.run, waiting) };
      const advice = wait && fetchedSince(wait.since, searches);
      const notes = [thrown.note, advice, ...(await this.#hints(thrown.error, state, code))].filter(
        (note) => note !== undefined,
      );
      const failure = cellFailure(thrown.error, state, positions, { wait, notes });
      await this.#keepAssigned(state);
      return { failure };
    }
    if (!isExpression) this.#declarations = state.declarations ?? this.#declarations;
    return { result };
  }

  async #hints(error: unknown, { run, cell }: RunState, code: string): Promise<string[]> {
    const { evaluator, positions } = this.#context;
    try {
      return await errorHints(error, {
        line: (number) => positions.line(run, number),
        variables: evaluator.variables,
        exportsOf: (module) => Object.keys(evaluator.require(module) as object),
        optionsAt: (line, column) => this.#optionsAt(code, line, column),
        rejectedCell: (name) => this.#rejected.cellOf(name),
      });
    } catch {
      // A getter of the error throws, or this package cannot be loaded.
      return [];
    } finally {
      if (error instanceof TypeScriptError) this.#rejected.add(cell, code);
    }
  }

  /** What TypeScript would complete before the option at a position of a cell. */
  async #optionsAt(code: string, line: number, column: number): Promise<string[]> {
    const lines = code.split("\n").slice(0, line - 1);
    const position = lines.reduce((length, each) => length + each.length + 1, column - 1);
    // The comma separates it from the option, which would filter the candidates.
    const typed = `${code.slice(0, position)},${code.slice(position)}`;
    const { converter } = this.#context;
    const { candidates } = await converter.call("complete", this.#declarations, withoutCellOptions(typed), position);
    return candidates.filter(({ kind }) => kind === "property").map(({ text }) => text);
  }

  /** After a failure: as in IPython, what the cell has assigned stays declared. */
  async #keepAssigned({ running, declarations, isExpression }: RunState): Promise<void> {
    if (running === undefined || declarations === undefined || isExpression) return;
    const unassigned = running.restore();
    const { converter } = this.#context;
    this.#declarations = await converter
      .call("restore", this.#declarations, declarations, unassigned)
      .catch(() => this.#declarations);
  }

  async #execute(code: string, signal: AbortSignal, state: RunState): Promise<MimeBundle | undefined> {
    const { converter, evaluator, positions, setRunning } = this.#context;
    const { before, after, linesBefore } = state.isExpression ? EXPRESSION : CELL;
    const converting = converter.call("convert", this.#declarations, before + withoutCellOptions(code) + after);
    setImmediate(() => loadAhead(code, evaluator.require));
    const conversion = await converting;
    positions.add(state.run, { cell: state.cell, code, linesBefore, maps: conversion.maps });
    evaluator.updateModules(conversion);
    if (conversion.diagnostics.length > 0) {
      const typed = (diagnostic: Diagnostic) =>
        diagnostic.file === undefined ? { ...diagnostic, ...positions.typed(state.run, diagnostic) } : diagnostic;
      throw new TypeScriptError(conversion.diagnostics.map(typed));
    }
    state.declarations = conversion.declarations;
    if (conversion.output === undefined) return undefined;
    if (this.#context.preload) await preload(conversion.output, evaluator.variables, evaluator.require);
    // In a separate turn: terminating the code discards all promise reactions pending in the same turn.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    setRunning(true);
    state.running = evaluator.run(state.run, conversion);
    try {
      const last = await state.running.done;
      if (last === undefined) return undefined;
      // A promise is awaited unless it brings its own bundle.
      const value = hasCustomBundle(last.value) ? last.value : await last.value;
      if ((value === undefined || value === null) && !state.isExpression) return undefined;
      return await valueBundle(value, (text) => positions.toCellPositions(withoutKernelFrames(text)));
    } catch (error) {
      if (!isError(error) || !("code" in error) || error.code !== "ERR_SCRIPT_EXECUTION_INTERRUPTED") throw error;
      // The signal interrupted the code itself, so listeners have not received it.
      process.emit("SIGINT");
      throw new InterruptedError();
    }
  }
}

/** Loads what the cell will need while TypeScript checks it: for the first cell, both are slow. */
function loadAhead(code: string, require: NodeJS.Require): void {
  void loadDisplay();
  try {
    if (code.includes(LIBRARY)) require(LIBRARY);
  } catch {
    // The import in the cell will report it.
  }
}

function isAbort(reason: unknown): boolean {
  return isError(reason) && (reason instanceof InterruptedError || reason.name === "AbortError");
}

/** The latest progress of the searches of one cell, by their numbers. */
type Searches = Map<number, { readonly event: ProgressEvent; readonly at: number }>;

/**
 * Where to find the rows that arrived while the cell waited for the last time, because no variable has them.
 *
 * @param since when that wait began, on the clock of `performance`
 * @returns undefined if there were none
 */
function fetchedSince(since: number, searches: Searches): string | undefined {
  const found = [...searches.values()].filter(({ at }) => at >= since).map(({ event }) => event);
  const counts = found.filter(({ rows }) => rows > 0).map((each) => `${each.operation} ${formatCount(each.rows)}`);
  const method = found.length === 1 ? "lastResult()" : "results()";
  return counts.length === 0
    ? undefined
    : `The rows fetched so far are in ${method} of the client: ${counts.join(", ")}.`;
}

/** The user interrupted the cell. */
class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor() {
    super("The cell was interrupted.");
    // Stack frames of the kernel would only distract.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** Turns the cell options of Quarto, lines at the top that begin with `#|`, into comments of the same length. */
function withoutCellOptions(code: string): string {
  return code.replace(/^(?:#\|.*(?:\n|$)|[^\S\n]*\n)+/, (options) => options.replace(/^#\|/gm, "//"));
}

/** Declarations before the first cell, for notebooks without imports. */
const PRELOADED = `import { pl } from "archive-frames";
import { chart, display, show } from "archive-frames/notebook";
declare let archive: import("archive-frames").ArchiveClient;
`;

/**
 * Sets the preloaded names that a cell uses, on first use: a notebook that needs no archive opens none, and a notebook that
 * declares such a name itself keeps its own.
 *
 * @param output the converted cell, in which names of earlier cells are members of `exports`
 */
export async function preload(output: string, variables: Variables, require: NodeJS.Require): Promise<void> {
  for (const name of ["archive", "pl", "chart", "display", "show"]) {
    const isUsed = new RegExp(`\\bexports\\.${name}\\b(?!\\s*=(?!=))`).test(output);
    if (!isUsed || name in variables) continue;
    if (name === "archive") variables.archive = await require(LIBRARY).openArchive();
    else variables[name] = require(name === "pl" ? LIBRARY : `${LIBRARY}/notebook`)[name];
  }
}
