import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { Command } from "commander";
import { ArchiveError } from "../errors/index.js";
import { type SpecStatus, specStatus } from "../kernel/kernelspec/specStatus.js";
import { isVulnerable } from "../notebook/charts/vegaLibrary.js";
import { childEnvironment } from "../service/http/childEnvironment.js";
import { resolveOptions } from "../service/http/options.js";
import { proxySettings } from "../service/http/proxySettings.js";
import { VERSION } from "../util/version.js";
import { printLines, printText } from "./print.js";

/** What one look has found. A fault that only takes something away is no failure. */
export interface Finding {
  readonly what: string;
  readonly state: "ok" | "missing" | "fault";
  readonly says: string;
  /** What to type. */
  readonly type?: string | undefined;
}

/** What the command looks at; tests bring their own. */
export interface Environment {
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  /** Loads a package, or throws. */
  readonly load: (name: string) => unknown;
  /** What a program prints when asked for its version; undefined where it is not there. */
  readonly version: (program: string) => string | undefined;
  readonly kernel: () => SpecStatus;
}

/**
 * `archive-frames doctor`: looks at everything that can be missing, and says what to type.
 *
 * @example
 * program.addCommand(doctorCommand());
 */
export function doctorCommand(patient: Partial<Environment> = {}): Command {
  return new Command("doctor").description("look for what is missing, and say what to type").action(() => {
    const findings = examine({ ...thisMachine(), ...patient });
    for (const { what, state, says, type } of findings) {
      printLines([`${MARKS[state]} ${what.padEnd(16)} ${says}`]);
      if (type !== undefined) printText(type.replace(/^/gm, " ".repeat(19)));
    }
    if (findings.some(({ state }) => state === "fault")) process.exitCode = 1;
  });
}

const MARKS = { ok: "ok   ", missing: "-    ", fault: "FAULT" } as const;

/** Everything that can be wrong, in the order in which it should be mended. */
export function examine(patient: Environment): Finding[] {
  return [
    nodeVersion(patient),
    { what: "archive-frames", state: "ok", says: VERSION },
    polars(patient),
    danfo(patient),
    kernelParts(patient),
    charts(patient),
    key(patient),
    service(patient),
    proxy(patient),
    kernelSpec(patient),
    jupyter(patient),
  ];
}

function nodeVersion({ node }: Environment): Finding {
  const [major = 0, minor = 0] = node.replace(/^v/, "").split(".").map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  if (fits) return { what: "Node", state: "ok", says: node };
  return { what: "Node", state: "fault", says: `${node} is too old.`, type: "Install Node 20.19 or later." };
}

function polars({ load }: Environment): Finding {
  const what = "nodejs-polars";
  try {
    const { default: pl } = load(what) as {
      default: { DataFrame(columns: object): { height: number }; version: string };
    };
    if (pl.DataFrame({ a: [1] }).height === 1) return { what, state: "ok", says: pl.version };
    return { what, state: "fault", says: "It makes frames without rows." };
  } catch (error) {
    const type =
      "Delete node_modules and package-lock.json, then type:\nnpm install nodejs-polars@0.24.1 --include=optional";
    return { what, state: "fault", says: `It cannot be loaded: ${firstLine(error)}`, type };
  }
}

function danfo({ load }: Environment): Finding {
  const what = "danfojs-node";
  try {
    load(what);
    return { what, state: "ok", says: 'There for engine: "danfo".' };
  } catch (error) {
    const type = `Put into package.json
  "dependencies": { "danfojs-node": "1.2.0" },
  "overrides": { "danfojs-node": { "xlsx": "npm:@e965/xlsx@0.20.3", "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0" } }
then type: npm install`;
    return { what, state: "missing", says: `Only engine: "danfo" needs it. ${firstLine(error)}`, type };
  }
}

function kernelParts({ load }: Environment): Finding {
  const what = "tslab, zeromq";
  try {
    load("zeromq");
    load("tslab/package.json");
    return { what, state: "ok", says: "There for the notebook kernel." };
  } catch (error) {
    const type = "npm install archive-frames";
    return { what, state: "fault", says: `The kernel cannot be loaded: ${firstLine(error)}`, type };
  }
}

function charts({ load }: Environment): Finding {
  const what = "vega, vega-lite";
  try {
    const { version } = load("vega/package.json") as { readonly version?: string };
    load("vega-lite/package.json");
    if (!isVulnerable(version)) return { what, state: "ok", says: "There for charts." };
    const says = `vega ${version} lets the expressions of a specification run any code (CVE-2025-59840).`;
    return { what, state: "fault", says, type: "npm install vega@5 vega-lite@5" };
  } catch {
    return { what, state: "missing", says: "Only charts need them.", type: "npm install vega@5 vega-lite@5" };
  }
}

function key({ env }: Environment): Finding {
  const what = "key";
  const value = env.ARCHIVE_API_KEY ?? "";
  if (value.trim() === "") {
    const says = "ARCHIVE_API_KEY is not set: openArchive() gives the embedded archive.";
    return { what, state: "missing", says, type: "export ARCHIVE_API_KEY='…'" };
  }
  if (!/^["'`].*["'`]$/.test(value.trim())) return { what, state: "ok", says: "ARCHIVE_API_KEY is set." };
  const says = "ARCHIVE_API_KEY begins and ends with a quote, which is probably none of it.";
  return { what, state: "fault", says, type: "export ARCHIVE_API_KEY='…'   (the shell takes these quotes away)" };
}

function service({ env }: Environment): Finding {
  const what = "service";
  try {
    const { baseUrl } = resolveOptions({ apiKey: "k" }, env);
    return { what, state: "ok", says: `${new URL(baseUrl).origin}${new URL(baseUrl).pathname}` };
  } catch (error) {
    return { what, state: "fault", says: firstLine(error), type: "unset ARCHIVE_BASE_URL" };
  }
}

function proxy({ env }: Environment): Finding {
  const what = "proxy";
  try {
    const { httpsProxy, httpProxy, noProxy } = proxySettings(env) ?? {};
    const used = httpsProxy || httpProxy;
    if (!used) return { what, state: "ok", says: "None." };
    // Only where it is: the address may hold a password.
    return { what, state: "ok", says: `${new URL(used).host}${noProxy ? `, not for ${noProxy}` : ""}` };
  } catch (error) {
    return { what, state: "fault", says: firstLine(error) };
  }
}

function kernelSpec({ kernel }: Environment): Finding {
  const what = "kernel";
  const { ok, path, faults } = kernel();
  if (ok) return { what, state: "ok", says: path ?? "" };
  const state = path === undefined ? "missing" : "fault";
  const [says = "", type] = (faults[0] ?? "").split(/ (?:If this one is meant, t|T)ype: /);
  return { what, state, says, type };
}

function jupyter({ version }: Environment): Finding {
  const what = "Jupyter";
  for (const program of ["jupyter-lab", "jupyter-notebook", "jupyter"]) {
    const found = version(program);
    if (found !== undefined) return { what, state: "ok", says: `${program} ${found}` };
  }
  const says = "It is not on the PATH; archive-frames run works without it, and so does VS Code.";
  return { what, state: "missing", says, type: "pip install jupyterlab   (or: apt-get install jupyter-notebook)" };
}

function firstLine(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const text = error instanceof ArchiveError ? message : message.replace(/\nRequire stack[\s\S]*/, "");
  return text.split("\n")[0]?.slice(0, 300) ?? "";
}

function thisMachine(): Environment {
  return {
    env: process.env,
    node: process.version,
    load: createRequire(import.meta.url),
    version(program) {
      const env = childEnvironment(process.env);
      const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: 30_000, env });
      return status === 0 ? stdout.trim().split("\n")[0] : undefined;
    },
    kernel: () => specStatus(),
  };
}
