import { afterEach, expect, it, vi } from "vitest";
import { runCommandLine } from "../../src/cli/runCommandLine.js";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { settingsOf, stubSettings } from "../archiveSettings.js";

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
