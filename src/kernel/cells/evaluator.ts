import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";
import { notebookHost } from "../../call/notebookHost.js";
import type { DisplayHandle } from "../../notebook/display/mimeBundle.js";
import type { Conversion } from "../converter/converter.js";
import { sharedPackages } from "../sharedPackages.js";
import { cellFile } from "./cellPositions.js";

/** The variables that cells have declared: the `exports` object that all cells share. */
export type Variables = Record<string, unknown>;

/** Runs converted cells as one program. */
export class Evaluator {
  readonly variables: Variables = createVariables();
  readonly require: NodeJS.Require;
  /** Stores the local modules of a conversion. Also required if it has diagnostics: each module is reported only once. */
  readonly updateModules: ReturnType<typeof cellModules>["update"];
  /** Restores the variables that the latest cell declares but has not assigned. */
  #restore: () => void = () => undefined;

  /** @param directory where imports are resolved */
  constructor(directory: string) {
    const { require, update } = cellModules(directory);
    this.require = require;
    this.updateModules = update;
    // The same name as in tslab, so that libraries work in both kernels.
    const value = { exports: this.variables, require };
    Object.defineProperty(globalThis, "__tslab__", { value, configurable: true });
  }

  /**
   * @param run its number, for stack traces
   * @returns the value of the last expression if there is one, when the cell ends; in an object, because a promise is not awaited
   */
  async run(
    run: number,
    { output = "", lastExpression }: Conversion,
  ): Promise<{ readonly value: unknown } | undefined> {
    this.#restore = saveVariables(this.variables, output);
    // Every cell is an async function, so that `await` works anywhere. Its first line is line 1.
    const code = `(async function (exports, require) {\n${output}\n})`;
    await runInThisContext(code, { filename: cellFile(run), lineOffset: -1 })(this.variables, this.require);
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

/** Saves the variables that a cell declares, because its JavaScript first sets them to undefined; returns a function that restores them. */
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
interface Internals {
  _resolveFilename(name: string, parent: { filename?: string | null } | undefined, ...more: unknown[]): string;
  readonly _extensions: Record<string, (module: NodeJS.Module, path: string, ...more: unknown[]) => void>;
}

/**
 * Makes Node load for cells what it would not find: the kernel's own copies of this package and polars, wherever the notebook is, and
 * converted local TypeScript files.
 *
 * @param directory where imports of cells are resolved
 * @returns the `require` of cells, and a function that stores the code of local modules and unloads their earlier versions
 */
function cellModules(directory: string) {
  const internals = Module as unknown as Internals;
  const resolve = internals._resolveFilename;
  const load = internals._extensions[".js"];
  const here = fileURLToPath(import.meta.url);
  const own = createRequire(here);
  const require = createRequire(join(directory, "cell.js"));
  const shared = [...sharedPackages().keys()];
  const converted = new Map<string, string>();
  // It needs no file; the path is a key of the module cache.
  const tslab = join(dirname(here), "tslab");
  require.cache[tslab] = Object.assign(new Module(tslab), { exports: tslabModule(), loaded: true });

  internals._resolveFilename = function (this: unknown, name, parent, ...more) {
    const from = parent?.filename ?? "";
    if (/^\.\.?\//.test(name)) {
      const path = join(dirname(from), name);
      const found = [path, `${path}.js`].find((each) => converted.has(key(each)));
      if (found !== undefined) return found;
    }
    const isShared = shared.some((each) => name === each || name.startsWith(`${each}/`));
    // A package of the project may depend on another version.
    const inPackage = /[\\/]node_modules[\\/]/.test(from);
    if (name === "tslab" && !inPackage && from !== here) return tslab;
    return isShared && !inPackage && from !== here ? own.resolve(name) : resolve.call(this, name, parent, ...more);
  };
  internals._extensions[".js"] = (module, path, ...more) => {
    const code = converted.get(key(path));
    if (code === undefined) load?.(module, path, ...more);
    else (module as NodeJS.Module & { _compile(code: string, path: string): void })._compile(code, path);
  };

  const update = (modules: ReadonlyArray<{ readonly path: string; readonly data: string }>) => {
    for (const { path, data } of modules) {
      converted.set(key(path), data);
      for (const loaded of Object.keys(require.cache)) if (key(loaded) === key(path)) delete require.cache[loaded];
    }
  };
  return { require, update };
}

/** TypeScript uses forward slashes on every platform. */
function key(path: string): string {
  return path.replaceAll("\\", "/");
}

/** The MIME types of tslab's display functions, by name. */
const TYPES = {
  javascript: "text/javascript",
  html: "text/html",
  markdown: "text/markdown",
  latex: "text/latex",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
  text: "text/plain",
} as const;

type Content = string | Uint8Array;

/** The module `tslab` of cells: notebooks written for tslab run, without a second kernel in this process. */
function tslabModule() {
  const require = createRequire(import.meta.url);
  const version = (name: string) => (require(`${name}/package.json`) as { version: string }).version;
  return {
    __esModule: true,
    versions: { tslab: version("tslab"), typescript: version("typescript"), node: process.version },
    display: displayFunctions(false),
    newDisplay: () => displayFunctions(true),
  };
}

/** @param isReplaced whether each output replaces the one before */
function displayFunctions(isReplaced: boolean) {
  let shown: DisplayHandle | undefined;
  const raw = (type: string, content: Content) => {
    const data = typeof content === "string" ? content : Buffer.from(content).toString("base64");
    const bundle = { "text/plain": typeof content === "string" ? content : `${content.length} bytes`, [type]: data };
    if (shown !== undefined) shown.update(bundle);
    else {
      const handle = notebookHost().display?.(bundle);
      if (isReplaced) shown = handle;
    }
  };
  const named = Object.entries(TYPES).map(([name, type]) => [name, (content: Content) => raw(type, content)]);
  return { ...Object.fromEntries(named), raw };
}
