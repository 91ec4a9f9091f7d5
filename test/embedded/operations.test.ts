import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VIDEO_TYPES } from "../tools/corpus/videoTypes.js";
import { embeddedCollection, type Program } from "../tools/embedded.js";
import { startEmbeddedArchive, startGeneratedArchive } from "../tools/startGenerated.js";
import { ask, column, embeddedArchive, followCursor, type Query, type Row, rowsOf } from "./support.js";

const archive = await embeddedArchive();

const mentions = async (query: Query): Promise<Row[]> =>
  (await followCursor(archive, "/mentions", "mentions", { limit: 1000, ...query })).rows;
const people = async (query: Query): Promise<Row[]> => (await followCursor(archive, "/people", "people", query)).rows;
const programs = async (query: string, sort?: string): Promise<Row[]> =>
  (await followCursor(archive, "/programs/search", "programs", sort ? { query, sort } : { query })).rows;
const day = (row: Row): string => String(row.begintime ?? row.date).slice(0, 10);

const insurers = await mentions({ query: "climate insurers" });

describe("GET /bills", () => {
  test.each([
    ['"Inflation Reduction Act"', "5376"],
    ["reduction inflation", "5376"],
    ['"infrastructure investment and jobs"', "3684"],
    ["H.R. 5376", "5376"],
    ['"H R 5376"', "5376"],
    ["5376", "5376"],
    ['"S. 2714"', "2714"],
  ])("%s finds bill %s", async (query, number) => {
    expect(column(rowsOf((await ask(archive, "/bills", { query })).body, "bills"), "billnumber")).toContain(number);
  });

  test("titles of the 115th to the 117th Congress have lost every v, x, y and z, and are found by the whole title", async () => {
    const { rows } = await followCursor(archive, "/bills", "bills", { query: "Modernization" });
    const damaged = rows.filter(({ congress }) => Number(congress) >= 115 && Number(congress) <= 117);
    expect(damaged.length).toBeGreaterThan(0);
    for (const { billtitle } of damaged) expect(billtitle).toMatch(/^(?=.*Moderni ation)[^vxyz]*$/);
    for (const row of rows) if (!damaged.includes(row)) expect(row.billtitle).toContain("Modernization");
  });
});

describe("GET /mentions", () => {
  test("has the members of a mention, after the cursor", async () => {
    const members =
      "begintime id link person programPublicId programTitle text length personid programid videoTypeId".split(" ");
    expect(Object.keys((await ask(archive, "/mentions", { query: "climate" })).body)).toEqual(["cursor", "mentions"]);
    for (const row of await mentions({ query: "budget", mindate: "2024-01-01" })) {
      expect(Object.keys(row)).toEqual("personid" in row ? members : members.filter((name) => name !== "personid"));
      expect(row.begintime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(row.id).toMatch(/^[0-9]+$/);
      expect(row.programPublicId).toMatch(/^[0-9]+-[0-9]$/);
      expect([row.length, row.programid, row.videoTypeId].every(Number.isInteger)).toBe(true);
    }
  });

  test("unquoted words all match, in any order; quoted ones as a phrase", async () => {
    expect(insurers.length).toBeGreaterThan(50);
    expect(await mentions({ query: "INSURERS Climate" })).toEqual(insurers);
    for (const row of insurers) expect(row.text).toMatch(/(?=.*climate)(?=.*insurers)/is);
    const phrase = await mentions({ query: '"climate change"' });
    expect(phrase.length).toBeGreaterThan(100);
    for (const row of phrase) expect(row.text).toMatch(/climate\s+change/i);
    expect(await mentions({ query: '"change climate"' })).toEqual([]);
    expect(await mentions({ query: '"Climate, CHANGE!"' })).toEqual(phrase);
  });

  test.each([
    ['"H.R. 5376"', /\bH\.R\.\s?5,?376/i],
    ['"HR 5376"', /\bHR\s+5376/i],
    ['"H R 5376"', /\bH\.?\sR\.?\s+5376/i],
    ['"S. 2714"', /\bS[.\s]\s?2,?714/i],
  ])("the spoken forms of a number are distinct: %s", async (query, spoken) => {
    const rows = await mentions({ query });
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) expect(row.text).toMatch(spoken);
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
      personid: Number(row.personid ?? 1),
      date: day(row),
      mindate: day(row),
      maxdate: day(last),
      videotype: Object.entries(VIDEO_TYPES).find(([, id]) => id === row.videoTypeId)?.[0] ?? "",
    });
    const names = Object.keys(accepts) as Array<keyof typeof accepts>;
    const row = fc.constantFrom(...insurers);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), row, row, async (used, first, last) => {
        const given = Object.fromEntries(used.map((name) => [name, valuesOf(first, last)[name]]));
        const expected = insurers.filter((each) => used.every((name) => accepts[name](each, given[name] as never)));
        expect(await mentions({ query: "climate insurers", ...given })).toEqual(expected);
        found += Math.min(1, expected.length);
      }),
      { numRuns: 60 },
    );
    expect(found).toBeGreaterThan(20);
  });

  test("personid takes a public id, and 999999; videotype a name in any letter case", async () => {
    const spoken = await mentions({ query: "climate", personid: 6153 });
    expect(spoken.length).toBeGreaterThan(60);
    expect(await mentions({ query: "climate", personid: "mariapelosi6153" })).toEqual(spoken);
    for (const row of await mentions({ query: "climate", personid: 999_999 })) expect(row.personid).toBe(999_999);
    const debates = await mentions({ query: "insurers", videotype: "Debate" });
    expect(debates.length).toBeGreaterThan(20);
    expect(await mentions({ query: "insurers", videotype: "dEBATE" })).toEqual(debates);
    expect(await mentions({ query: "insurers", videotype: "18" })).toEqual([]);
  });
});

describe("GET /people", () => {
  test("query matches words of name or title; without a parameter everyone is listed once", async () => {
    const all = await people({});
    expect(new Set(column(all, "id")).size).toBe(all.length);
    const senators = await people({ query: "u.s. senator" });
    expect(senators).toEqual(all.filter(({ title }) => String(title).includes("U.S. Senator")));
    expect(column(await people({ query: "pelosi representative" }), "id")).toEqual([6153]);
  });

  test.each([
    { last: "Pelosi" },
    { last: "PELO" },
    { first: "maria", last: "pelosi" },
    { first: "Mar", query: "Pelosi" },
  ])("first and last match prefixes of the name, ignoring case: %j", async (query) => {
    expect(column(await people(query), "id")).toEqual([6153]);
  });
});

describe("GET /programs/search", () => {
  const { programs: all } = embeddedCollection();
  const says = (text: string | undefined, word: string) => new RegExp(`\\b${word}\\b`, "i").test(text ?? "");
  const has = (field: string, value: string) => (program: Program) => program.fields[field]?.includes(value) === true;
  const [isbn = ""] = all.flatMap(({ fields }) => fields.isbn ?? []);
  const date = all[1000]?.row.date ?? "";

  test.each<[query: string, accepts: (program: Program) => boolean]>([
    ["abstract:trade", ({ row }) => says(row.description, "trade")],
    ["category:Interview", has("category", "Interview")],
    [`date:${date.slice(0, 10)}`, ({ row }) => row.date.startsWith(date.slice(0, 10))],
    [`date:"${date}"`, ({ row }) => row.date === date],
    ["format:Forum", has("format", "Forum")],
    [`isbn:${isbn}`, has("isbn", isbn)],
    ["location:Rayburn", ({ fields }) => says(fields.location?.[0], "Rayburn")],
    ['person:"Maria Pelosi"', has("person", "Maria Pelosi")],
    ["personid:6153", has("personid", "6153")],
    ["personid:615", has("personid", "615")],
    ['series:"Across the Table"', has("series", "Across the Table")],
    ['sponsor:"Joint Leadership"', ({ fields }) => says(fields.sponsor?.[0], "Joint Leadership")],
    ["subject:Agriculture", ({ fields }) => says(fields.subject?.join(), "Agriculture")],
    ["tag:statue", ({ fields }) => says(fields.tag?.join(), "statue")],
    ["text:tariff", ({ fields }) => says(fields.text?.[0], "tariff")],
    ["tariff", ({ row, fields }) => says(`${row.title}. ${row.description}. ${fields.text?.[0]}`, "tariff")],
    [
      "text:climate AND category:Senate",
      ({ fields }) => says(fields.text?.[0], "climate") && says(fields.category?.[0], "Senate"),
    ],
  ])("%s", async (query, accepts) => {
    const expected = all.filter(accepts).map(({ row }) => row);
    if (query !== "personid:615") expect(expected.length).toBeGreaterThan(0);
    expect(await programs(query)).toEqual(expected.reverse());
  });

  test("very long and very deep queries are accepted or refused, and the archive survives", async () => {
    const deep = `${"(".repeat(2000)}a${")".repeat(2000)}`;
    for (const query of ["(".repeat(2000), deep, "a ".repeat(1990), "NOT ".repeat(3000)]) {
      expect([200, 400]).toContain((await ask(archive, "/programs/search", { query })).status);
    }
    expect((await ask(archive, "/programs/search", { query: "climate" })).status).toBe(200);
  });
});

const SEARCHES = [
  ["/bills", "bills", { query: "budget" }],
  ["/mentions", "mentions", { query: "climate insurers" }],
  ["/people", "people", { query: "senator" }],
  ["/programs/search", "programs", { query: "category:Forum" }],
] as const;

describe("pages", () => {
  test.each(SEARCHES)(
    "%s: pages of 20, a cursor on every page, and at the end a cursor only",
    async (path, member, query) => {
      const { rows, sizes, last } = await followCursor(archive, path, member, query);
      expect(rows.length).toBeGreaterThan(20);
      expect(sizes.slice(0, -1).every((size) => size === 20)).toBe(true);
      expect(new Set(column(rows, "id")).size).toBe(rows.length);
      expect(Object.keys(last)).toEqual(["cursor"]);
      expect((await ask(archive, path, { ...query, cursor: String(last.cursor) })).body).toEqual(last);
      const nothing = await ask(archive, path, { query: "zzzznothing" });
      expect([nothing.status, Object.keys(nothing.body)]).toEqual([200, ["cursor"]]);
    },
  );

  test.each(SEARCHES)("%s: a bad cursor, or that of another search, is 400", async (path, _member, query) => {
    const cursor = String((await ask(archive, path, query)).body.cursor);
    const flipped = (cursor[0] === "A" ? "B" : "A") + cursor.slice(1);
    for (const bad of ["x", "🙂", flipped, `${cursor}=`, cursor.slice(1), cursor + cursor]) {
      expect((await ask(archive, path, { ...query, cursor: bad })).status).toBe(400);
    }
    expect((await ask(archive, path, { query: "another", cursor })).status).toBe(400);
  });

  test("a cursor is stateless, and valid for the same data only", async () => {
    const query = { query: "immigration" };
    const cursor = String((await ask(archive, "/mentions", query)).body.cursor);
    const next = await ask(archive, "/mentions", { ...query, cursor });
    await using twin = await startEmbeddedArchive();
    await using other = await startGeneratedArchive({ size: 1_500 });
    expect((await ask(twin, "/mentions", { ...query, cursor })).text).toBe(next.text);
    expect((await ask(other, "/mentions", { ...query, cursor })).status).toBe(400);
  });

  test("page and limit give exactly the rows of the cursor pages, in the same order, for any limit", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 7, max: 400 }), async (limit) => {
        const paged: Row[] = [];
        for (let page = 1; ; page++) {
          const { body } = await ask(archive, "/mentions", { query: "climate insurers", limit, page });
          expect(body.cursor).toBeTypeOf("string");
          if (rowsOf(body, "mentions").length === 0) break;
          paged.push(...rowsOf(body, "mentions"));
        }
        expect(paged).toEqual(insurers);
        expect(await mentions({ query: "climate insurers", limit })).toEqual(insurers);
      }),
      { numRuns: 8, examples: [[20], [insurers.length], [insurers.length + 1]] },
    );
  });
});
