import { describe, expect, test } from "vitest";
import { ask, column, embeddedArchive, followCursor, type Query, type Row, rowsOf } from "./support.js";

const archive = await embeddedArchive({ size: 0 });

const people = async (query: Query): Promise<Row[]> => (await followCursor(archive, "/people", "people", query)).rows;

describe("section 4.1: GET /bills", () => {
  test("a row has the members of a bill, and bills stand before the cursor", async () => {
    const { body } = await ask(archive, "/bills", { query: "budget" });
    expect(Object.keys(body)).toEqual(["bills", "cursor"]);
    for (const row of rowsOf(body, "bills")) {
      expect(Object.keys(row)).toEqual(["billnumber", "billtitle", "link", "congress", "id"]);
      expect(row.billnumber).toMatch(/^[0-9]+$/);
      expect(Number.isInteger(row.congress) && Number.isInteger(row.id)).toBe(true);
      expect(String(row.billtitle).toLowerCase()).toContain("budget");
    }
  });

  test.each([
    ['"Inflation Reduction Act"', "5376"],
    ["reduction inflation", "5376"],
    ['"infrastructure investment and jobs"', "3684"],
    ["H.R. 5376", "5376"],
    ['"H R 5376"', "5376"],
    ["5376", "5376"],
    ['"S. 2714"', "2714"],
  ])("%s finds bill %s of its Congress", async (query, number) => {
    const rows = rowsOf((await ask(archive, "/bills", { query })).body, "bills");
    expect(rows.map((row) => row.billnumber)).toContain(number);
  });
});

describe("section 4.3: GET /people", () => {
  test("a row has the members of a person, with lower-case first and last names", async () => {
    const { body } = await ask(archive, "/people", { query: "senator" });
    expect(Object.keys(body)).toEqual(["cursor", "people"]);
    for (const row of rowsOf(body, "people")) {
      expect(Object.keys(row)).toEqual("firstName imagePath lastName name personLink publicId title id".split(" "));
      expect(row.firstName).toBe(String(row.firstName).toLowerCase());
      expect(String(row.name).toLowerCase()).toBe(`${row.firstName} ${row.lastName}`);
    }
  });

  test("without a parameter everyone is listed once", async () => {
    const rows = await people({});
    expect(rows.length).toBeGreaterThan(1_000);
    expect(new Set(column(rows, "id")).size).toBe(rows.length);
  });

  test("query matches words of name or title", async () => {
    const senators = await people({ query: "u.s. senator" });
    expect(senators.length).toBeGreaterThanOrEqual(100);
    for (const row of senators) expect(row.title).toContain("U.S. Senator");
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

  test("last does not match inside a name", async () => {
    expect(await people({ last: "elosi" })).toEqual([]);
  });

  test("accents are optional", async () => {
    const [accented] = (await people({})).filter((row) => /[éíñøö]/.test(String(row.firstName)));
    const plain = String(accented?.firstName).normalize("NFD").replace(/\p{M}/gu, "").replace("ø", "o");
    expect(column(await people({ first: plain }), "id")).toContain(accented?.id);
    expect(column(await people({ first: String(accented?.firstName) }), "id")).toContain(accented?.id);
  });
});

describe("section 4.4: GET /people/{personId}", () => {
  test("an internal and a public id give the same one person, in a list", async () => {
    const { body } = await ask(archive, "/people/6153");
    expect(Object.keys(body)).toEqual(["people"]);
    const [maria] = rowsOf(body, "people");
    expect(maria?.name).toBe("Maria Pelosi");
    expect((await ask(archive, `/people/${maria?.publicId}`)).body).toEqual(body);
  });

  test.each(["1", "999999", "nobody", "6153x", "%20", "-1", "__proto__"])(
    "an unknown id is 200 with an empty object: %s",
    async (id) => {
      const { status, text } = await ask(archive, `/people/${id}`);
      expect(status).toBe(200);
      expect(text).toBe("{}");
    },
  );
});

describe("section 4.6: GET /programs/{videoId}", () => {
  test("a numeric id gives one flat object: the search row and publicId and videoDuration", async () => {
    const { body } = await ask(archive, "/programs/683870");
    expect(Object.keys(body)).toEqual(
      "title description date imagePath jwplayerId videoLink id publicId videoDuration".split(" "),
    );
    expect(body.id).toBe(683870);
    expect(body.publicId).toMatch(/^[0-9]+-[0-9]$/);
    expect(body.videoDuration).toBeGreaterThan(0);
    const { publicId, videoDuration, ...row } = body;
    const found = (
      await followCursor(archive, "/programs/search", "programs", { query: `date:${String(body.date).slice(0, 10)}` })
    ).rows;
    expect(found).toContainEqual(row);
  });

  test("the public id of a program that exists is 400 as well", async () => {
    const { body } = await ask(archive, "/programs/683870");
    expect((await ask(archive, `/programs/${body.publicId}`)).status).toBe(400);
  });
});
