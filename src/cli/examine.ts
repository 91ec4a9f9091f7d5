import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { ArchiveError } from "../errors/index.js";
import { type SpecStatus, specStatus } from "../kernel/kernelspec/kernelSpec.js";
import { drawsText, FONT_HINT, type ResvgClass } from "../notebook/charts/pngLibrary.js";
import { isVulnerable } from "../notebook/charts/vegaLibrary.js";
import { resolveOptions } from "../service/http/options.js";
import { proxySettings } from "../service/http/url.js";
import { childEnvironment } from "../service/http/withoutKey.js";
import { VERSION } from "../util/version.js";

/** The result of one check. */
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
  /** Version of Node. */
  readonly node: string;
  /** Loads a package, or throws. */
  readonly load: (name: string) => unknown;
  /** The version that a program prints; undefined if it is not installed. */
  readonly version: (program: string) => string | undefined;
  readonly kernel: () => SpecStatus;
}

/** What no check covers. */
export const NOT_TESTED =
  "Not tested: the connection to the service, whether it accepts the key, whether a cell runs in Jupyter, and whether a chart is drawn.";

/** All checks, in the order in which problems should be fixed. */
export function examine(environment: Environment): Finding[] {
  return [
    nodeVersion(environment),
    { name: "archive-frames", state: "ok", message: VERSION },
    polars(environment),
    danfo(environment),
    kernelPackages(environment),
    charts(environment),
    pictures(environment),
    apiKey(environment),
    service(environment),
    proxy(environment),
    kernelSpec(environment),
    jupyter(environment),
  ];
}

function nodeVersion({ node }: Environment): Finding {
  const [major = 0, minor = 0] = node.replace(/^v/, "").split(".").map(Number);
  const supported = major > 20 || (major === 20 && minor >= 19);
  if (supported) return { name: "Node", state: "ok", message: node };
  return { name: "Node", state: "problem", message: `${node} is too old.`, fix: "Install Node 20.19 or later." };
}

function polars({ load }: Environment): Finding {
  const name = "nodejs-polars";
  try {
    const { default: pl } = load(name) as {
      default: { DataFrame(columns: object): { height: number }; version: string };
    };
    if (pl.DataFrame({ a: [1] }).height === 1) return { name, state: "ok", message: pl.version };
    return { name, state: "problem", message: "It loads, but its DataFrames have no rows." };
  } catch (error) {
    const fix =
      "Delete node_modules and package-lock.json, then type:\nnpm install nodejs-polars@0.24.1 --include=optional";
    return { name, state: "problem", message: `It fails to load: ${firstLine(error)}`, fix };
  }
}

function danfo({ load }: Environment): Finding {
  const name = "danfojs-node";
  try {
    load(name);
    return { name, state: "ok", message: "Installed, for danfo frames." };
  } catch (error) {
    const fix = `Add to package.json:
  "dependencies": { "danfojs-node": "1.2.0" },
  "overrides": { "danfojs-node": { "xlsx": "npm:@e965/xlsx@0.20.3", "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0" } }
then type: npm install`;
    return { name, state: "missing", message: `Required only for danfo frames. ${firstLine(error)}`, fix };
  }
}

function kernelPackages({ load }: Environment): Finding {
  const name = "tslab, zeromq";
  try {
    load("zeromq");
    load("tslab/package.json");
    return { name, state: "ok", message: "Installed, for the notebook kernel." };
  } catch (error) {
    const fix = "npm install archive-frames";
    return { name, state: "problem", message: `The kernel fails to load: ${firstLine(error)}`, fix };
  }
}

function charts({ load }: Environment): Finding {
  const name = "vega, vega-lite";
  const fix = "npm install vega@5 vega-lite@5";
  try {
    const { version } = load("vega/package.json") as { readonly version?: string };
    load("vega-lite/package.json");
    if (!isVulnerable(version)) return { name, state: "ok", message: "Installed, for charts." };
    const message = `vega ${version} lets expressions in a specification run arbitrary code (CVE-2025-59840).`;
    return { name, state: "problem", message, fix };
  } catch {
    return { name, state: "missing", message: "Required only for charts.", fix };
  }
}

function pictures({ load }: Environment): Finding {
  const name = "@resvg/resvg-js";
  let Resvg: ResvgClass;
  try {
    ({ Resvg } = load(name) as { readonly Resvg: ResvgClass });
  } catch {
    const message = "Required only for charts as PNG, which untrusted notebooks show.";
    return { name, state: "missing", message, fix: "npm install @resvg/resvg-js@2" };
  }
  try {
    if (drawsText(Resvg)) return { name, state: "ok", message: "Installed, for charts as PNG; it found a font." };
    return { name, state: "missing", message: "It finds no font, so charts have no PNG.", fix: `${FONT_HINT}.` };
  } catch (error) {
    return { name, state: "problem", message: `It fails to draw: ${firstLine(error)}` };
  }
}

function apiKey({ env }: Environment): Finding {
  const name = "key";
  const value = env.ARCHIVE_API_KEY ?? "";
  if (value.trim() === "") {
    const message = "ARCHIVE_API_KEY is not set: searches go to the embedded archive.";
    return { name, state: "missing", message, fix: "export ARCHIVE_API_KEY='…'" };
  }
  if (!/^["'`].*["'`]$/.test(value.trim())) return { name, state: "ok", message: "ARCHIVE_API_KEY is set." };
  const message = "ARCHIVE_API_KEY starts and ends with a quotation mark, which is probably not part of the key.";
  return { name, state: "problem", message, fix: "export ARCHIVE_API_KEY='…'   (the shell removes these quotes)" };
}

function service({ env }: Environment): Finding {
  const name = "service";
  try {
    const { baseUrl } = resolveOptions({ apiKey: "k" }, env);
    return { name, state: "ok", message: `${new URL(baseUrl).origin}${new URL(baseUrl).pathname}` };
  } catch (error) {
    return { name, state: "problem", message: firstLine(error), fix: "unset ARCHIVE_BASE_URL" };
  }
}

function proxy({ env }: Environment): Finding {
  const name = "proxy";
  try {
    const { httpsProxy, httpProxy, noProxy } = proxySettings(env) ?? {};
    const used = httpsProxy || httpProxy;
    if (!used) return { name, state: "ok", message: "None." };
    // Only the host: the address may contain a password.
    return { name, state: "ok", message: `${new URL(used).host}${noProxy ? `, not for ${noProxy}` : ""}` };
  } catch (error) {
    return { name, state: "problem", message: firstLine(error) };
  }
}

function kernelSpec({ kernel }: Environment): Finding {
  const name = "kernel";
  const { ok, path, problems } = kernel();
  if (ok) return { name, state: "ok", message: path ?? "" };
  const state = path === undefined ? "missing" : "problem";
  const [message = "", fix] = (problems[0] ?? "").split(/ (?:To use this copy, t|T)ype: /);
  return { name, state, message, fix };
}

function jupyter({ version }: Environment): Finding {
  const name = "Jupyter";
  for (const program of ["jupyter-lab", "jupyter-notebook", "jupyter"]) {
    const found = version(program);
    if (found !== undefined) return { name, state: "ok", message: `${program} ${found}` };
  }
  const message = "It is not on the PATH. VS Code and archive-frames run work without it.";
  return { name, state: "missing", message, fix: "pip install jupyterlab   (or: apt-get install jupyter-notebook)" };
}

function firstLine(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const text = error instanceof ArchiveError ? message : message.replace(/\nRequire stack[\s\S]*/, "");
  return text.split("\n")[0]?.slice(0, 300) ?? "";
}

/** The environment of this process. */
export function currentEnvironment(): Environment {
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
