import { Command } from "commander";
import { specStatus } from "../kernel/kernelSpec.js";
import { environmentKey, KEY_VARIABLES } from "../service/http/environmentKey.js";
import { VERSION } from "../util/version.js";
import { printLines } from "./print.js";

export interface Finding {
  readonly name: string;
  /** `"missing"` only disables a feature; `"problem"` makes the command exit with 1. */
  readonly state: "ok" | "missing" | "problem";
  /** What was found, or what is wrong and what to type. */
  readonly message: string;
}

/** Loads a library. Its errors say what to type. */
type Load = () => Promise<unknown>;

const LIBRARIES: ReadonlyArray<readonly [name: string, otherwise: Finding["state"], load: Load]> = [
  ["polars", "problem", () => import("../frames/polars.js")],
  ["DuckDB", "problem", async () => (await import("../tables/openDuckDB.js")).loadDuckDB()],
  ["vega", "problem", () => Promise.all([import("vega"), import("vega-lite")])],
  ["danfo (optional)", "missing", async () => (await import("../frames/danfo.js")).danfo()],
];

/** Checks the installation. Tests pass their own environment and version of Node. */
export async function examine(env = process.env, node = process.version, libraries = LIBRARIES): Promise<Finding[]> {
  const [major = 0, minor = 0] = node.slice(1).split(".").map(Number);
  const isOld = major < 20 || (major === 20 && minor < 19);
  const loaded = libraries.map(async ([name, otherwise, load]): Promise<Finding> => {
    const error = await load().then(
      () => undefined,
      (cause: Error) => cause,
    );
    if (error === undefined) return { name, state: "ok", message: "It can be loaded." };
    return { name, state: otherwise, message: error.message };
  });
  const { path = "", problem, fix } = specStatus();
  const key = environmentKey(env);
  const noKey = `Neither ${KEY_VARIABLES.join(" nor ")} is set: searches go to the embedded archive. C-SPAN sends keys on request: api@c-spanarchives.org`;
  return [
    isOld
      ? { name: "Node", state: "problem", message: `${node} is too old. Install Node 20.19 or later.` }
      : { name: "Node", state: "ok", message: `${node}, archive-frames ${VERSION}` },
    ...(await Promise.all(loaded)),
    { name: "key", state: key ? "ok" : "missing", message: key ? `${key.variable} is set.` : noKey },
    { name: "kernel", state: problem ? "missing" : "ok", message: problem ? `${problem} Type: ${fix}` : path },
  ];
}

/** `archive-frames doctor`: checks the installation and says what to type. */
export function doctorCommand(): Command {
  return new Command("doctor").description("check the installation and say what to type").action(async () => {
    const findings = await examine();
    const marks = { ok: "ok", missing: "-", problem: "PROBLEM" };
    printLines(findings.map(({ name, state, message }) => `${marks[state].padEnd(8)}${name.padEnd(18)}${message}`));
    if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
  });
}
