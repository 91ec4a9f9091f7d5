import Module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { ownPackages } from "../ownPackages.js";

type Resolve = (name: string, parent: { filename?: string | null } | undefined, ...more: unknown[]) => string;

/**
 * Lets the code of a notebook load the kernel's own copies of this package and of polars, wherever the notebook lies; its types
 * come from the same copies, see `converter/ownFiles.ts`. And `tslab` is a part of this kernel: the real one would load
 * TypeScript into this thread, and know of no cell to write to.
 */
export function useOwnModules(): void {
  const internal = Module as unknown as { _resolveFilename: Resolve };
  const resolve = internal._resolveFilename;
  const here = fileURLToPath(import.meta.url);
  const own = createRequire(import.meta.url);
  const packages = [...ownPackages().keys()];
  const tslab = fileURLToPath(new URL("./tslab.js", import.meta.url));

  internal._resolveFilename = function (this: unknown, name, parent, ...more) {
    const from = parent?.filename ?? "";
    if (name === "tslab") return tslab;
    const ours = packages.some((known) => name === known || name.startsWith(`${known}/`));
    // A package of the project may depend on another version, and keeps it.
    const inPackage = /[\\/]node_modules[\\/]/.test(from);
    return ours && !inPackage && from !== here ? own.resolve(name) : resolve.call(this, name, parent, ...more);
  };
}
