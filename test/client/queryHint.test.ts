import { afterEach, beforeEach, expect, it } from "vitest";
import { type ArchiveClient, openArchive } from "../../src/index.js";

let warnings: string[] = [];
const listen = (warning: Error) => void warnings.push(warning.message);
beforeEach(() => {
  warnings = [];
  process.on("warning", listen);
});
afterEach(() => void process.off("warning", listen));
const emitted = () => new Promise((resolve) => setImmediate(resolve));

it("says why a search with operators found nothing, once", async () => {
  await using archive = await openArchive({ announce: false });
  for (const query of ["zyzzy AND climate", "zyzzy AND climate", "zyzzyva*", "zyzzyva"]) {
    expect((await archive.mentions(query, { maxItems: 5 })).height).toBe(0);
  }
  await archive.bills("zyzzy AND climate");
  await archive.programsSearch("zyzzy AND climate");
  await emitted();
  expect(warnings.map((text) => text.split(". ")[0])).toEqual([
    'No mention was found for "zyzzy AND climate": mentions take a word or a phrase, not "AND"',
    'No mention was found for "zyzzyva*": mentions take a word or a phrase, not "*"',
    'No bill was found for "zyzzy AND climate": bills take a word or a phrase, not "AND"',
  ]);
});

type Call = (archive: ArchiveClient) => Promise<unknown>;

it.each<[string, string, Call]>([
  ["operators", 'people take a name or a title, not "OR"', (a) => a.people("Xelosi OR Yanders")],
  ["a name for an id", 'archive.people("Pelosi, Nancy")', (a) => a.mentions("climate", { personid: "Pelosi, Nancy" })],
  ["a name in a lookup", 'archive.people("Bernie Sanders")', (a) => a.person("Bernie Sanders")],
  ["in a count", 'archive.people("Pelosi")', (a) => a.count("mentions", "budget", { personid: "Pelosi" })],
  ["in a sample", 'archive.people("Ted Xuz")', (a) => a.sample("mentions", "energy", { rows: 5, personid: "Ted Xuz" })],
  ["in a scan", 'archive.people("Ann Yu")', (a) => a.scan.mentions("tax", { personid: "Ann Yu" }).collect()],
  ["the future", "2999-01-01 is in the future", (a) => a.mentions("climate", { mindate: "2999-01-01" })],
  ["the past", "1970-01-01 is before 1979-03-19", (a) => a.mentions("climate", { maxdate: "1970-01-01" })],
])("says why nothing was found: %s", async (_, why, call) => {
  await using archive = await openArchive({ announce: false });
  await call(archive);
  await emitted();
  expect(warnings).toEqual([expect.stringContaining(why)]);
});

it("says nothing where nothing is wrong, or a later page is empty", async () => {
  await using archive = await openArchive({ announce: false });
  await archive.mentions("zyzzyvaz");
  await archive.mentions("climate", { page: 9999, personid: "x y" });
  await archive.people("Zyzzyva");
  await archive.person(999999999);
  await archive.mentions("climate", { personid: "x y", maxItems: 0 });
  await archive.count("mentions", "zyzzyvax", { mindate: "2999-01-01", maxdate: "2999-12-31", by: "month" });
  await emitted();
  expect(warnings).toEqual([]);
});
