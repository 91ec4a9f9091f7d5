import Module, { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { runInThisContext } from "node:vm";
import type { Conversion } from "../converter/converter.js";
import { cellFile } from "./cellPositions.js";

/** The value of the last expression, wrapped in an object so that a promise is not awaited along with `done`. */
interface LastValue {
  readonly value: unknown;
}

type Cell = (exports: Variables, require: NodeJS.Require) => Promise<void>;

/** Runs converted cells as one program. */
export class Evaluator {
  /** The variables of all cells so far. */
  readonly variables: Variables = createVariables();
  readonly #modules: CellModules;
  /** Restores the variables that the latest cell declares but has not assigned. */
  #restore: () => void = () => undefined;

  /** @param directory where imports are resolved */
  constructor(directory: string) {
    this.#modules = new CellModules(directory);
    const { variables: exports, require } = this;
    const start = (cell: Cell) => cell(exports, require);
    // The same name as in tslab, so that libraries work in both kernels.
    Object.defineProperty(globalThis, "__tslab__", { value: { exports, require, start }, configurable: true });
  }

  get require(): NodeJS.Require {
    return this.#modules.require;
  }

  /** Stores the local modules of a conversion. Also required if it has diagnostics: each module is reported only once. */
  updateModules({ modules = [] }: Conversion): void {
    this.#modules.update(modules);
  }

  /**
   * @param run its number, for stack traces
   * @returns the value of the last expression if there is one, when the cell ends
   */
  async run(run: number, { output = "", lastExpression }: Conversion): Promise<LastValue | undefined> {
    this.#restore = saveVariables(this.variables, output);
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

  /** After a failure: variables that the cell has not assigned get the values of earlier cells again. */
  restoreUnassigned(): void {
    this.#restore();
    this.#restore = () => undefined;
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

/** The variables that cells have declared: the `exports` object that all cells share. */
export type Variables = Record<string, unknown>;

/**
 * Creates the shared `exports`. TypeScript exports an imported name as a getter, which a later cell could neither assign nor
 * redeclare, so its value is stored instead.
 */
function createVariables(): Variables {
  return new Proxy<Variables>(
    {},
    {
      defineProperty(target, name, { get, value }) {
        if (typeof name === "string" && name !== "__esModule") target[name] = get === undefined ? value : get();
        return true;
      },
    },
  );
}

/** Saves the variables that a cell declares, which its JavaScript first sets to undefined, and returns what restores them. */
function saveVariables(variables: Variables, output: string): () => void {
  const resets = output.match(/^(?:exports\.[\w$\u0080-\uffff]+ = )+void 0;$/gm) ?? [];
  const names = resets.flatMap((line) => [...line.matchAll(/exports\.([^ ]+)/g)].map(([, name = ""]) => name));
  const before = names.map((name) => ({ name, existed: name in variables, value: variables[name] }));
  return () => {
    for (const { name, existed, value } of before) {
      if (variables[name] !== undefined) continue;
      if (existed) variables[name] = value;
      else delete variables[name];
    }
  };
}

/** Internals of Node's modules that it does not declare. */
interface InternalModule extends NodeJS.Module {
  _compile(code: string, path: string): unknown;
}

/** The modules that cells import: converted local TypeScript files, and whatever Node resolves from a directory. */
class CellModules {
  readonly require: NodeJS.Require;
  readonly #code = new Map<string, string>();
  readonly #loaded = new Map<string, InternalModule>();

  constructor(directory: string) {
    this.require = this.#requireFrom(createRequire(join(directory, "cell.js")), directory);
  }

  /** Stores the code of local modules and unloads their earlier versions. */
  update(modules: ReadonlyArray<{ readonly path: string; readonly data: string }>): void {
    for (const { path, data } of modules) {
      this.#loaded.delete(key(path));
      this.#code.set(key(path), data);
    }
  }

  #requireFrom(nodeRequire: NodeJS.Require, directory: string): NodeJS.Require {
    return new Proxy(nodeRequire, {
      apply: (target, self, [name, ...more]: [string]) =>
        this.#local(directory, name)?.exports ?? Reflect.apply(target, self, [name, ...more]),
    });
  }

  #local(directory: string, name: string): InternalModule | undefined {
    const joined = join(directory, name);
    const path = extname(joined) === "" ? `${joined}.js` : joined;
    const loaded = this.#loaded.get(key(path));
    const code = this.#code.get(key(path));
    if (loaded !== undefined || code === undefined) return loaded;

    const module = new Module(path) as InternalModule;
    module.filename = path;
    module.paths = createRequire(path).resolve.paths("x") ?? [];
    module.require = this.#requireFrom(module.require.bind(module) as NodeJS.Require, dirname(path));
    // Registered before it runs, so that circular imports work.
    this.#loaded.set(key(path), module);
    try {
      module._compile(code, path);
    } catch (error) {
      this.#loaded.delete(key(path));
      throw error;
    }
    return module;
  }
}

/** TypeScript uses forward slashes on every platform. */
function key(path: string): string {
  return path.replaceAll("\\", "/");
}
