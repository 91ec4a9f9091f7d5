import { afterAll, describe, expect, test } from "vitest";
import { programText } from "../../src/embedded/corpus/programs.js";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ask, column, followCursor, rowsOf } from "./support.js";
import { Corpus } from "./truth.js";

type Program = Corpus["programs"][number];

const corpus = new Corpus(1, 0);
const archive = await startEmbeddedArchive({ size: 0 });
afterAll(() => archive.close());

const found = async (query: string, sort?: string): Promise<unknown[]> =>
  column((await followCursor(archive, "/programs/search", "programs", sort ? { query, sort } : { query })).rows, "id");
const expected = (accepts: (program: Program) => boolean): number[] =>
  corpus.programs
    .filter(accepts)
    .map((program) => program.row.id)
    .reverse();
const says = (text: string, word: string): boolean => new RegExp(`\\b${word}\\b`, "i").test(text);
const status = async (query: string, more: Record<string, string> = {}): Promise<number> =>
  (await ask(archive, "/programs/search", { query, ...more })).status;

const [guest] = corpus.people.witnesses;

const FIELDS: Record<string, [value: string, accepts: (program: Program) => boolean]> = {
  abstract: ["trade", ({ row }) => says(row.description, "trade")],
  category: ["Interview", ({ kind }) => kind.name === "interview"],
  date: ["2024*", ({ row }) => row.date.startsWith("2024")],
  format: ["Forum", ({ kind }) => kind.name === "forum"],
  isbn: ["978*", ({ isbn }) => isbn !== ""],
  location: ["Rayburn", ({ kind }) => kind.name === "house-hearing"],
  person: [`"${guest?.name}"`, ({ people }) => people.some(({ name }) => name === guest?.name)],
  personid: [`${guest?.id}`, ({ people }) => people.some(({ id }) => id === guest?.id)],
  series: ['"Across the Table"', ({ kind }) => kind.name === "interview"],
  sponsor: ['"Joint Leadership"', ({ kind }) => kind.name === "news" || kind.name === "ceremony"],
  subject: ["Agriculture", ({ topics }) => topics.some(({ key }) => key === "agriculture")],
  tag: ["statue", ({ kind }) => kind.name === "ceremony"],
  text: ["tariff", (program) => says(programText(1, program).join(""), "tariff")],
};

describe("section 2: the thirteen fields of a program query", () => {
  test.each(Object.entries(FIELDS))("%s", async (field, [value, accepts]) => {
    const ids = expected(accepts);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(corpus.programs.length / 2);
    expect(await found(`${field}:${value}`)).toEqual(ids);
  });

  test("a query without a field searches title, abstract and text", async () => {
    const anywhere = ({ row }: Program, word: string) => says(`${row.title}. ${row.description}`, word);
    const ids = expected((program) => anywhere(program, "tariff") || says(programText(1, program).join(""), "tariff"));
    expect(await found("tariff")).toEqual(ids);
    expect(await found("statue")).toEqual(expected((program) => anywhere(program, "statue")));
  });

  test.each(["title", "titel", "Text", "speaker", "*", "__proto__", "constructor", "<implicit>"])(
    "an unknown field is 400: %s",
    async (field) => {
      expect(await status(`${field}:x`)).toBe(400);
      expect(await status(`text:(a OR ${field}:x)`)).toBe(400);
    },
  );
});

describe("section 4.5: GET /programs/search", () => {
  test("a row has the members of a program, and the cursor stands before the rows", async () => {
    const { body } = await ask(archive, "/programs/search", { query: "text:climate AND category:Senate" });
    expect(Object.keys(body)).toEqual(["cursor", "programs"]);
    for (const row of rowsOf(body, "programs")) {
      expect(Object.keys(row)).toEqual("title description date imagePath jwplayerId videoLink id".split(" "));
      expect(row.date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
  });

  const RANGES =
    "date:[2020-01-01 TO 2021-01-01]¦date:{2020-01-01 TO 2021-01-01}¦date:[2020 TO *]¦date:[* TO 2020-01-01}¦[a TO b]¦" +
    'date:["2020-01-01" TO "2021-01-01"]¦text:climate AND date:[ 2020-01-01   TO   2021-01-01 ]¦(+date:[2020 TO 2021] climate)¦' +
    "date:[2020 to 2021]¦date:{2020-01-01 To 2021-01-01}";
  test.each(RANGES.split("¦"))("a range is 500: %s", async (query) => {
    const answer = await ask(archive, "/programs/search", { query });
    expect(answer.status).toBe(500);
    expect(answer.body.message).toBeTypeOf("string");
  });

  test("*:* is every program", async () => {
    const { body } = await ask(archive, "/programs/search", { query: "*:*" });
    expect(column(rowsOf(body, "programs"), "id")).toEqual(expected(() => true).slice(0, 20));
    expect((await ask(archive, "/programs/search", { query: "-*:*" })).body.programs).toBeUndefined();
  });

  test.each(['text:"[2020 TO 2021]"', "2020 TO 2021", "text:\\[2020 TO 2021\\]", "climate"])(
    "what only looks like a range is not: %s",
    async (query) => {
      expect(await status(query)).toBe(200);
    },
  );

  const WRONG =
    '(climate¦climate)¦()¦"climate¦climate AND¦AND climate¦AND¦NOT¦OR OR¦climate OR OR budget¦climate AND OR budget¦NOT NOT climate¦' +
    'text:¦text:(¦a:b:c¦text : climate¦+¦- climate¦climate\\¦[climate]¦date:[2020¦climate]¦/clim.*/¦climat~¦"climate change"~3¦(a OR) b';
  test.each(WRONG.split("¦"))("a syntax error is 400: %s", async (query) => {
    expect(await status(query)).toBe(400);
  });

  test("very long and very deep queries are accepted or refused, and the archive survives", async () => {
    for (const query of [
      "(".repeat(2000),
      `${"(".repeat(2000)}a${")".repeat(2000)}`,
      "a ".repeat(1000) + "long".repeat(2000),
      "*a".repeat(2000),
      "NOT ".repeat(3000),
    ]) {
      expect([200, 400]).toContain(await status(query));
    }
    expect(await status("climate")).toBe(200);
  });

  test("sort by date and by popularity, both directions; newest first without it", async () => {
    const query = "category:Interview";
    const newest = await found(query);
    expect(await found(query, "date desc")).toEqual(newest);
    expect(await found(query, "date asc")).toEqual([...newest].reverse());
    const popular = await found(query, "popular desc");
    expect(popular).not.toEqual(newest);
    expect(await found(query, "popular asc")).toEqual([...popular].reverse());
    expect([...popular].sort()).toEqual([...newest].sort());
    const views = new Map(corpus.programs.map((program) => [program.row.id as unknown, program.views]));
    const counts = popular.map((id) => views.get(id) ?? 0);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    const dates = newest.map((id) => corpus.programs.find(({ row }) => row.id === id)?.begin ?? 0);
    expect(dates).toEqual([...dates].sort((a, b) => b - a));
  });

  test.each(["DATE Asc", "date   asc", " date\tasc "])(
    "sort takes any letter case and any blanks: %j",
    async (sort) => {
      const query = "category:Ceremony";
      const plain = await ask(archive, "/programs/search", { query, sort: "date asc" });
      expect((await ask(archive, "/programs/search", { query, sort })).text).toBe(plain.text);
    },
  );

  test.each(["date", "popular", "relevance desc", "date up", "desc date", "constructor", "datedesc"])(
    "any other sort is 400: %s",
    async (sort) => {
      expect(await status("climate", { sort })).toBe(400);
    },
  );

  test("Climate Change and Climate and Environment are the same subject", async () => {
    const ids = await found('subject:"Climate Change"');
    expect(ids.length).toBeGreaterThan(20);
    expect(await found('subject:"Climate and Environment"')).toEqual(ids);
  });
});
