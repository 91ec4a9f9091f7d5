import { expect, it } from "vitest";
import { examine } from "../../src/cli/doctor.js";

const stateOf = async (name: string, ...given: Parameters<typeof examine>) =>
  (await examine(...given)).find((finding) => finding.name === name);

it("names what it has checked, and finds no problem here", async () => {
  const findings = await examine({ ARCHIVE_API_KEY: "canary-key" });
  expect(findings.map(({ name }) => name)).toEqual([
    ...["Node", "polars", "DuckDB", "vega", "danfo (optional)", "key", "kernel"],
  ]);
  expect(findings.filter(({ state }) => state === "problem")).toEqual([]);
  expect(JSON.stringify(findings)).not.toContain("canary-key");
});

it.each(["v18.19.0", "v20.18.1"])("Node %s is too old", async (node) => {
  expect(await stateOf("Node", {}, node)).toMatchObject({ state: "problem", message: expect.stringMatching(/20\.19/) });
});

it("repeats what an error of a library says to type", async () => {
  const load = () => Promise.reject(new Error("polars cannot be loaded. Type: npm install"));
  const findings = [["polars", "problem", load] as const, ["danfo", "missing", load] as const];
  expect((await examine({}, process.version, findings)).slice(1, 3)).toEqual([
    { name: "polars", state: "problem", message: "polars cannot be loaded. Type: npm install" },
    { name: "danfo", state: "missing", message: "polars cannot be loaded. Type: npm install" },
  ]);
});

it.each([{}, { ARCHIVE_API_KEY: " " }])("says where a key comes from: %j", async (env) => {
  expect(await stateOf("key", env)).toMatchObject({
    state: "missing",
    message: expect.stringMatching(/ARCHIVE_API_KEY.*api@c-spanarchives\.org/),
  });
});
