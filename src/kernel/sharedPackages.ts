import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * The packages that a notebook shares with its kernel, by name, with their directories. The notebook uses these copies even if
 * its project has others: two copies would not recognize each other's frames and errors, and polars' native part loads once.
 */
export function sharedPackages(): ReadonlyMap<string, string> {
  return new Map([["archive-frames", ROOT], ...directoryOf("nodejs-polars")]);
}

/** The types of Node, which a project may lack. */
export function nodeTypes(): ReadonlyMap<string, string> {
  return new Map([...directoryOf("@types/node"), ...directoryOf("undici-types")]);
}

/** The directory of a package that this package or tslab depends on, by name; empty if it is not installed. */
function directoryOf(name: string): ReadonlyArray<readonly [string, string]> {
  const here = createRequire(import.meta.url);
  const tslab = createRequire(here.resolve("tslab/package.json"));
  const paths = [here, tslab].flatMap(({ resolve }) => resolve.paths(name) ?? []).map((path) => join(path, name));
  const directory = paths.find((path) => existsSync(join(path, "package.json")));
  return directory === undefined ? [] : [[name, directory]];
}
