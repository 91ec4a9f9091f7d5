import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCorpus, searchesOfBills, searchesOfPeople } from "../../src/corpus/index.js";
import { type ArchiveClient, openArchive, pl, toRecords } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();
let archive: ArchiveClient;
beforeAll(async () => {
  archive = await openArchive({ announce: false, embedded: { size: 4000 } });
});
afterAll(() => archive.close());

const BILL = { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 };
const dates = { mindate: "2021-01-03", maxdate: "2023-01-03" };

describe("searchesOfBills", () => {
  it("are those of speechesOnBill, with the bill and the form as labels", () => {
    const searches = searchesOfBills([BILL]);
    expect(searches[0]).toEqual({
      query: '"Inflation Reduction Act"',
      videotype: "Speech",
      ...dates,
      bill: "Inflation Reduction Act, H.R. 5376, 117th Congress",
      form: "title",
    });
    const explained = archive.explainSpeechesOnBill(BILL);
    for (const { query } of searches) expect(explained).toContain(query);
    expect(searches).toHaveLength(2 * (explained.match(/requests or more/g) ?? []).length);
  });

  it("name all the bills that share one, so that a corpus takes them", () => {
    const again = { ...BILL, number: "S. 12" };
    const [shared, ...others] = searchesOfBills([BILL, again], { videotypes: ["Debate"] });
    expect(shared?.bill).toBe(
      "Inflation Reduction Act, H.R. 5376, 117th Congress; Inflation Reduction Act, S. 12, 117th Congress",
    );
    const keys = [shared, ...others].map((search) => JSON.stringify({ ...search, bill: "", form: "" }));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each([
    [[{}], /bill/],
    [[{ title: "Inflation Reduction Act", numbr: 1 }], /numbr/],
    ["H.R. 5376", /invalid bills: "H\.R\. 5376"\. There is no such file\. .*a list, for example \[\{ number/],
    [["H.R. 5376"], /bills\[0\]/],
  ])("refuse %j", (bills, message) => {
    expect(() => searchesOfBills(bills as never)).toThrow(message);
  });
});

describe("corpus.speechesOnBills", () => {
  it("finds what speechesOnBill finds, and says why the rest is not on the bill", async () => {
    const options = { videotypes: ["Speech"] };
    const corpus = await openCorpus(join(root, "bills"), {
      archive,
      searches: searchesOfBills([BILL], options),
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

describe("searchesOfPeople", () => {
  it("are every combination of a person and the values", async () => {
    const people = await archive.people({ last: "Pelosi" });
    const [{ id, name }] = toRecords(people) as [{ id: number; name: string }];
    const searches = searchesOfPeople(people, { query: ["budget", "climate"], congress: 117 });
    expect(searches).toEqual(
      ["budget", "climate"].map((query) => ({ query, congress: 117, personid: id, speaker: name })),
    );
    expect(searchesOfPeople([id, String(id), 5], { query: "budget" })).toEqual([
      { query: "budget", personid: String(id) },
      { query: "budget", personid: 5 },
    ]);
    const corpus = await openCorpus(join(root, "people"), { archive, searches, lookups: [] });
    await corpus.build();
    const found = toRecords(await corpus.mentions().collect());
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ personid }) => personid === id)).toBe(true);
  });

  it.each([[[]], [[{}]], [[null]], [[1.5]], [""]])("refuses %j", (people) => {
    expect(() => searchesOfPeople(people as never, { query: "budget" })).toThrow(/invalid people/);
  });
});
