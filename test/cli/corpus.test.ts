import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Database } from "../../src/corpus/database/database.js";
import { openCorpus } from "../../src/corpus/index.js";
import { openArchive, toRecords } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand, failedWith } from "./callCommand.js";

const root = temporaryFolder();
const CSV = `query,videotype,mindate,maxdate,topic
"""climate""",Speech,2024-01-01,2024-06-30,environment
budget,,2024-01-01,2024-06-30,economy
`;
writeFileSync(join(root, "searches.csv"), CSV);
const corpus = (...args: string[]) => callCommand(root, ["corpus", ...args]);

describe("archive-frames corpus", () => {
  it("plans, builds in two steps, and ends with what the library builds", async () => {
    const plan = await corpus("plan", "planned", "searches.csv", "--window", "month", "--quota", "60/h");
    expect(plan).toMatchObject({ status: 0 });
    expect(plan.stdout).toMatch(
      /^\d+ rows, 0 requests left, 0\.0 minutes under the quota; 12 of 12 windows fetched with \d+ requests\n$/,
    );
    const json0 = JSON.parse((await corpus("plan", "planned", "--json")).stdout);
    expect(json0).toMatchObject({ windows: 0, requests: 0, minutes: null });

    const capped = await corpus("build", "study", "searches.csv", "--window", "month", "--max-requests", "5");
    expect(capped.status).toBe(0);
    expect(capped.stdout).toMatch(/^capped by maxRequests, \d+ of 12 windows, \d requests: /);
    expect(capped.stdout).toMatch(/\nTo continue, type: archive-frames corpus build study --max-requests 5\n$/);

    const failed = await corpus("build", "whole", "searches.csv", "--max-requests", "1");
    expect(failed.stdout).toMatch(/OUT_OF_REQUESTS.*--window month/);
    expect(failed.stdout).not.toContain("To continue");

    const built = await corpus("build", "study");
    expect(built.status).toBe(0);
    expect(built.stdout).toMatch(/^complete, 12 of 12 windows, \d+ requests?: /);
    expect(built.stderr).toMatch(/^archive-frames: using the embedded archive[^\n]*\n/);

    await using archive = await openArchive({ announce: false });
    const days = { mindate: "2024-01-01", maxdate: "2024-06-30" };
    let rows = 0;
    for (const search of [{ query: '"climate"', videotype: "Speech" }, { query: "budget" }])
      for await (const _row of archive.iterRecords("mentions", { ...search, ...days })) rows++;
    const again = await corpus("build", "study", "--json");
    const json = JSON.parse(again.stdout);
    expect(json).toMatchObject({ verdict: "complete", requests: 0, windows: { done: 12, total: 12 }, hits: rows });
    expect(json.searches.map(({ topic, windows, done }: Record<string, unknown>) => [topic, windows, done])).toEqual([
      ["environment", 6, 6],
      ["economy", 6, 6],
    ]);
    const refreshed = await corpus("refresh", "study", "--lag", "1w");
    expect(refreshed.stdout).toMatch(/^complete, 12 of 12 windows, 0 requests: nothing new\n/);
    const info = await corpus("info", "study");
    expect(info.stdout).toMatch(
      /^study: embedded archive [0-9a-f]{8}\n2 searches by month, 12 of 12 windows, fetched [-\d]{10} to [-\d]{10}\n/,
    );
    const { windows, hits: rowsOfHits } = JSON.parse((await corpus("info", "study", "--json")).stdout);
    expect([windows, rowsOfHits]).toEqual([{ done: 12, total: 12 }, rows]);
    expect(await corpus("verify", "study")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ok {2}\d+ files, \d+ mentions, \d+ hits\n$/),
    });
    const hits = toRecords(await (await openCorpus(join(root, "study"))).hits().collect());
    expect(hits).toHaveLength(rows);
    expect(built.stdout).toContain(`${hits.length} hits`);
  });

  it("exits with 75 while another run writes to the corpus: it is worth another try", async () => {
    const database = await Database.open(join(root, "study"));
    const busy = await corpus("build", "study");
    database.close();
    expect(busy).toMatchObject({ status: 75, stderr: expect.stringContaining("TARGET_BUSY") });
    expect(busy.stderr).toContain(`PID ${process.pid}`);
    expect((await corpus("build", "study")).status).toBe(0);
  });

  it("lists searches as given, whatever their ids and days", async () => {
    const given = ["zebra,2024-03-01", "budget,2024-01-01", "climate,2024-02-01", "alpha,2024-01-01"];
    writeFileSync(
      join(root, "ordered.csv"),
      ["query,mindate,maxdate", ...given.map((row) => `${row},2024-03-31`)].join("\n"),
    );
    const { stdout } = await corpus("build", "ordered", "ordered.csv", "--window", "month", "--json");
    const { searches } = JSON.parse(stdout) as { searches: Array<{ query: string; parameters: string }> };
    expect(searches.map(({ query, parameters }) => `${query},${JSON.parse(parameters).mindate}`)).toEqual(given);
  });

  it("hands a corpus on", async () => {
    expect(await corpus("export", "study", "study.zip", "--creator", "Doe, Jane", "Roe, R")).toMatchObject({
      status: 0,
      stdout: "study.zip\n",
    });
    expect((await corpus("export", "study", "copy.zip", "--title", "A study")).status).toBe(0);
    expect((await corpus("export", "study", "copy.zip")).stderr).toContain("copy.zip exists");
    expect((await corpus("export", "nothing", "x.zip")).stderr).toContain("There is no corpus");
  });

  it.each([
    [["build", "nothing"], /There is no corpus\. .*archive-frames corpus build nothing searches\.csv/],
    [["build", "nothing", "none.csv"], /"none\.csv"\. There is no such file/],
    [["build", "nothing", "searches.csv", "--window", "moth"], /choices are day, week, month, quarter, year, congress/],
    [["build", "nothing", "searches.csv", "--lookups", "persons"], /--lookups: invalid lookups: "persons".*"people"/],
    [["build", "nothing", "searches.csv", "--max-requests", "-1"], /whole number/],
    [["bild", "nothing"], /build/],
    [["verify", "nothing"], /There is no corpus/],
    [["refresh", "study", "--lag", "soon"], /--lag: invalid lag: "soon"\..*30d/],
  ])("refuses %j", async (args, message) => {
    expect(await corpus(...args)).toEqual(failedWith(message));
  });
});
