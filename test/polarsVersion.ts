import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const manifest = createRequire(import.meta.url).resolve("nodejs-polars/package.json");

/** The version of nodejs-polars that the tests run with; the matrix of `.ci/nodes.mjs` has a newer one than package.json. */
export const polarsVersion: string = (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
