import { expect, it } from "vitest";
import { cross } from "../../src/corpus/index.js";
import { settingsOf } from "../archiveSettings.js";
import { corpusOf } from "../corpus/corpora.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { startEmbeddedArchive } from "../tools/startGenerated.js";
import { callCommand } from "./callCommand.js";

const run = (baseUrl: string, ...args: string[]) =>
  callCommand(temporaryFolder(), args, settingsOf({ baseUrl, apiKey: "embedded-archive" }));

it.each([
  [75, { quota: { requests: 0, seconds: 3600 } }, "run it again"],
  [1, { apiKey: "another" }, "the API key was rejected"],
] as const)("a command ends with %i", async (status, options, said) => {
  await using archive = await startEmbeddedArchive(options);
  const ended = await run(archive.baseUrl, "count", "mentions", "climate");
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(said)]);
  expect(archive.requests).toBe(1);
});

it("corpus plan ends as a build does", async () => {
  await using service = await startCorpusService(servedRows(20));
  const { dir } = await corpusOf(service, { searches: cross({ query: ["alpha", "beta"] }), lookups: [] });
  service.instead = ({ url }) => (url.includes("beta") ? { status: 400, body: {} } : undefined);
  const planned = await run(service.baseUrl, "corpus", "plan", dir, "--json");
  const failed = [{ query: "beta", code: "HTTP_ERROR" }];
  expect([planned.status, JSON.parse(planned.stdout)]).toMatchObject([1, { failed }]);
  expect((await run(service.baseUrl, "corpus", "plan", dir)).stdout).toContain("FAILED  beta (HTTP_ERROR): ");
});
