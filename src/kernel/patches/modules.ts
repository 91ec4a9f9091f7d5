import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(import.meta.url);
const kernelRequire = createRequire(HERE);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[\\/]$/, "");

/** Internals of Node's modules that it does not declare. */
interface Internals {
  _resolveFilename(name: string, parent: { filename?: string | null } | undefined, ...more: unknown[]): string;
  readonly _extensions: Record<string, (module: { _compile(code: string, path: string): void }, path: string) => void>;
}

/** The module system of cells. */
export interface CellModules {
  readonly require: NodeJS.Require;
  /** Stores the code of local modules and unloads their earlier versions. */
  update(modules: ReadonlyArray<{ readonly path: string; readonly data: string }>): void;
}

/**
 * Makes Node load for cells what it would not find: the kernel's own copies of this package and polars, wherever the notebook is, and
 * converted local TypeScript files.
 *
 * @param directory where imports of cells are resolved
 */
export function cellModules(directory: string): CellModules {
  const internals = Module as unknown as Internals;
  const resolve = internals._resolveFilename;
  const require = createRequire(join(directory, "cell.js"));
  const shared = [...sharedPackages().keys()];
  const converted = new Map<string, string>();

  internals._resolveFilename = function (this: unknown, name, parent, ...more) {
    const from = parent?.filename ?? "";
    const isShared = shared.some((each) => name === each || name.startsWith(`${each}/`));
    // A package of the project may depend on another version.
    const isInPackage = /[\\/]node_modules[\\/]/.test(from);
    return isShared && !isInPackage && from !== HERE
      ? kernelRequire.resolve(name)
      : resolve.call(this, name, parent, ...more);
  };
  // Node tries the extensions that it knows.
  internals._extensions[".ts"] = (module, path) => module._compile(converted.get(key(path)) ?? "", path);
  return {
    require,
    update(modules) {
      for (const { path, data } of modules) {
        converted.set(key(path), data);
        for (const loaded of Object.keys(require.cache)) if (key(loaded) === key(path)) delete require.cache[loaded];
      }
    },
  };
}

/** The path of a module without its extension. TypeScript uses forward slashes on every platform. */
function key(path: string): string {
  return path.replaceAll("\\", "/").replace(/\.[jt]s$/, "");
}

/**
 * The packages that a notebook shares with its kernel, by name, with their directories. The notebook uses these copies even if
 * its project has others: two copies would not recognize each other's frames and errors, and polars' native part loads once.
 */
export function sharedPackages(): ReadonlyMap<string, string> {
  return new Map([
    ["archive-frames", ROOT],
    ["nodejs-polars", dirname(kernelRequire.resolve("nodejs-polars/package.json"))],
  ]);
}

/** The types of Node, which a project may lack. tslab depends on them. */
export function nodeTypes(): ReadonlyMap<string, string> {
  const types = createRequire(kernelRequire.resolve("tslab/package.json")).resolve("@types/node/package.json");
  const undici = createRequire(types).resolve("undici-types/package.json");
  return new Map([
    ["@types/node", dirname(types)],
    ["undici-types", dirname(undici)],
  ]);
}
