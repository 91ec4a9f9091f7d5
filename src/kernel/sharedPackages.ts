import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * The packages that a notebook shares with its kernel, by name, with their directories. The notebook uses these copies even if
 * its project has others: two copies would not recognize each other's frames and errors, and polars' native part loads once.
 */
export function sharedPackages(): ReadonlyMap<string, string> {
  return new Map([
    ["archive-frames", ROOT],
    ["nodejs-polars", dirname(here.resolve("nodejs-polars/package.json"))],
  ]);
}

/** The types of Node, which a project may lack. tslab depends on them. */
export function nodeTypes(): ReadonlyMap<string, string> {
  const types = createRequire(here.resolve("tslab/package.json")).resolve("@types/node/package.json");
  const undici = createRequire(types).resolve("undici-types/package.json");
  return new Map([
    ["@types/node", dirname(types)],
    ["undici-types", dirname(undici)],
  ]);
}
