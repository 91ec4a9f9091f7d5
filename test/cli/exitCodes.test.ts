import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { runCommandLine } from "../../src/cli/runCommandLine.js";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { settingsOf, stubSettings } from "../archiveSettings.js";
import { temporaryFolder } from "../files/temporary.js";

afterEach(() => void vi.unstubAllEnvs());

it.each([
  [75, { quota: { requests: 0, seconds: 60, answer: "limit-exceeded" } }, "its day, week or month is over"],
  [75, { quota: { requests: 0, seconds: 3600 } }, "run it again"],
  [1, { apiKey: "another" }, "the API key was rejected"],
] as const)("a command ends with %i", async (status, options, said) => {
  await using archive = await startEmbeddedArchive({ size: 0, ...options });
  stubSettings(settingsOf({ baseUrl: archive.baseUrl, apiKey: "embedded-archive" }));
  let stderr = "";
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  const before = process.exitCode;
  try {
    process.exitCode = undefined;
    await runCommandLine(["count", "mentions", "climate"]);
    expect([process.exitCode, stderr]).toEqual([status, expect.stringContaining(said)]);
  } finally {
    process.exitCode = before;
    spy.mockRestore();
  }
  expect(archive.requests).toBe(1);
});

it("corpus build --json says how a run was stopped, and what the corpus has", async () => {
  await using archive = await startEmbeddedArchive({ quota: { requests: 3, seconds: 3600 } });
  const folder = temporaryFolder();
  stubSettings(settingsOf({ baseUrl: archive.baseUrl, apiKey: "embedded-archive" }));
  writeFileSync(
    join(folder, "searches.csv"),
    "query,mindate,maxdate\nclimate,2024-01-01,2024-03-31\ntax,2024-01-01,2024-03-31\n",
  );
  let stdout = "";
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      stdout += text;
      return true;
    }),
    vi.spyOn(process.stderr, "write").mockImplementation(() => true),
  ];
  const before = process.exitCode;
  try {
    const flags = ["--no-lookups", "--concurrency", "1", "--window", "month", "--json"];
    await runCommandLine(["corpus", "build", join(folder, "corpus"), join(folder, "searches.csv"), ...flags]);
    expect(process.exitCode).toBe(75);
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({ verdict: "stopped", reason: "RATE_LIMITED", windows: { total: 6 } });
  expect(told.retryAfter).toBeGreaterThan(3000);
  expect(told.windows.done).toBeGreaterThan(0);
});
