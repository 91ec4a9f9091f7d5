import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { type SpecStatus, specStatus } from "../kernel/kernelSpec.js";
import { packageDirectory } from "../kernel/sharedPackages.js";
import { childEnvironment, environmentKey, KEY_VARIABLES } from "../service/http/environmentKey.js";
import { DEFAULT_BASE_URL } from "../service/http/options.js";
import { VERSION } from "../util/version.js";
import { printLines, printText } from "./print.js";

export interface Finding {
  readonly name: string;
  /** `"missing"` only disables a feature; `"problem"` makes the command exit with 1. */
  readonly state: "ok" | "missing" | "problem";
  readonly message: string;
  /** What to type. */
  readonly fix?: string | undefined;
}

/** What the checks examine; tests pass their own. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  /** Loads a package, or throws. */
  readonly load: (name: string) => unknown;
  /** The version that a program prints; undefined if it is not installed. */
  readonly version: (program: string) => string | undefined;
  readonly kernel: () => SpecStatus;
}

interface Packages {
  readonly name: string;
  readonly loaded: readonly string[];
  readonly purpose: string;
  /** Default false: only one feature needs it. */
  readonly isRequired?: boolean;
  readonly fix: string;
}

const PACKAGES: readonly Packages[] = [
  {
    name: "nodejs-polars",
    loaded: ["nodejs-polars"],
    purpose: "frames",
    isRequired: true,
    fix: "Delete node_modules and package-lock.json, then type:\nnpm install nodejs-polars@0.24.1 --include=optional",
  },
  {
    name: "@duckdb/node-api",
    loaded: ["@duckdb/node-api"],
    purpose: "reading files, sql() and corpora",
    isRequired: true,
    fix: "Delete node_modules and package-lock.json, then type:\nnpm install archive-frames --include=optional",
  },
  {
    name: "tslab, zeromq",
    loaded: ["zeromq", "tslab/package.json"],
    purpose: "the notebook kernel",
    isRequired: true,
    fix: "npm install archive-frames",
  },
  {
    name: "danfojs-node",
    loaded: ["danfojs-node"],
    purpose: "danfo frames",
    fix: `Add to package.json:
  "dependencies": { "danfojs-node": "1.2.0" },
  "overrides": { "danfojs-node": { "xlsx": "npm:@e965/xlsx@0.20.3", "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0" } }
then type: npm install`,
  },
  {
    name: "vega, vega-lite",
    loaded: ["vega-lite/package.json", "vega/package.json"],
    purpose: "charts",
    fix: "npm install vega@6 vega-lite@6",
  },
  {
    name: "@resvg/resvg-js",
    loaded: ["@resvg/resvg-js"],
    purpose: "charts as PNG, which untrusted notebooks need",
    fix: "npm install @resvg/resvg-js@2",
  },
  {
    name: "@napi-rs/canvas",
    loaded: ["@napi-rs/canvas"],
    purpose: "charts as PDF",
    fix: "npm install @napi-rs/canvas@1",
  },
];

/** Checks the installation. Problems come in the order in which to fix them. */
export function examine(environment: Environment): Finding[] {
  const packages = PACKAGES.map((each) => packageFinding(each, environment));
  const service = [keyFinding(environment), ...addressFinding(environment)];
  return [nodeFinding(environment), ...packages, ...service, ...notebookFindings(environment)];
}

function ok(name: string, message: string): Finding {
  return { name, state: "ok", message };
}

function nodeFinding({ node }: Environment): Finding {
  const [major = 0, minor = 0] = node.replace(/^v/, "").split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok("Node", `${node}, archive-frames ${VERSION}`);
  return { name: "Node", state: "problem", message: `${node} is too old.`, fix: "Install Node 20.19 or later." };
}

function packageFinding({ name, loaded, purpose, isRequired, fix }: Packages, { load }: Environment): Finding {
  try {
    for (const each of loaded) load(each);
    return ok(name, `Installed, for ${purpose}.`);
  } catch (error) {
    const [line = ""] = String((error as Error).message).split("\n");
    const message = `Required ${isRequired ? "" : "only "}for ${purpose}. ${line.slice(0, 300)}`;
    return { name, state: isRequired ? "problem" : "missing", message, fix };
  }
}

function keyFinding({ env }: Environment): Finding {
  const { variable, key } = environmentKey(env) ?? { variable: KEY_VARIABLES[0] };
  const [name, fix] = ["key", `export ${variable}='…'`];
  if (key === undefined) {
    const message = `Neither ${KEY_VARIABLES.join(" nor ")} is set: searches go to the embedded archive.`;
    return { name, state: "missing", message, fix: `${fix}   (C-SPAN sends keys on request: api@c-spanarchives.org)` };
  }
  if (!/^["'`].*["'`]$/.test(key)) return ok(name, `${variable} is set.`);
  const message = `${variable} starts and ends with a quotation mark, which is probably not part of the key.`;
  return { name, state: "problem", message, fix: `${fix}   (the shell removes these quotes)` };
}

/** A wrong address looks like a wrong key: a gateway answers both with 403. */
function addressFinding({ env }: Environment): Finding[] {
  const url = env.ARCHIVE_BASE_URL?.trim();
  if (!url) return [];
  const name = "address";
  if (/\/v?\d+(?:\.\d+)*\/*$/i.test(url)) return [ok(name, "ARCHIVE_BASE_URL is set.")];
  const message = "ARCHIVE_BASE_URL does not end with a version of the service, such as /2.0.";
  return [{ name, state: "missing", message, fix: `export ARCHIVE_BASE_URL='${DEFAULT_BASE_URL}'   (or unset it)` }];
}

function notebookFindings({ kernel, version }: Environment): Finding[] {
  const { path, problem, fix } = kernel();
  const state = problem === undefined ? "ok" : path === undefined ? "missing" : "problem";
  const jupyter = ["jupyter-lab", "jupyter-notebook", "jupyter"].flatMap((program) => {
    const found = version(program);
    return found === undefined ? [] : [`${program} ${found}`];
  })[0];
  const none = "It is not on the PATH. VS Code and archive-frames run work without it.";
  return [
    { name: "kernel", state, message: problem ?? path ?? "", fix: problem && fix },
    jupyter === undefined
      ? { name: "Jupyter", state: "missing", message: none, fix: "pip install jupyterlab" }
      : ok("Jupyter", jupyter),
  ];
}

/** Loads a package, or its manifest by path: vega does not export its own. */
export function loadInstalled(name: string): unknown {
  const directory = name.endsWith("/package.json") ? packageDirectory(dirname(name)) : undefined;
  return createRequire(import.meta.url)(directory === undefined ? name : join(directory, "package.json"));
}

/** Finds the version in the output of `--version`. `jupyter` lists its packages; its own version is that of `jupyter_core`. */
export function versionIn(output: string): string {
  return /^(?:jupyter[_ ]core *: *)?(\d\S*)/m.exec(output)?.[1] ?? "of an unknown version";
}

function currentEnvironment(): Environment {
  return {
    env: process.env,
    node: process.version,
    load: loadInstalled,
    version(program) {
      const env = childEnvironment(process.env);
      const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: 30_000, env });
      return status === 0 ? versionIn(stdout) : undefined;
    },
    kernel: () => specStatus(),
  };
}

const MARKS = { ok: "ok", missing: "-", problem: "PROBLEM" } as const;
/** The column where messages start. */
const INDENT = 25;

/** `archive-frames doctor`: checks the installation and says what to type. */
export function doctorCommand(): Command {
  return new Command("doctor").description("check the installation and say what to type").action(() => {
    const findings = examine(currentEnvironment());
    for (const { name, state, message, fix } of findings) {
      printLines([`${MARKS[state].padEnd(7)} ${name.padEnd(16)} ${message}`]);
      if (fix !== undefined) printText(fix.replace(/^/gm, " ".repeat(INDENT)));
    }
    const unchecked = "the connection to the service, whether it accepts the key, whether a cell runs in Jupyter.";
    printLines(["", `Not tested: ${unchecked}`]);
    if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
  });
}
