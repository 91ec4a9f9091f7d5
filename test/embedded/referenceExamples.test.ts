import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedArchive, startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, type Row } from "../../src/index.js";

// What notebooks for the reference client typically ask for. Each finds something in the default corpus.

let server: EmbeddedArchive;
let archive: ArchiveClient<"records">;
beforeAll(async () => {
  server = await startEmbeddedArchive();
  archive = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl, outputFormat: "records" });
});
afterAll(async () => {
  await archive?.close();
  await server?.close();
});

const within = (rows: readonly Row[], mindate: string, maxdate: string) =>
  rows.every(({ begintime }) => {
    const day = String(begintime).slice(0, 10);
    return day >= mindate && day <= maxdate;
  });

describe("bills", () => {
  it.each(["infrastructure", "budget", "climate", "Inflation Reduction Act"])("%s", async (query) => {
    const rows = await archive.bills(query);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(String(row.billtitle).toLowerCase()).toContain(query.toLowerCase());
  });
});

describe("mentions", () => {
  it.each([
    "climate change",
    '"climate change"',
    "artificial intelligence",
    "inflation",
    "infrastructure",
    "health care",
  ])("%s", async (query) => {
    expect((await archive.mentions(query)).length).toBe(20);
  });

  it.each([
    ["Speech", 16],
    ["Debate", 18],
  ])("climate change, videotype %s, in all ways of giving dates", async (videotype, videoTypeId) => {
    const find = async (dates: { date?: string; mindate?: string; maxdate?: string }) => {
      const rows = await archive.mentions("climate change", { videotype, limit: 50, maxItems: 50, ...dates });
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every((row) => row.videoTypeId === videoTypeId)).toBe(true);
      return rows;
    };
    await find({});
    expect(within(await find({ mindate: "2024-01-01" }), "2024-01-01", "9999-12-31")).toBe(true);
    expect(within(await find({ maxdate: "2020-12-31" }), "0000-01-01", "2020-12-31")).toBe(true);
    expect(within(await find({ mindate: "2023-01-01", maxdate: "2023-12-31" }), "2023-01-01", "2023-12-31")).toBe(true);
    const [newest] = await find({});
    const date = String(newest?.begintime).slice(0, 10);
    expect(within(await find({ date }), date, date)).toBe(true);
  });
});

describe("programs", () => {
  it.each([
    ["text:climate AND category:Senate", undefined],
    ["text:climate AND category:Senate", "date desc"],
    ['subject:"Climate Change"', "popular desc"],
    ['subject:"climate change" AND category:Senate', undefined],
    ["text:infrastructure", "date desc"],
    ["person:Pelosi", "date asc"],
    ["personid:6153", "popular desc"],
  ] as const)("%s, sort %s", async (query, sort) => {
    expect((await archive.programsSearch(query, { sort })).length).toBe(20);
  });

  it("Climate Change and Climate and Environment are the same subject", async () => {
    const ids = async (subject: string) =>
      (await archive.programsSearch(`subject:"${subject}"`, { maxItems: 5_000 })).map(({ id }) => id);
    expect(await ids("Climate Change")).toEqual(await ids("Climate and Environment"));
  });
});
