import { runInThisContext } from "node:vm";
import type { Conversion } from "../converter/converter.js";
import { CellModules } from "./cellModules.js";
import { cellFile } from "./cellPositions.js";
import { createLocals, type Locals, rememberLocals } from "./locals.js";

/** The value of a last expression; in an object, since a promise of a promise would wait for both. */
export interface LastValue {
  readonly value: unknown;
}

/** A cell that has begun to run. */
export interface RunningCell {
  /** Resolves when the cell is through, with the value of its last expression if it ends in one. */
  readonly done: Promise<LastValue | undefined>;
  /** For a cell that failed: what it has declared is again what it was. */
  restore(): void;
}

type Cell = (exports: Locals, require: NodeJS.Require) => Promise<void>;

/** Runs converted cells, one after the other, as one program. */
export class Evaluator {
  /** What the cells so far have declared. */
  readonly locals: Locals = createLocals();
  readonly #modules: CellModules;

  /** @param folder where imports are looked for */
  constructor(folder: string) {
    this.#modules = new CellModules(folder);
    const { locals: exports, require } = this;
    const start = (cell: Cell) => cell(exports, require);
    // By the name under which tslab offers it, so that libraries find it in both kernels.
    Object.defineProperty(globalThis, "__tslab__", { value: { exports, require, start }, configurable: true });
  }

  get require(): NodeJS.Require {
    return this.#modules.require;
  }

  /** Takes the local modules of a cell, also of one that has faults: they are given once. */
  take({ modules = [] }: Conversion): void {
    this.#modules.update(modules);
  }

  /** @param run its number, for stack traces */
  run(run: number, { output = "", lastExpression }: Conversion): RunningCell {
    const restore = rememberLocals(this.locals, output);
    return { done: this.#run(run, output, lastExpression), restore };
  }

  async #run(run: number, output: string, lastExpression: string | undefined): Promise<LastValue | undefined> {
    // Every cell is an asynchronous function, so `await` can stand wherever it can in one. Its first line is line 1.
    const code = `__tslab__.start(async function (exports, require) {\n${output}\n})`;
    await keepingSigint(() => runInThisContext(code, { filename: cellFile(run), lineOffset: -1, breakOnSigint: true }));
    if (lastExpression === undefined) return undefined;
    const value = this.locals[lastExpression];
    delete this.locals[lastExpression];
    return { value };
  }
}

/**
 * `breakOnSigint` gives SIGINT back its deadly default when it is through, without knowing of a listener that the code has
 * added meanwhile. Taking all listeners off and adding them again puts Node's own handler back in place.
 */
function keepingSigint<T>(run: () => T): T {
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
