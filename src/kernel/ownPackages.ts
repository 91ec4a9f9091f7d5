import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const OWN = "archive-frames";
const POLARS = "nodejs-polars";

/** The folder of this package. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * The packages that a notebook shares with its kernel, and where they are, even if the notebook's project has copies of
 * its own: frames, errors and settings of two copies would not know each other, and polars' native part is loaded once.
 */
export function ownPackages(): ReadonlyMap<string, string> {
  const polars = packageFolder(POLARS);
  return new Map([[OWN, ROOT], ...(polars === undefined ? [] : ([[POLARS, polars]] as const))]);
}

/** The folder of a package that we or tslab depend on; undefined when it is not there. */
export function packageFolder(name: string): string | undefined {
  const here = createRequire(import.meta.url);
  const tslab = createRequire(here.resolve("tslab/package.json"));
  for (const paths of [tslab.resolve.paths(name), here.resolve.paths(name)]) {
    const found = paths?.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
    if (found !== undefined) return found;
  }
  return undefined;
}
