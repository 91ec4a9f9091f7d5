import { Command } from "commander";
import { checkSpec } from "../kernel/kernelSpec.js";
import { environmentKey, KEY_VARIABLES } from "../service/http/secret.js";
import { VERSION } from "../util/version.js";
import { printLines } from "./print.js";

/** Returns what was found, or throws an error that says what to type. */
type Check = () => unknown;

/** `"missing"` only disables a feature; `"problem"` makes the command exit with 1. */
type Failure = "missing" | "problem";

const CHECKS: ReadonlyArray<readonly [name: string, failure: Failure, check: Check]> = [
  ["Node", "problem", () => checkNode(process.version)],
  ["polars", "problem", () => import("../frames/polars.js")],
  ["DuckDB", "problem", async () => (await import("../tables/openDuckDB.js")).loadDuckDB()],
  ["vega", "problem", () => Promise.all([import("vega"), import("vega-lite")])],
  ["danfo (optional)", "missing", async () => (await import("../frames/danfo.js")).danfo()],
  ["key", "missing", () => checkKey(process.env)],
  ["kernel", "missing", () => checkSpec()],
];

export function checkNode(version: string): string {
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return `${version}, archive-frames ${VERSION}`;
  throw new Error(`${version} is too old. Install Node 20.19 or later.`);
}

export function checkKey(env: NodeJS.ProcessEnv): string {
  const key = environmentKey(env);
  if (key !== undefined) return `${key.variable} is set.`;
  const unset = `Neither ${KEY_VARIABLES.join(" nor ")} is set: searches go to the embedded archive.`;
  throw new Error(`${unset} C-SPAN sends keys on request: api@c-spanarchives.org`);
}

/** `archive-frames doctor`: checks the installation and says what to type. */
export function doctorCommand(checks = CHECKS): Command {
  return new Command("doctor").description("check the installation and say what to type").action(async () => {
    for (const [name, failure, check] of checks) {
      const [state, message] = await Promise.resolve(name)
        .then(check)
        .then(
          (result) => ["ok", typeof result === "string" ? result : "It can be loaded."],
          (error: Error) => [failure, error.message],
        );
      const mark = state === "problem" ? "PROBLEM" : state === "missing" ? "-" : "ok";
      printLines([`${mark.padEnd(8)}${name.padEnd(18)}${message}`]);
      if (state === "problem") process.exitCode = 1;
    }
  });
}
