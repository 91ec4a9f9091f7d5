import type { MimeBundle } from "../../notebook/display/mimeBundle.js";
import { progressDisplay } from "../../notebook/display/progressDisplay.js";
import type { Converter } from "../converter/converter.js";
import type { CellHost } from "../offerNotebookHost.js";
import type { Output } from "../outputs/output.js";
import { type CellFailure, cellFailure, isError } from "./cellFailure.js";
import type { CellPositions } from "./cellPositions.js";
import type { Evaluator, RunningCell } from "./evaluator.js";
import { Interrupt, Interrupted } from "./interrupt.js";
import { PRELOADED, preload } from "./preload.js";
import { loadDisplay, shownValue } from "./shownValue.js";
import { TypeScriptError } from "./typeScriptError.js";
import { lateText, type Unhandled } from "./unhandled.js";

/** What a {@link CellRunner} works with. */
export interface CellTools {
  readonly converter: Converter;
  readonly evaluator: Evaluator;
  readonly positions: CellPositions;
  readonly output: Output;
  readonly unhandled: Unhandled;
  /** Whether names are there without an import. */
  readonly preloading: boolean;
  /** Code of the notebook runs from now on, or no longer. */
  readonly running: (running: boolean) => void;
}

/** How far a cell has come. */
interface Step {
  readonly run: number;
  readonly cell: number;
  declarations?: string | undefined;
  running?: RunningCell;
}

const NOT_CAUGHT = "Nobody has caught this error: put `await` before the call that made the promise.";

const LIBRARY = "archive-frames";

/** Runs cells one after the other: from TypeScript to what is shown. */
export class CellRunner {
  readonly #tools: CellTools;
  #declarations: string;
  #interrupt: Interrupt | undefined;
  #host: CellHost | undefined;
  #runs = 0;

  constructor(tools: CellTools) {
    this.#tools = tools;
    this.#declarations = tools.preloading ? PRELOADED : "";
  }

  /** The declarations of all cells so far, in TypeScript. */
  get declarations(): string {
    return this.#declarations;
  }

  /** What belongs to the cell that runs, or to the last one. */
  get host(): CellHost | undefined {
    return this.#host;
  }

  /** Stops the cell that runs, if there is one. */
  interrupt(): void {
    this.#interrupt?.stop();
  }

  /**
   * Runs a cell and publishes what it shows. Whatever its code does, also where V8 has thrown away what was to come after it,
   * it ends when it is interrupted.
   *
   * @param cell its number
   * @param silent publish neither value nor error
   * @returns how it failed; undefined when it did not
   */
  async run(cell: number, code: string, silent: boolean): Promise<CellFailure | undefined> {
    const { output, unhandled, positions, running } = this.#tools;
    const interrupt = new Interrupt();
    this.#interrupt = interrupt;
    this.#host = { signal: interrupt.signal, progress: progressDisplay(output.display) };
    unhandled.begin((error) => interrupt.stop(error));
    this.#runs += 1;
    const step: Step = { run: this.#runs, cell };
    let thrown: { error: unknown; note?: string } | undefined;
    let shown: MimeBundle | undefined;
    try {
      shown = await Promise.race([this.#work(code, interrupt.signal, step), interrupt.ended]);
    } catch (error) {
      thrown = { error };
    }
    running(false);
    // What was stopped with the cell is no news, nor is what has failed it already.
    const stopped = interrupt.signal.aborted;
    const uncaught = (await unhandled.end()).filter((error) => error !== thrown?.error && !(stopped && isAbort(error)));
    this.#interrupt = undefined;
    if (thrown === undefined && uncaught.length > 0) thrown = { error: uncaught.shift(), note: NOT_CAUGHT };
    for (const error of uncaught) output.text("stderr", lateText(error, positions));

    output.flush();
    if (thrown !== undefined) {
      step.running?.restore();
      const failed = cellFailure(thrown.error, step.run, positions, thrown.note);
      if (!silent) output.publish("error", { ...failed });
      return failed;
    }
    this.#declarations = step.declarations ?? this.#declarations;
    if (shown !== undefined && !silent) {
      output.publish("execute_result", { execution_count: cell, data: shown, metadata: {} });
    }
    return undefined;
  }

  async #work(code: string, signal: AbortSignal, step: Step): Promise<MimeBundle | undefined> {
    const { converter, evaluator, positions, preloading, running } = this.#tools;
    const converting = converter.call("convert", this.#declarations, code);
    setImmediate(() => load(code, evaluator.require));
    const conversion = await converting;
    positions.add(step.run, step.cell, code, conversion.maps);
    evaluator.take(conversion);
    if (conversion.faults.length > 0) throw new TypeScriptError(conversion.faults);
    step.declarations = conversion.declarations;
    if (conversion.output === undefined) return undefined;
    if (preloading) await preload(conversion.output, evaluator.locals, evaluator.require);
    // In a turn of its own: if V8 has to stop the code, it drops all promise reactions that are pending by then.
    await new Promise(setImmediate);
    signal.throwIfAborted();
    running(true);
    step.running = evaluator.run(step.run, conversion);
    try {
      const last = await step.running.done;
      return last === undefined ? undefined : await shownValue(last.value, positions);
    } catch (error) {
      if (!isError(error) || !("code" in error) || error.code !== "ERR_SCRIPT_EXECUTION_INTERRUPTED") throw error;
      // The signal has reached the code itself, and none of those who listen for it.
      process.emit("SIGINT");
      throw new Interrupted();
    }
  }
}

/** What a cell will need is loaded while TypeScript looks at it: for the first one both take long. */
function load(code: string, require: NodeJS.Require): void {
  void loadDisplay();
  try {
    if (code.includes(LIBRARY)) require(LIBRARY);
  } catch {
    // The cell will say what is wrong.
  }
}

function isAbort(reason: unknown): boolean {
  return isError(reason) && (reason instanceof Interrupted || reason.name === "AbortError");
}
