import Module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { sharedPackages } from "../sharedPackages.js";

type Resolve = (name: string, parent: { filename?: string | null } | undefined, ...more: unknown[]) => string;

/**
 * Makes the code of a notebook load the kernel's own copies of this package and polars, wherever the notebook is; see
 * `converter/mapSharedPackages.ts` for their types. `tslab` resolves to a module of this kernel: the real one would load
 * TypeScript into this thread and could not write to the cell.
 */
export function resolveSharedPackages(): void {
  const internal = Module as unknown as { _resolveFilename: Resolve };
  const resolve = internal._resolveFilename;
  const here = fileURLToPath(import.meta.url);
  const own = createRequire(import.meta.url);
  const names = [...sharedPackages().keys()];
  const tslab = fileURLToPath(new URL("./tslab.js", import.meta.url));

  internal._resolveFilename = function (this: unknown, name, parent, ...more) {
    const from = parent?.filename ?? "";
    if (name === "tslab") return tslab;
    const isShared = names.some((shared) => name === shared || name.startsWith(`${shared}/`));
    // A package of the project may depend on another version.
    const inPackage = /[\\/]node_modules[\\/]/.test(from);
    return isShared && !inPackage && from !== here ? own.resolve(name) : resolve.call(this, name, parent, ...more);
  };
}
