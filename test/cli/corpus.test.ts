import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCorpus, searchesOfBills } from "../../src/corpus/index.js";
import { Database } from "../../src/corpus/state/database.js";
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
    const plan = await corpus("plan", "study", "searches.csv", "--window", "month");
    expect(plan).toMatchObject({ status: 0 });
    const planned = plan.stdout.split("\n");
    expect(planned[0]).toMatch(/^search +windows +done +counted$/);
    expect(planned[1]).toMatch(/^"climate" Speech 2024-01-01 2024-06-30 +6 +0 +\d$/);
    expect(planned[2]).toMatch(/^budget 2024-01-01 2024-06-30 +6 +0 +\d$/);
    expect(planned[4]).toMatch(
      /^\d+ rows in 12 windows: (?:about )?\d+ .*requests, \d+ of them lookups, [\d.]+ minutes at the rate of the plan$/,
    );
    const quota = JSON.parse((await corpus("plan", "study", "--quota", "60/h", "--exact", "--json")).stdout);
    expect(quota).toMatchObject({ windows: 12, counted: 12, minutes: quota.requests });

    const capped = await corpus("build", "study", "--max-requests", "5");
    expect(capped.status).toBe(0);
    expect(capped.stdout).toMatch(/\ncapped by maxRequests, \d+ of 12 windows, 5 requests: /);
    expect(capped.stdout).toMatch(/\nTo continue, type: archive-frames corpus build study --max-requests 5\n$/);

    const built = await corpus("build", "study");
    expect(built.status).toBe(0);
    expect(built.stdout).toMatch(/\ncomplete, 12 of 12 windows, \d+ requests?: /);
    expect(built.stderr).toMatch(/^archive-frames: using the embedded archive[^\n]*\n/);

    await using archive = await openArchive({ announce: false });
    const days = { mindate: "2024-01-01", maxdate: "2024-06-30" };
    let rows = 0;
    for (const search of [{ query: '"climate"', videotype: "Speech" }, { query: "budget" }])
      for await (const _row of archive.iterRecords("mentions", { ...search, ...days })) rows++;
    const again = await corpus("build", "study", "--json");
    const json = JSON.parse(again.stdout);
    expect(json).toMatchObject({ verdict: "complete", requests: 0, windows: { done: 12, total: 12 }, hits: rows });
    expect(json.searches).toHaveLength(12);
    expect(json.searches[0]).toMatchObject({ span: "2024-01", topic: "environment", mindate: "2024-01-01" });
    const refreshed = await corpus("refresh", "study", "--lag", "1w");
    expect(refreshed.stdout).toMatch(/\ncomplete, 12 of 12 windows, 0 requests: nothing new\n/);
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
    const changes = (await corpus("changes", "study", "--since", "0")).stdout.trimEnd().split("\n");
    const { mentions } = JSON.parse((await corpus("info", "study", "--json")).stdout);
    expect(changes.map((line) => JSON.parse(line).change)).toEqual(Array(mentions).fill("added"));
    const hits = toRecords(await (await openCorpus(join(root, "study"))).hits().collect());
    expect(hits).toHaveLength(rows);
    expect(built.stdout).toContain(`${hits.length} hits`);
  });

  it("exits with 75 while another run writes to the corpus: it is worth another try", async () => {
    const database = await Database.open(join(root, "study"));
    const busy = await corpus("build", "study");
    writeFileSync(join(root, "more.csv"), "query,mindate\nfarm,2024-01-01\n");
    const more = await corpus("build", "study", "more.csv", "--json");
    database.close();
    expect([more.status, JSON.parse(more.stdout)]).toMatchObject([75, { reason: "TARGET_BUSY", searches: 2 }]);
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
    const order = ({ stdout }: { stdout: string }) =>
      stdout.match(/^\w+ \d{4}-\d\d-\d\d/gm)?.map((row) => row.replace(" ", ","));
    expect(order(await corpus("plan", "ordered", "ordered.csv", "--window", "month", "--no-lookups"))).toEqual(given);
    expect(order(await corpus("build", "ordered"))).toEqual(given);
    expect(order(await corpus("info", "ordered"))).toEqual(given);
  });

  it("plans the searches for bills in a CSV file", async () => {
    const bills = [{ title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }];
    writeFileSync(join(root, "bills.csv"), "title,number,congress\nInflation Reduction Act,H.R. 5376,117\n");
    const planned = await corpus("plan", "bills", "--bills", "bills.csv", "--max-requests", "1", "--json");
    const searches = await searchesOfBills(bills);
    const texts = (of: readonly Record<string, unknown>[]) =>
      of.map(({ bill, form, query }) => JSON.stringify({ bill, form, query })).sort();
    expect(searches.length).toBeGreaterThan(5);
    expect(texts(JSON.parse(planned.stdout).searches)).toEqual(texts(searches as never));
  });

  it("runs the commands of its README", async () => {
    const readme = readFileSync(new URL("../../src/corpus/README.md", import.meta.url), "utf8");
    const [, script = ""] = /```sh\n(.*?)```/s.exec(readme) ?? [];
    const [, csv = ""] = /^printf '(.*)' > bills\.csv$/m.exec(script) ?? [];
    const folder = join(root, "readme");
    mkdirSync(folder);
    writeFileSync(join(folder, "bills.csv"), csv.replaceAll("\\n", "\n"));
    const commands = [...script.matchAll(/^npx archive-frames (.*)$/gm)].map(([, line]) => String(line).split(" "));
    expect(commands).toHaveLength(2);
    for (const args of commands) expect(await callCommand(folder, args)).toMatchObject({ status: 0 });
    const found = toRecords(await (await openCorpus(join(folder, "bills"))).searches());
    expect(new Set(found.map(({ topic }) => topic))).toEqual(new Set(["climate", "water"]));
    expect(found.reduce((sum, { rows }) => sum + Number(rows), 0)).toBeGreaterThan(100);
  });

  it("hands a corpus on, and builds it again from its ids", async () => {
    expect(await corpus("export", "study", "study.zip", "--zenodo", "--creator", "Doe, Jane", "Roe, R")).toMatchObject({
      status: 0,
      stdout: "study.zip\n",
    });
    expect(readFileSync(join(root, "study.zip")).includes(".zenodo.json")).toBe(true);
    expect((await corpus("export", "study", "ids", "--ids-only", "--title", "A study")).status).toBe(0);
    expect(readFileSync(join(root, "ids", "CITATION.cff"), "utf8")).toContain('title: "A study"');
    const capped = await corpus("hydrate", "ids", "again", "--max-requests", "2");
    expect(capped.stdout).toMatch(
      /\nTo continue, type: archive-frames corpus hydrate ids again --max-requests 2\n.*is compared/,
    );
    const { stdout } = await corpus("hydrate", "ids", "again");
    expect(stdout).toMatch(
      /\n(\d+) of \1 mentions of the export are the same \(100\.0%\), 0 changed, 0 vanished; 0 added since\n$/,
    );
    const { fidelity } = JSON.parse((await corpus("hydrate", "ids", "again", "--json")).stdout);
    expect(fidelity).toMatchObject({ changed: 0, differences: [] });
    expect((await corpus("hydrate", "study", "other")).stderr).toContain("It has its text");
    expect((await corpus("export", "study", "ids")).stderr).toContain("ids exists");
    expect((await corpus("export", "nothing", "x")).stderr).toContain("There is no corpus");
  });

  it.each([
    [["build", "nothing"], /There is no corpus\. .*archive-frames corpus build nothing searches\.csv/],
    [["build", "nothing", "none.csv"], /"none\.csv"\. There is no such file/],
    [["build", "nothing", "searches.csv", "--bills", "bills.csv"], /Give either a file of searches or --bills/],
    [["plan", "nothing", "--bills", "none.csv"], /invalid --bills none\.csv\. There is no such file/],
    [
      ["plan", "nothing", "bills.csv"],
      /invalid searches: "bills\.csv"\. It looks like a list of bills: .*, or --bills on the command line\./,
    ],
    [
      ["plan", "nothing", "--bills", "searches.csv"],
      /invalid --bills searches\.csv\. .*the column query\. Give it to openCorpus as searches, or leave out --bills on the command line\./,
    ],
    [["build", "nothing", "searches.csv", "--window", "moth"], /choices are day, week, month, quarter, year, congress/],
    [["build", "nothing", "searches.csv", "--lookups", "persons"], /invalid --lookups persons.*"people"/],
    [["build", "nothing", "searches.csv", "--max-requests", "-1"], /whole number/],
    [["bild", "nothing"], /build/],
    [["verify", "nothing"], /There is no corpus/],
    [["refresh", "study", "--lag", "soon"], /invalid --lag soon\..* --lag 30d or --lag 6w/],
  ])("refuses %j", async (args, message) => {
    expect(await corpus(...args)).toEqual(failedWith(message));
  });
});
