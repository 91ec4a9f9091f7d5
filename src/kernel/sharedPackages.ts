import { existsSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of this package. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * The packages that a notebook shares with its kernel, by name, with their directories. The notebook uses these copies even if
 * its project has others: two copies would not recognize each other's frames and errors, and polars' native part loads once.
 */
export function sharedPackages(): ReadonlyMap<string, string> {
  const polars = packageDirectory("nodejs-polars");
  return new Map([["archive-frames", ROOT], ...(polars === undefined ? [] : ([["nodejs-polars", polars]] as const))]);
}

/** The directory of a package that this package or tslab depends on; undefined if it is not installed. */
export function packageDirectory(name: string): string | undefined {
  const here = createRequire(import.meta.url);
  const tslab = createRequire(here.resolve("tslab/package.json"));
  for (const paths of [here.resolve.paths(name), tslab.resolve.paths(name)]) {
    const found = paths?.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
    if (found !== undefined) return found;
  }
  return undefined;
}

type Resolve = (name: string, parent: { filename?: string | null } | undefined, ...more: unknown[]) => string;

/**
 * Makes the code of a notebook load the kernel's own copies of this package and polars, wherever the notebook is; see
 * `converter/mapSharedPackages.ts` for their types.
 */
export function resolveSharedPackages(): void {
  const internal = Module as unknown as { _resolveFilename: Resolve };
  const resolve = internal._resolveFilename;
  const here = fileURLToPath(import.meta.url);
  const own = createRequire(import.meta.url);
  const names = [...sharedPackages().keys()];

  internal._resolveFilename = function (this: unknown, name, parent, ...more) {
    const from = parent?.filename ?? "";
    const isShared = names.some((shared) => name === shared || name.startsWith(`${shared}/`));
    // A package of the project may depend on another version.
    const inPackage = /[\\/]node_modules[\\/]/.test(from);
    return isShared && !inPackage && from !== here ? own.resolve(name) : resolve.call(this, name, parent, ...more);
  };
}
