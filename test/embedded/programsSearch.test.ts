import { describe, expect, test } from "vitest";
import { programText } from "../../src/embedded/corpus/programs.js";
import { ask, column, embeddedArchive, followCursor, rowsOf } from "./support.js";
import { Corpus } from "./truth.js";

type Program = Corpus["programs"][number];

const corpus = new Corpus(1, 0);
const archive = await embeddedArchive({ size: 0 });

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

  test("*:* is every program", async () => {
    const { body } = await ask(archive, "/programs/search", { query: "*:*" });
    expect(column(rowsOf(body, "programs"), "id")).toEqual(expected(() => true).slice(0, 20));
    expect((await ask(archive, "/programs/search", { query: "-*:*" })).body.programs).toBeUndefined();
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

  test("Climate Change and Climate and Environment are the same subject", async () => {
    const ids = await found('subject:"Climate Change"');
    expect(ids.length).toBeGreaterThan(20);
    expect(await found('subject:"Climate and Environment"')).toEqual(ids);
  });
});
