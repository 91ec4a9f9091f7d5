import { existsSync } from "node:fs";
import { createRequire } from "node:module";
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
