import { describe, expect, test } from "vitest";
import { ask, embeddedArchive, followCursor, type Query, type Row, rowsOf } from "./support.js";

const archive = await embeddedArchive({ size: 4_000 });

const mentions = async (query: Query): Promise<Row[]> =>
  (await followCursor(archive, "/mentions", "mentions", { limit: 1000, ...query })).rows;
const climate = await mentions({ query: "climate" });
const day = (row: Row): string => String(row.begintime).slice(0, 10);

describe("section 4.2: GET /mentions", () => {
  test("a row has the members of a mention, and the cursor stands before the rows", async () => {
    const { body } = await ask(archive, "/mentions", { query: "climate" });
    expect(Object.keys(body)).toEqual(["cursor", "mentions"]);
    const members =
      "begintime id link person programPublicId programTitle text length personid programid videoTypeId".split(" ");
    for (const row of climate) {
      expect(Object.keys(row)).toEqual("personid" in row ? members : members.filter((name) => name !== "personid"));
      expect(row.begintime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(row.id).toMatch(/^[0-9]+$/);
      expect(row.programPublicId).toMatch(/^[0-9]+-[0-9]$/);
      expect([row.length, row.programid, row.videoTypeId].every(Number.isInteger)).toBe(true);
    }
  });

  test("limit is 20 by default", async () => {
    expect(rowsOf((await ask(archive, "/mentions", { query: "climate" })).body, "mentions")).toEqual(
      climate.slice(0, 20),
    );
  });

  test("limit is respected up to 1000 and silently reduced above", async () => {
    const rows = async (limit: number) =>
      rowsOf((await ask(archive, "/mentions", { query: "i", limit })).body, "mentions").length;
    expect(await rows(1)).toBe(1);
    expect(await rows(999)).toBe(999);
    expect(await rows(1000)).toBe(1000);
    expect(await rows(1001)).toBe(1000);
    expect(await rows(100_000_000)).toBe(1000);
  });

  test("newest first, ties by id", () => {
    const keys = climate.map((row) => [Date.parse(String(row.begintime)), Number(row.id)] as const);
    for (const [index, [time, id]] of keys.entries()) {
      const [before, earlierId] = keys[index - 1] ?? [Number.POSITIVE_INFINITY, 0];
      expect(time < before || (time === before && id > earlierId)).toBe(true);
    }
  });

  test("unquoted words all match, in any order", async () => {
    const forth = await mentions({ query: "climate insurers" });
    expect(forth.length).toBeGreaterThan(0);
    expect(await mentions({ query: "INSURERS Climate" })).toEqual(forth);
    for (const row of forth) expect(row.text).toMatch(/(?=.*climate)(?=.*insurers)/is);
  });

  test("a quoted query matches as a phrase only", async () => {
    const phrase = await mentions({ query: '"climate change"' });
    const loose = await mentions({ query: "climate change" });
    expect(phrase.length).toBeGreaterThan(0);
    expect(phrase.length).toBeLessThanOrEqual(loose.length);
    for (const row of phrase) expect(row.text).toMatch(/climate\s+change/i);
    expect(await mentions({ query: '"change climate"' })).toEqual([]);
  });

  test.each([
    ['"H.R. 5376"', /\bH\.R\.\s?5,?376/i],
    ['"HR 5376"', /\bHR\s5376/i],
    ['"H R 5376"', /\bH\.?\sR\.?\s5376/i],
    ['"S. 2714"', /\bS[.\s]\s?2,?714/i],
  ])("the spoken forms of a number are distinct: %s", async (query, spoken) => {
    const rows = await mentions({ query });
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) expect(row.text).toMatch(spoken);
  });

  test("punctuation and case of a phrase are ignored", async () => {
    const rows = await mentions({ query: '"inflation reduction act"' });
    expect(await mentions({ query: '"Inflation, Reduction: ACT!"' })).toEqual(rows);
  });

  test("a query of punctuation only, or with unbalanced quotes, is accepted", async () => {
    expect((await ask(archive, "/mentions", { query: "!?" })).body.mentions).toBeUndefined();
    expect(await mentions({ query: '"climate' })).toEqual(climate);
  });

  test("personid keeps the rows of one speaker", async () => {
    const id = Number(climate.find((row) => row.personid !== undefined && row.personid !== 999999)?.personid);
    const rows = await mentions({ query: "climate", personid: id });
    expect(rows).toEqual(climate.filter((row) => row.personid === id));
    expect(rows.length).toBeGreaterThan(0);
    expect(await mentions({ query: "climate", personid: 1 })).toEqual([]);
  });

  test("personid takes the id of unidentified speakers, and a public id", async () => {
    const unidentified = await mentions({ query: "climate", personid: 999999 });
    expect(unidentified).toEqual(climate.filter((row) => row.personid === 999999));
    expect(unidentified.length).toBeGreaterThan(0);
    const spoken = await mentions({ query: "i", personid: 6153 });
    expect(spoken.length).toBeGreaterThan(0);
    expect(await mentions({ query: "i", personid: "mariapelosi6153" })).toEqual(spoken);
  });

  test("date keeps one whole UTC day", async () => {
    const busy = day(climate[3] ?? {});
    const rows = await mentions({ query: "climate", date: busy });
    expect(rows).toEqual(climate.filter((row) => day(row) === busy));
    expect(rows.length).toBeGreaterThan(0);
  });

  test("mindate and maxdate are whole days, both inclusive", async () => {
    const from = day(climate[300] ?? {});
    const to = day(climate[100] ?? {});
    expect(await mentions({ query: "climate", mindate: from })).toEqual(climate.filter((row) => day(row) >= from));
    expect(await mentions({ query: "climate", maxdate: to })).toEqual(climate.filter((row) => day(row) <= to));
    const between = await mentions({ query: "climate", mindate: from, maxdate: to });
    expect(between).toEqual(climate.filter((row) => day(row) >= from && day(row) <= to));
    expect(between.length).toBeGreaterThan(100);
    expect(await mentions({ query: "climate", mindate: to, maxdate: from })).toEqual(
      climate.filter((row) => day(row) === from && from === to),
    );
  });

  test("videotype takes a name in any letter case; the row carries the number only", async () => {
    const debates = await mentions({ query: "climate", videotype: "Debate" });
    expect(debates).toEqual(climate.filter((row) => row.videoTypeId === 18));
    expect(debates.length).toBeGreaterThan(20);
    expect(await mentions({ query: "climate", videotype: "dEBATE" })).toEqual(debates);
    expect(await mentions({ query: "climate", videotype: "18" })).toEqual([]);
    expect(await mentions({ query: "climate", videotype: "Opera" })).toEqual([]);
  });

  test("all filters hold together", async () => {
    const query = { query: "climate", videotype: "speech", mindate: "2020-01-01", maxdate: "2022-12-31" };
    const rows = await mentions(query);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows)
      expect(day(row) >= "2020-01-01" && day(row) <= "2022-12-31" && row.videoTypeId === 16).toBe(true);
  });
});
