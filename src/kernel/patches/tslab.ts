import Module, { createRequire } from "node:module";
import type * as TS from "typescript";
import { patchTypeScript } from "./typescript.js";

/** Loads tslab's converter with the TypeScript of this package, patched for it, instead of tslab's old build. */
export function loadTslab() {
  const require = createRequire(import.meta.url);
  const typescript: typeof TS = require("typescript");
  watchOnlyFiles(typescript.sys);
  const { ts, report } = patchTypeScript(typescript);
  // tslab's own `require` finds the patched TypeScript in the module cache.
  const path = createRequire(require.resolve("tslab")).resolve("@tslab/typescript-for-tslab");
  require.cache[path] = Object.assign(new Module(path), { exports: ts, loaded: true });
  const { createConverter, isCompleteCode } =
    require("tslab/dist/converter.js") as typeof import("tslab/dist/converter.js");
  return { typescript, createConverter, isCompleteCode, report };
}

/**
 * tslab fails when TypeScript reports that a directory has changed between two cells, and watchers of all files of packages cost time and
 * handles. The converter looks for packages that were installed meanwhile.
 */
function watchOnlyFiles(sys: TS.System): void {
  const { watchFile } = sys;
  sys.watchDirectory = () => ({ close() {} });
  sys.watchFile = (path, ...more) => {
    const isPackage = path.includes("/node_modules/");
    return (isPackage ? undefined : watchFile?.call(sys, path, ...more)) ?? { close() {} };
  };
}
