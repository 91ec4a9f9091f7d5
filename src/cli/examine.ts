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

type Result = Omit<Finding, "name">;

const ok = (message: string): Result => ({ state: "ok", message });
const missing = (message: string, fix?: string): Result => ({ state: "missing", message, fix });
const problem = (message: string, fix?: string): Result => ({ state: "problem", message, fix });

const DANFO_FIX = `Add to package.json:
  "dependencies": { "danfojs-node": "1.2.0" },
  "overrides": { "danfojs-node": { "xlsx": "npm:@e965/xlsx@0.20.3", "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0" } }
then type: npm install`;

/** All checks by name, in the order in which problems should be fixed. */
const CHECKS: Readonly<Record<string, (environment: Environment) => Result>> = {
  Node({ node }) {
    const [major = 0, minor = 0] = node.replace(/^v/, "").split(".").map(Number);
    const isSupported = major > 20 || (major === 20 && minor >= 19);
    return isSupported ? ok(node) : problem(`${node} is too old.`, "Install Node 20.19 or later.");
  },
  "archive-frames": () => ok(VERSION),
  "nodejs-polars"({ load }) {
    try {
      const { default: pl } = load("nodejs-polars") as {
        default: { DataFrame(columns: object): { height: number }; version: string };
      };
      return pl.DataFrame({ a: [1] }).height === 1
        ? ok(pl.version)
        : problem("It loads, but its DataFrames have no rows.");
    } catch (error) {
      const fix =
        "Delete node_modules and package-lock.json, then type:\nnpm install nodejs-polars@0.24.1 --include=optional";
      return problem(`It fails to load: ${firstLine(error)}`, fix);
    }
  },
  "danfojs-node"({ load }) {
    try {
      load("danfojs-node");
      return ok("Installed, for danfo frames.");
    } catch (error) {
      return missing(`Required only for danfo frames. ${firstLine(error)}`, DANFO_FIX);
    }
  },
  "tslab, zeromq"({ load }) {
    try {
      load("zeromq");
      load("tslab/package.json");
      return ok("Installed, for the notebook kernel.");
    } catch (error) {
      return problem(`The kernel fails to load: ${firstLine(error)}`, "npm install archive-frames");
    }
  },
  "vega, vega-lite"({ load }) {
    const fix = "npm install vega@5 vega-lite@5";
    try {
      const { version } = load("vega/package.json") as { readonly version?: string };
      load("vega-lite/package.json");
      if (!isVulnerable(version)) return ok("Installed, for charts.");
      return problem(`vega ${version} lets expressions in a specification run arbitrary code (CVE-2025-59840).`, fix);
    } catch {
      return missing("Required only for charts.", fix);
    }
  },
  "@resvg/resvg-js"({ load }) {
    let Resvg: ResvgClass;
    try {
      ({ Resvg } = load("@resvg/resvg-js") as { readonly Resvg: ResvgClass });
    } catch {
      const message = "Required only for charts as PNG, which untrusted notebooks show.";
      return missing(message, "npm install @resvg/resvg-js@2");
    }
    try {
      if (drawsText(Resvg)) return ok("Installed, for charts as PNG; it found a font.");
      return missing("It finds no font, so charts have no PNG.", `${FONT_HINT}.`);
    } catch (error) {
      return problem(`It fails to draw: ${firstLine(error)}`);
    }
  },
  key({ env }) {
    const value = env.ARCHIVE_API_KEY?.trim() ?? "";
    const fix = "export ARCHIVE_API_KEY='…'";
    if (value === "") return missing("ARCHIVE_API_KEY is not set: searches go to the embedded archive.", fix);
    if (!/^["'`].*["'`]$/.test(value)) return ok("ARCHIVE_API_KEY is set.");
    const message = "ARCHIVE_API_KEY starts and ends with a quotation mark, which is probably not part of the key.";
    return problem(message, `${fix}   (the shell removes these quotes)`);
  },
  service({ env }) {
    try {
      const { origin, pathname } = new URL(resolveOptions({ apiKey: "k" }, env).baseUrl);
      return ok(`${origin}${pathname}`);
    } catch (error) {
      return problem(firstLine(error), "unset ARCHIVE_BASE_URL");
    }
  },
  proxy({ env }) {
    try {
      const { httpsProxy, httpProxy, noProxy } = proxySettings(env) ?? {};
      const used = httpsProxy || httpProxy;
      // Only the host: the address may contain a password.
      return ok(used ? `${new URL(used).host}${noProxy ? `, not for ${noProxy}` : ""}` : "None.");
    } catch (error) {
      return problem(firstLine(error));
    }
  },
  kernel({ kernel }) {
    const { ok: isOk, path, problems } = kernel();
    if (isOk) return ok(path ?? "");
    const [message = "", fix] = (problems[0] ?? "").split(/ (?:To use this copy, t|T)ype: /);
    return path === undefined ? missing(message, fix) : problem(message, fix);
  },
  Jupyter({ version }) {
    for (const program of ["jupyter-lab", "jupyter-notebook", "jupyter"]) {
      const found = version(program);
      if (found !== undefined) return ok(`${program} ${found}`);
    }
    const message = "It is not on the PATH. VS Code and archive-frames run work without it.";
    return missing(message, "pip install jupyterlab   (or: apt-get install jupyter-notebook)");
  },
};

/** Runs all checks, in the order in which problems should be fixed. */
export function examine(environment: Environment): Finding[] {
  return Object.entries(CHECKS).map(([name, check]) => ({ name, ...check(environment) }));
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
