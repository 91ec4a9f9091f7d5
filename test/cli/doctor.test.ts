import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { type Environment, examine, type Finding } from "../../src/cli/examine.js";

const require = createRequire(import.meta.url);
const healthy: Environment = {
  env: { ARCHIVE_API_KEY: "canary-key" },
  node: "v20.20.2",
  load: require,
  version: (program) => (program === "jupyter-notebook" ? "6.4.12" : undefined),
  kernel: () => ({ ok: true, path: "/k/kernel.json", version: "1", problems: [] }),
};
const without = (...names: string[]) => ({
  load: (name: string) => {
    if (names.includes(name)) throw new Error(`Cannot find module '${name}'\nRequire stack:\n- /secret/path`);
    return require(name) as unknown;
  },
});
/** The PNG library on a machine without fonts. */
const noFont = {
  Resvg: class {
    getBBox() {}
  },
};
const finding = (what: string, environment: Partial<Environment>) =>
  examine({ ...healthy, ...environment }).find((one) => one.name === what) as Finding;

describe("the doctor", () => {
  it("reports no problems for a healthy environment, and no key", () => {
    const findings = examine(healthy);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.length).toBeGreaterThan(9);
    expect(JSON.stringify(findings)).not.toContain("canary-key");
  });

  it.each<[string, Partial<Environment>, Finding["state"], RegExp]>([
    ["Node", { node: "v18.19.0" }, "problem", /20\.19/],
    ["Node", { node: "v20.18.1" }, "problem", /20\.19/],
    ["nodejs-polars", without("nodejs-polars"), "problem", /npm install nodejs-polars@0\.24\.1 --include=optional/],
    ["danfojs-node", without("danfojs-node"), "missing", /overrides/],
    ["tslab, zeromq", without("zeromq"), "problem", /npm install/],
    ["vega, vega-lite", without("vega-lite/package.json"), "missing", /npm install vega@5 vega-lite@5/],
    ["@resvg/resvg-js", without("@resvg/resvg-js"), "missing", /npm install @resvg\/resvg-js@2/],
    ["@resvg/resvg-js", { load: (name) => (name.startsWith("@resvg") ? noFont : require(name)) }, "missing", /fonts-/],
    ["key", { env: {} }, "missing", /export ARCHIVE_API_KEY/],
    ["key", { env: { ARCHIVE_API_KEY: " " } }, "missing", /export ARCHIVE_API_KEY/],
    ["key", { env: { ARCHIVE_API_KEY: '"canary-key"' } }, "problem", /quotes/],
    ["service", { env: { ARCHIVE_BASE_URL: "no url" } }, "problem", /unset ARCHIVE_BASE_URL/],
    ["Jupyter", { version: () => undefined }, "missing", /install jupyter/],
    [
      "kernel",
      {
        kernel: () => ({
          ok: false,
          path: undefined,
          version: undefined,
          problems: ["Not there. Type: x"],
        }),
      },
      "missing",
      /^x$/,
    ],
    [
      "kernel",
      { kernel: () => ({ ok: false, path: "/k", version: "0", problems: ["Old. Type: y"] }) },
      "problem",
      /^y$/,
    ],
  ])("says what to type for %s (%j)", (what, environment, state, type) => {
    const found = finding(what, environment);
    expect(found.state).toBe(state);
    expect(found.fix).toMatch(type);
    expect(JSON.stringify(found)).not.toMatch(/canary-key|secret/);
  });

  it("shows the host of a proxy but not its password", () => {
    const env = { ...healthy.env, HTTPS_PROXY: "http://me:hush@proxy.example:8080" };
    expect(finding("proxy", { env }).message).toBe("proxy.example:8080");
    expect(finding("proxy", { env: { HTTPS_PROXY: "gopher://x" } }).state).toBe("problem");
  });
});
