import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CorpusSearches, cross, openCorpus, searchesOfBills } from "../../src/corpus/index.js";
import { pl, toRecords, valuesOf } from "../../src/index.js";
import { generatedClient } from "../embedded/support.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();
// With decoys.
const { archive } = await generatedClient({ size: 4000 });

const BILL = { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 };
const dates = { mindate: "2021-01-03", maxdate: "2023-01-02" };

describe("searchesOfBills", () => {
  it("are those of speechesOnBill, with the bill and the form as labels", async () => {
    const searches = await searchesOfBills([BILL]);
    expect(searches[0]).toEqual({
      query: '"Inflation Reduction Act"',
      videotype: "Speech",
      ...dates,
      bill: "Inflation Reduction Act, H.R. 5376, 117th Congress",
      form: "title",
    });
    const explained = archive.explainSpeechesOnBill(BILL);
    for (const { query } of searches) expect(explained).toContain(query);
  });

  it("name all the bills that share one, so that a corpus takes them", async () => {
    const again = { ...BILL, number: "S. 12" };
    const [shared, ...others] = await searchesOfBills([BILL, again], { videotypes: ["Debate"] });
    expect(shared?.bill).toBe(
      "Inflation Reduction Act, H.R. 5376, 117th Congress; Inflation Reduction Act, S. 12, 117th Congress",
    );
    const keys = [shared, ...others].map((search) => JSON.stringify({ ...search, bill: "", form: "" }));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("read types of bills as congress.gov and GovTrack spell them", async () => {
    // The spelling of a number only changes the query for what was typed.
    const typed: Record<string, string> = {
      hr: "H.R. 5376",
      house_bill: "H.R. 5376",
      S: "S. 5376",
      HJRES: "H.J. Res. 5376",
      sjres: "S.J. Res. 5376",
      hconres: "H. Con. Res. 5376",
      "s.con.res.": "S. Con. Res. 5376",
      hres: "H. Res. 5376",
      SRes: "S. Res. 5376",
    };
    for (const [type, number] of Object.entries(typed)) {
      const expected = await searchesOfBills([{ number, congress: 117 }]);
      for (const digits of type === "hr" ? ["5376", 5376, "05,376", number] : ["5376"])
        expect(await searchesOfBills([{ congress: 117, type, number: digits }])).toEqual(expected);
    }
    const path = join(root, "quoted.csv");
    writeFileSync(path, 'title,type,number,topic\r\nCHIPS Act,"","",""\r\n"",HR,5,""\r\n');
    expect(await searchesOfBills(path)).toEqual(await searchesOfBills([{ title: "CHIPS Act" }, { number: "H.R. 5" }]));
    const rows = [{ billtitle: null, billnumber: "5376", type: "hr", id: 7, link: "x" }];
    expect((await searchesOfBills(rows)).map(({ query }) => query)).toContain('"5376"');
    expect(await searchesOfBills([{ title: "CHIPS Act", type: "hr" }])).toEqual(
      await searchesOfBills([{ title: "CHIPS Act" }]),
    );
  });

  it("keep columns of one's own as labels, those of several bills in one search", async () => {
    const bills = [
      { ...BILL, topic: "climate", wave: 1, when: new Date("2024-01-02"), none: null },
      { ...BILL, number: "S. 12", topic: "health", wave: 1 },
    ];
    const [shared, ...others] = await searchesOfBills(bills, { videotypes: ["Debate"] });
    expect(shared).toMatchObject({ topic: "climate; health", wave: "1", when: "2024-01-02T00:00:00.000Z" });
    expect(
      others.filter(({ bill }) => bill === "Inflation Reduction Act, S. 12, 117th Congress").length,
    ).toBeGreaterThan(2);
    for (const { bill, topic, form } of others) {
      const topics = [String(bill).includes("5376") && "climate", String(bill).includes("S. 12") && "health"];
      expect([topic, form]).toEqual([topics.filter(Boolean).join("; "), expect.any(String)]);
    }
    expect(await searchesOfBills(pl.DataFrame({ number: ["H.R. 5"], topic: ["x"] }))).toEqual(
      await searchesOfBills([{ number: "H.R. 5", topic: "x" }]),
    );
    const corpus = await openCorpus(join(root, "labels"), {
      archive,
      searches: await searchesOfBills(bills),
      lookups: [],
    });
    const { searches: plan } = await corpus.plan({ maxRequests: 0 });
    expect(new Set(toRecords(plan).map(({ topic }) => topic))).toEqual(
      new Set(["climate", "health", "climate; health"]),
    );
  });

  it.each([
    [
      "number\n",
      /invalid bills: ".*"\. The file has no rows\. Add a line for each bill; below the header title,number,congress/,
    ],
    [
      "query,congress\nclimate,117\n",
      /It looks like a list of searches: it has the column query\. Give it to openCorpus as searches, or/,
    ],
    ["title,variants\nCHIPS Act,chips\n", /A cell cannot hold a list: leave the column variants out\./],
    ["title,topic\nCHIPS Act,x\n,y\n", /Give its title, its number or both.*This is bill 2 of the list: \{ .*'y'/],
    ["Title\nCHIPS Act\n", /invalid label: "Title"\. Did you mean title\?/],
    ["titel,number\nCHIPS Act,H.R. 5\n", /invalid label: "titel"\. Did you mean title\?/],
    [
      "title,videotype\nCHIPS Act,Speech\n",
      /invalid label: "videotype"\. The searches for bills have a column of this name/,
    ],
    ["title,form\nCHIPS Act,x\n", /invalid label: "form"\./],
    [
      "type,number\nbill,5\n",
      /invalid type: "bill"\. Give one of hr, s, hres, .*number with its prefix: "H\.R\. 5376"/,
    ],
    ["type,number\namendment,5\n", /invalid type: "amendment"/],
    ["type,number\ns,H.R. 5\n", /invalid type: "s"\. The number is "H\.R\. 5"\. Correct one of them/],
    ["type,number\nhr,5.0\n", /invalid number: "5\.0"\. Give digits/],
  ])("refuse a file with %j", async (text, message) => {
    const path = join(root, "refused.csv");
    writeFileSync(path, text);
    await expect(searchesOfBills(path)).rejects.toThrow(message);
  });

  it("are what a list of bills needs that is given as searches", async () => {
    const open = (searches: CorpusSearches) => openCorpus(join(root, "nothing"), { archive, searches });
    const path = join(root, "list of bills.csv");
    writeFileSync(path, "congress,type,number\n117,hr,5376\n");
    const asked = (given: string) => `no column query. Give searches: await searchesOfBills(${given}), or`;
    await expect(open(path)).rejects.toThrow(asked(JSON.stringify(path)));
    await expect(open((await archive.bills("climate")) as never)).rejects.toThrow(asked("bills"));
    await expect(open([{ Query: "climate", title: "x" } as never])).rejects.toThrow("Did you mean query?");
    writeFileSync(path, "query,topic\n");
    await expect(open(path)).rejects.toThrow(/list of bills\.csv"\. The file has no rows\. Add a line for each search/);
  });

  it.each([
    [[{}], /bill/],
    [[{ title: "Inflation Reduction Act", numbr: 1 }], /numbr/],
    ["H.R. 5376", /invalid bills: "H\.R\. 5376"\. There is no such file\. .*a list, for example \[\{ number/],
    [["H.R. 5376"], /bills\[0\]/],
  ])("refuse %j", async (bills, message) => {
    await expect(searchesOfBills(bills as never)).rejects.toThrow(message);
  });
});

describe("corpus.speechesOnBills", () => {
  it("finds what speechesOnBill finds, and says why the rest is not on the bill", async () => {
    const options = { videotypes: ["Speech"] };
    const corpus = await openCorpus(join(root, "bills"), {
      archive,
      searches: await searchesOfBills([BILL], options),
      lookups: [],
    });
    await corpus.build();
    const judged = await corpus.speechesOnBills([BILL], options);
    const ids = (frame: object) => toRecords(frame).map(({ id }) => String(id));
    const expected = await archive.speechesOnBill(BILL, { ...options, chamber: "any", allowUnresolved: true });
    const on = judged.filter(pl.col("on_bill"));
    expect(new Set(ids(on))).toEqual(new Set(ids(expected)));
    expect(on.height).toBeGreaterThan(20);
    const byId = new Map(toRecords(expected).map((row) => [String(row.id), row]));
    for (const { id, matched_by, confidence } of toRecords(on))
      expect({ matched_by, confidence }).toEqual({
        matched_by: byId.get(String(id))?.matched_by,
        confidence: byId.get(String(id))?.confidence,
      });
    const off = toRecords(judged.filter(pl.col("on_bill").not()));
    expect(off.length).toBeGreaterThan(0);
    expect(off.every(({ conflicts, confidence }) => conflicts !== null && Number(confidence) < 0.5)).toBe(true);
    const strict = await corpus.speechesOnBills([BILL], { ...options, minConfidence: 1 });
    expect(strict.filter(pl.col("on_bill")).height).toBeLessThan(on.height);
    await expect(corpus.speechesOnBills([BILL])).rejects.toThrow(/does not have all searches for this bill/);
  });
});

describe("cross", () => {
  it("takes the ids of people", async () => {
    const [id] = valuesOf(await archive.people({ last: "Pelosi" }), "id") as [number];
    const searches = cross({ query: ["budget", "climate"], congress: 117, personid: [id] });
    const corpus = await openCorpus(join(root, "people"), { archive, searches, lookups: [] });
    await corpus.build();
    const found = toRecords(await corpus.mentions().collect());
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ personid }) => personid === id)).toBe(true);
  });
});
