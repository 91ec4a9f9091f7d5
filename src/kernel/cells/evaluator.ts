import { runInThisContext } from "node:vm";
import type { Conversion } from "../converter/converter.js";
import { CellModules } from "./cellModules.js";
import { cellFile } from "./cellPositions.js";
import { createVariables, saveVariables, type Variables } from "./variables.js";
import { WaitPosition } from "./waitPosition.js";

/** The value of the last expression, wrapped in an object so that a promise is not awaited along with `done`. */
export interface LastValue {
  readonly value: unknown;
}

/** A cell that was started. */
export interface RunningCell {
  /** Resolves when the cell ends, with the value of its last expression if there is one. */
  readonly done: Promise<LastValue | undefined>;
  /** After a failure: restores the variables that the cell has not assigned, and returns their names. */
  restore(): string[];
}

type Cell = (exports: Variables, require: NodeJS.Require) => Promise<void>;

/** Runs converted cells as one program. */
export class Evaluator {
  /** The variables of all cells so far. */
  readonly variables: Variables = createVariables();
  /** Where the running cell waits. */
  readonly waits = new WaitPosition();
  readonly #modules: CellModules;

  /** @param directory where imports are resolved */
  constructor(directory: string) {
    this.#modules = new CellModules(directory);
    const { variables: exports, require, waits } = this;
    const start = (cell: Cell) => cell(exports, require);
    const { awaiting, resumed } = waits;
    // The same name as in tslab, so that libraries work in both kernels.
    Object.defineProperty(globalThis, "__tslab__", {
      value: { exports, require, start, awaiting, resumed },
      configurable: true,
    });
  }

  get require(): NodeJS.Require {
    return this.#modules.require;
  }

  /** Stores the local modules of a conversion. Also required if it has diagnostics: each module is reported only once. */
  updateModules({ modules = [] }: Conversion): void {
    this.#modules.update(modules);
  }

  /** @param run its number, for stack traces */
  run(run: number, { output = "", lastExpression }: Conversion): RunningCell {
    const restore = saveVariables(this.variables, output);
    this.waits.clear();
    return { done: this.#run(run, output, lastExpression), restore };
  }

  async #run(run: number, output: string, lastExpression: string | undefined): Promise<LastValue | undefined> {
    // Every cell is an async function, so that `await` works anywhere. Its first line is line 1.
    const code = `__tslab__.start(async function (exports, require) {\n${output}\n})`;
    await keepSigintListeners(() =>
      runInThisContext(code, { filename: cellFile(run), lineOffset: -1, breakOnSigint: true }),
    );
    if (lastExpression === undefined) return undefined;
    const value = this.variables[lastExpression];
    delete this.variables[lastExpression];
    return { value };
  }
}

/**
 * When `breakOnSigint` ends, it restores the default action of SIGINT, which kills the process, even if the code has added a
 * listener meanwhile. Removing and re-adding all listeners restores Node's own handler.
 */
function keepSigintListeners<T>(run: () => T): T {
  const before = process.listenerCount("SIGINT");
  try {
    return run();
  } finally {
    const listeners = process.rawListeners("SIGINT") as NodeJS.SignalsListener[];
    if (listeners.length !== before) {
      process.removeAllListeners("SIGINT");
      for (const listener of listeners) process.on("SIGINT", listener);
    }
  }
}
