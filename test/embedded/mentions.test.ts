import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VIDEO_TYPES } from "../../src/util/videoTypes.js";
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

  test("filters keep the rows that satisfy all of them; dates are whole UTC days, both ends inclusive", async () => {
    const accepts = {
      personid: (row: Row, value: unknown) => row.personid === value,
      date: (row: Row, value: string) => day(row) === value,
      mindate: (row: Row, value: string) => day(row) >= value,
      maxdate: (row: Row, value: string) => day(row) <= value,
      videotype: (row: Row, value: string) => row.videoTypeId === VIDEO_TYPES[value as keyof typeof VIDEO_TYPES],
    };
    const valuesOf = (row: Row, last: Row): Record<keyof typeof accepts, string | number> => ({
      ...{ personid: Number(row.personid ?? 1), date: day(row), mindate: day(row), maxdate: day(last) },
      videotype: Object.entries(VIDEO_TYPES).find(([, id]) => id === row.videoTypeId)?.[0] ?? "",
    });
    const names = Object.keys(accepts) as Array<keyof typeof accepts>;
    const row = fc.constantFrom(...climate);
    const unidentified = climate.find(({ personid }) => personid === 999999) as Row;
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), row, row, async (used, first, last) => {
        const given = Object.fromEntries(used.map((name) => [name, valuesOf(first, last)[name]]));
        const holds = (each: Row) => used.every((name) => accepts[name](each, given[name] as never));
        const expected = climate.filter(holds);
        expect(await mentions({ query: "climate", ...given })).toEqual(expected);
        found += Math.min(1, expected.length);
      }),
      { numRuns: 60, examples: [[["personid"], unidentified, unidentified]] },
    );
    expect(found).toBeGreaterThan(20);
  });

  test("personid takes a public id", async () => {
    const spoken = await mentions({ query: "i", personid: 6153 });
    expect(spoken.length).toBeGreaterThan(0);
    expect(await mentions({ query: "i", personid: "mariapelosi6153" })).toEqual(spoken);
  });

  test("videotype takes a name in any letter case; the row carries the number only", async () => {
    const debates = await mentions({ query: "climate", videotype: "Debate" });
    expect(debates.length).toBeGreaterThan(20);
    expect(await mentions({ query: "climate", videotype: "dEBATE" })).toEqual(debates);
    expect(await mentions({ query: "climate", videotype: "18" })).toEqual([]);
    expect(await mentions({ query: "climate", videotype: "Opera" })).toEqual([]);
  });
});
