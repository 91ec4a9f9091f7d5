import { afterEach, beforeEach, expect, it } from "vitest";
import { type ArchiveClient, openArchive, provenanceOf, toRecords } from "../../src/index.js";
import { runProcess } from "../runProcess.js";

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
  [
    "an unknown type",
    '"Speach" is not a known video type. Did you mean "Speech"?',
    (a) => a.mentions("climate", { videotype: "Speach" }),
  ],
  [
    "one without a neighbour",
    "Known types are Speech, Debate",
    (a) => a.mentions("climate", { videotype: "Xylophone" }),
  ],
  ["in a count", 'Did you mean "Debate"?', (a) => a.count("mentions", "budget", { videotype: "Debatte" })],
  ["in a sample", 'Did you mean "Speech"?', (a) => a.sample("mentions", "energy", { rows: 5, videotype: "Speeches" })],
  ["in a scan", 'Did you mean "Forum"?', (a) => a.scan.mentions("climate", { videotype: "Forums" }).collect()],
  [
    "in speeches, beside a type that has some",
    'Did you mean "Debate"?',
    (a) => a.speechesOnBill({ title: "Inflation Reduction Act", videotypes: ["Speech", "Debates"] }),
  ],
  ["a name for an id", 'archive.people("Nancy Pelosi")', (a) => a.mentions("climate", { personid: "Pelosi, Nancy" })],
  ["a last name for an id", 'archive.people("Pelosi")', (a) => a.mentions("climate", { personid: "Pelosi" })],
  ["a name in a lookup", 'archive.people("Bernie Sanders")', (a) => a.person("Bernie Sanders")],
  [
    "a name with a comma",
    'Search for the name as it is spoken: archive.people("Nancy Xelosi").',
    (a) => a.people("Xelosi, Nancy"),
  ],
  [
    "names the wrong way round",
    'archive.people({ first: "Nancy", last: "Xelosi" })',
    (a) => a.people({ first: "Xelosi", last: "Nancy" }),
  ],
  ["a whole name as last name", 'archive.people({ last: "Xelosi" })', (a) => a.people({ last: "Nancy Xelosi" })],
  ["operators", 'people take a name or a title, not "OR"', (a) => a.people("Xelosi OR Yanders")],
  ["the future", "2999-01-01 is in the future", (a) => a.mentions("climate", { mindate: "2999-01-01" })],
  ["the past", "1970-01-01 is before 1979-03-19", (a) => a.mentions("climate", { maxdate: "1970-01-01" })],
  [
    "a day outside",
    "date 2024-01-01 is not between",
    (a) => a.mentions("zyzzyvo", { date: "2024-01-01", mindate: "2024-02-01" }),
  ],
])("says why nothing was found: %s", async (_, why, call) => {
  await using archive = await openArchive({ announce: false });
  await call(archive);
  await emitted();
  expect(warnings).toEqual([expect.stringContaining(why)]);
});

it("says why nothing was found for an id of nobody, once for all ids", async () => {
  // In a process of its own: other tests ask for nobody, too.
  const script = `
    import { openArchive } from "${new URL("../../dist/index.js", import.meta.url)}";
    const archive = await openArchive({ announce: false });
    for (const personid of [123456789, 123456788]) await archive.mentions("climate", { personid });
    await archive.close();`;
  const { status, stderr } = await runProcess(process.execPath, ["--input-type=module", "--eval", script]);
  expect([status, stderr.match(/check who has this personid/g)?.length]).toEqual([0, 1]);
});

it("says nothing where nothing is wrong, or a later page is empty", async () => {
  await using archive = await openArchive({ announce: false });
  await archive.mentions("zyzzyvaz");
  await archive.mentions("climate", { page: 9999, videotype: "Speech", personid: "x y" });
  await archive.people("Zyzzyva");
  await archive.person(999999999);
  await archive.mentions("climate", { videotype: "Speach", maxItems: 0 });
  await emitted();
  expect(warnings).toEqual([]);
});

it("takes all rows for maxItems: Infinity, and sorts a scan by several names", async () => {
  await using archive = await openArchive({ announce: false });
  const given = { mindate: "2024-03-01", maxdate: "2024-03-31" };
  const all = await archive.mentions("climate", { ...given, maxItems: Number.POSITIVE_INFINITY });
  expect(provenanceOf(all)?.verdict).toBe("complete");
  const scan = archive.scan.mentions("climate", given);
  const sorted = await scan.sort("person", "begintime").collect({ maxItems: Number.POSITIVE_INFINITY });
  expect(toRecords(sorted)).toEqual(toRecords(await scan.sort(["person", "begintime"]).collect()));
  expect(sorted.height).toBe(all.height);
});
