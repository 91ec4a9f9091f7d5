import { describe, expect, it } from "vitest";
import { type Environment, examine, type Finding, loadInstalled, versionIn } from "../../src/cli/doctor.js";

const healthy: Environment = {
  env: { ARCHIVE_API_KEY: "canary-key" },
  node: "v20.20.2",
  load: loadInstalled,
  version: (program) => (program === "jupyter-notebook" ? "6.4.12" : undefined),
  kernel: () => ({ path: "/k/kernel.json", fix: "" }),
};
const without = (...names: string[]) => ({
  load: (name: string) => {
    if (names.includes(name)) throw new Error(`Cannot find module '${name}'\nRequire stack:\n- /secret/path`);
    return loadInstalled(name);
  },
});
const vega = (version: string) => ({
  load: (name: string) => (name === "vega/package.json" ? { version } : loadInstalled(name)),
});
const kernel = (path: string | undefined) => ({ kernel: () => ({ path, problem: "Not there.", fix: "x" }) });

describe("the doctor", () => {
  it("reports no problems for a healthy environment, and no key", () => {
    const findings = examine(healthy);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.length).toBeGreaterThan(8);
    expect(JSON.stringify(findings)).not.toContain("canary-key");
  });

  it.each<[string, Partial<Environment>, Finding["state"], RegExp]>([
    ["Node", { node: "v18.19.0" }, "problem", /20\.19/],
    ["Node", { node: "v20.18.1" }, "problem", /20\.19/],
    ["nodejs-polars", without("nodejs-polars"), "problem", /npm install nodejs-polars@0\.24\.1 --include=optional/],
    ["danfojs-node", without("danfojs-node"), "missing", /overrides/],
    ["tslab, zeromq", without("zeromq"), "problem", /npm install/],
    ["vega, vega-lite", without("vega-lite/package.json"), "missing", /npm install vega@6 vega-lite@6/],
    ["vega, vega-lite", vega("5.33.0"), "problem", /npm install vega@6 vega-lite@6/],
    ["@resvg/resvg-js", without("@resvg/resvg-js"), "missing", /npm install @resvg\/resvg-js@2/],
    ["@napi-rs/canvas", without("@napi-rs/canvas"), "missing", /npm install @napi-rs\/canvas@1/],
    ["key", { env: {} }, "missing", /export ARCHIVE_API_KEY/],
    ["key", { env: { CSPAN_API_KEY: "'canary-key'" } }, "problem", /export CSPAN_API_KEY/],
    ["key", { env: {} }, "missing", /api@c-spanarchives\.org/],
    ["key", { env: { ARCHIVE_API_KEY: " " } }, "missing", /export ARCHIVE_API_KEY/],
    ["key", { env: { ARCHIVE_API_KEY: '"canary-key"' } }, "problem", /quotes/],
    ["address", { env: { ARCHIVE_BASE_URL: "https://api.c-spanarchives.org" } }, "missing", /\/2\.0'/],
    ["Jupyter", { version: () => undefined }, "missing", /install jupyter/],
    ["kernel", kernel(undefined), "missing", /^x$/],
    ["kernel", kernel("/k"), "problem", /^x$/],
  ])("says what to type for %s (%j)", (what, environment, state, type) => {
    const found = examine({ ...healthy, ...environment }).find(({ name }) => name === what);
    expect(found).toMatchObject({ state, fix: expect.stringMatching(type) });
    expect(JSON.stringify(found)).not.toMatch(/canary-key|secret/);
  });

  it.each(["https://api.c-spanarchives.org/2.0", "http://127.0.0.1:80/2.0/", "https://proxy.example/archive/v2"])(
    "takes the address %s",
    (ARCHIVE_BASE_URL) => {
      const findings = examine({ ...healthy, env: { ARCHIVE_BASE_URL } });
      expect(findings.find(({ name }) => name === "address")).toMatchObject({ state: "ok" });
    },
  );

  it.each([
    ["6.4.12\n", "6.4.12"],
    ["Selected Jupyter core packages...\nIPython          : 8.5.0\njupyter_core     : 4.12.0\n", "4.12.0"],
    ["jupyter core     : 4.6.3\njupyter-notebook : 6.0.3\n", "4.6.3"],
    ["", "of an unknown version"],
  ])("prints one version of what a program says (%j)", (output, version) => {
    expect(versionIn(output)).toBe(version);
  });
});
