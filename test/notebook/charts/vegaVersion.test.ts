import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isVulnerable, vegaLibrary } from "../../../src/notebook/charts/chartLibraries.js";

const INJECTABLE = ["4.4.0", "5.0.0", "5.32.0", "5.33.0", "5.33.1", "5.34.0", "6.0.0", "6.1.2"];
const FIXED = ["6.2.0", "6.4.0", "7.0.0"];

describe("a vega whose expressions can run arbitrary code (CVE-2025-59840)", () => {
  it.each(INJECTABLE)("%s is rejected", async (version) => {
    const load = async () => ({ parse: () => ({}), compile: () => ({}), version });
    await expect(vegaLibrary(load)).rejects.toMatchObject({
      code: "CHARTS_MISSING",
      message: expect.stringMatching(/CVE-2025-59840.*npm install vega@6 vega-lite@6/),
    });
  });

  it.each(FIXED)("%s is accepted", async (version) => {
    await vegaLibrary(async () => ({ parse: () => ({}), compile: () => ({}), version }));
  });

  it("is neither allowed by package.json nor installed", async () => {
    const { peerDependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const range of [peerDependencies.vega, devDependencies.vega]) {
      for (const [least] of range.matchAll(/[\d.]+/g)) expect(isVulnerable(least)).toBe(false);
    }
    expect(isVulnerable((await vegaLibrary()).vega.version)).toBe(false);
  });
});
