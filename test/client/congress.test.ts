import { join } from "node:path";
import { expect, it } from "vitest";
import { type ArchiveClient, ValidationError, where } from "../../src/index.js";
import { callCommand } from "../cli/callCommand.js";
import { temporaryFolder } from "../files/temporary.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { mention, queryOf, served } from "./clientTo.js";

const root = temporaryFolder();
const DATES = { mindate: "2021-01-03", maxdate: "2023-01-02" };

/** A service with three mentions in every search. */
function startThree() {
  return startScriptedServer((request) => {
    const { cursor } = queryOf(request);
    return { body: { cursor: "3", ...(cursor === undefined && { mentions: [1, 2, 3].map((id) => mention(id)) }) } };
  });
}

type Days = { congress: number | string } | typeof DATES;

/** Everything that searches mentions. */
const CALLS: Readonly<Record<string, (archive: ArchiveClient, days: Days) => unknown>> = {
  mentions: (archive, days) => archive.mentions("x", { ...days, videotype: "Speech" }),
  "mentions of several pages": (archive, days) => archive.mentions("x", { ...days, maxItems: 9 }),
  scan: (archive, days) => archive.scan.mentions("x", days).collect(),
  "scan with a pushed day": (archive, days) =>
    archive.scan
      .mentions("x", days)
      .filter(where({ begintime: { from: "2022-05-02" } }))
      .collect(),
  count: (archive, days) => archive.count("mentions", "x", days),
  "count by month": (archive, days) => archive.count("mentions", "x", { ...days, by: "month" }),
  sample: (archive, days) => archive.sample("mentions", "x", { ...days, rows: 2 }),
  iterRecords: async (archive, days) => {
    for await (const row of archive.iterRecords("mentions", { query: "x", ...days })) expect(row.id).toBeDefined();
  },
  save: (archive, days) =>
    archive.save("mentions", join(root, "x.csv"), { query: "x", ...days, resume: false, dataPackage: false }),
};

it.each(Object.entries(CALLS))("%s with a Congress sends its first and last day", async (_name, call) => {
  const urls = [];
  for (const days of [{ congress: 117 }, { congress: "117th" }, DATES]) {
    const { server, archive } = await served(startThree(), { concurrency: 1 });
    await call(archive, days);
    urls.push(server.requests.map(({ url }) => url));
  }
  expect(urls[0]?.length).toBeGreaterThan(0);
  expect(urls[0]?.join()).toContain("maxdate=2023-01-02&mindate=202");
  expect(urls[0]).toEqual(urls[2]);
  expect(urls[1]).toEqual(urls[2]);
});

it("the command line has it", async () => {
  const { stdout } = await callCommand(root, ["count", "mentions", "climate", "--congress", "117", "--by", "year"]);
  expect(stdout.split("\n").map((line) => line.trim().split(/\s+/)[0])).toEqual(["year", "2021", "2022", "2023", ""]);
  const refused = await callCommand(root, ["count", "bills", "climate", "--congress", "117"]);
  expect(refused.stderr).toContain('--congress: invalid option of bills: "congress"');
});

it("excludes other days, and is a Congress", async () => {
  const { server, archive } = await served(startThree());
  const refused = async (options: object) => {
    const message = (error: unknown) => (error instanceof ValidationError ? error.message : String(error));
    return archive.mentions("x", options).then(() => "accepted", message);
  };
  expect(await refused({ congress: 117, date: "2022-01-01" })).toBe(
    "invalid congress: 117. Give either congress or date.",
  );
  expect(await refused({ congress: 117, maxdate: "2022-01-01" })).toBe(
    "invalid congress: 117. Give either congress or mindate and maxdate.",
  );
  expect(await refused({ congress: "117rd" })).toBe(
    'invalid congress: "117rd". Give a number from 1 to 200 or its ordinal, for example congress: 117 or congress: "117th".',
  );
  expect(() => archive.scan.mentions("x", { congress: 117, mindate: "2022-01-01" }).explain()).toThrow(
    "invalid congress: 117. Give either congress or mindate and maxdate.",
  );
  expect(server.requests).toEqual([]);
});
