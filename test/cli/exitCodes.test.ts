import { afterEach, expect, it, vi } from "vitest";
import { runCommandLine } from "../../src/cli/runCommandLine.js";
import { cross } from "../../src/corpus/index.js";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { settingsOf, stubSettings } from "../archiveSettings.js";
import { corpusOf } from "../corpus/corpora.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";

afterEach(() => void vi.unstubAllEnvs());

/** Runs a command in this process. */
async function run(...args: string[]) {
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += text;
      return true;
    }),
  );
  const before = process.exitCode;
  try {
    process.exitCode = undefined;
    await runCommandLine(args);
    return { status: process.exitCode, ...printed };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

it.each([
  [75, { quota: { requests: 0, seconds: 3600 } }, "run it again"],
  [1, { apiKey: "another" }, "the API key was rejected"],
] as const)("a command ends with %i", async (status, options, said) => {
  await using archive = await startEmbeddedArchive(options);
  stubSettings(settingsOf({ baseUrl: archive.baseUrl, apiKey: "embedded-archive" }));
  const ended = await run("count", "mentions", "climate");
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(said)]);
  expect(archive.requests).toBe(1);
});

it("corpus plan ends as a build does", async () => {
  await using service = await startCorpusService(servedRows(20));
  stubSettings(settingsOf({ baseUrl: service.baseUrl, apiKey: "key" }));
  const { dir } = await corpusOf(service, { searches: cross({ query: ["alpha", "beta"] }), lookups: [] });
  service.instead = ({ url }) => (url.includes("beta") ? { status: 400, body: {} } : undefined);
  const planned = await run("corpus", "plan", dir, "--json");
  const failed = [{ query: "beta", code: "HTTP_ERROR" }];
  expect([planned.status, JSON.parse(planned.stdout)]).toMatchObject([1, { failed }]);
  expect((await run("corpus", "plan", dir)).stdout).toContain("FAILED  beta (HTTP_ERROR): ");
});
