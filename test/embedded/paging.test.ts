import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ask, column, embeddedArchive, followCursor, type Query, type Row, rowsOf } from "./support.js";

const archive = await embeddedArchive({ size: 1_500 });

const immigration = (more: Query = {}) => ask(archive, "/mentions", { query: "immigration", ...more });
const allRows = async (limit: number) =>
  (await followCursor(archive, "/mentions", "mentions", { query: "immigration", limit })).rows;

const SEARCHES = [
  ["/bills", "bills", { query: "budget" }],
  ["/mentions", "mentions", { query: "immigration" }],
  ["/people", "people", { query: "senator" }],
  ["/programs/search", "programs", { query: "category:Forum" }],
] as const;

describe("section 4.7: cursor pagination", () => {
  test.each(SEARCHES)(
    "%s: pages of 20, a cursor on every page, and a last page with a cursor only",
    async (path, member, query) => {
      const { rows, sizes, last } = await followCursor(archive, path, member, query);
      expect(rows.length).toBeGreaterThan(20);
      expect(sizes.slice(0, -1).every((size) => size === 20)).toBe(true);
      expect(sizes.at(-1)).toBeLessThanOrEqual(20);
      expect(new Set(column(rows, "id")).size).toBe(rows.length);
      expect(Object.keys(last)).toEqual(["cursor"]);
    },
  );

  test.each(SEARCHES)("%s: a search that matches nothing is a cursor only", async (path) => {
    const { status, body } = await ask(archive, path, { query: "zzzznothing" });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["cursor"]);
    expect(body.cursor).toMatch(/^[\w-]+$/);
  });

  test.each(SEARCHES)("%s: the cursor of the page without rows is its own again", async (path, member, query) => {
    const { last } = await followCursor(archive, path, member, query);
    expect((await ask(archive, path, { ...query, cursor: String(last.cursor) })).body).toEqual(last);
  });

  test.each(SEARCHES)("%s: a bad cursor is 400", async (path, _member, query) => {
    const { body } = await ask(archive, path, query);
    const cursor = String(body.cursor);
    const flipped = (cursor[0] === "A" ? "B" : "A") + cursor.slice(1);
    for (const bad of ["x", "🙂", flipped, `${cursor}=`, cursor.slice(1), cursor + cursor, "AAAAAAAAAAAAAAAAAAAA"]) {
      expect((await ask(archive, path, { ...query, cursor: bad })).status).toBe(400);
    }
  });

  test("a cursor is valid for its own search only", async () => {
    const { body } = await immigration();
    const cursor = String(body.cursor);
    expect((await immigration({ cursor })).status).toBe(200);
    expect((await ask(archive, "/mentions", { query: "climate", cursor })).status).toBe(400);
    expect((await immigration({ videotype: "Debate", cursor })).status).toBe(400);
    expect((await ask(archive, "/bills", { query: "immigration", cursor })).status).toBe(400);
  });

  test("a cursor is stateless: it is valid in another archive of the same corpus", async () => {
    const { body } = await immigration();
    const query = { query: "immigration", cursor: String(body.cursor) };
    const next = await ask(archive, "/mentions", query);
    await using twin = await startEmbeddedArchive({ size: 1_500 });
    await using other = await startEmbeddedArchive({ size: 1_500, seed: 2 });
    expect((await ask(twin, "/mentions", query)).text).toBe(next.text);
    expect((await ask(other, "/mentions", query)).status).toBe(400);
  });
});

describe("section 4.7: page and limit", () => {
  test("give exactly the rows of the cursor pages, in the same order, for any limit", async () => {
    const followed = await allRows(1000);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 7, max: 1200 }), async (limit) => {
        const paged: Row[] = [];
        for (let page = 1; ; page++) {
          const { body } = await immigration({ limit, page });
          expect(body.cursor).toBeTypeOf("string");
          if (rowsOf(body, "mentions").length === 0) break;
          paged.push(...rowsOf(body, "mentions"));
        }
        expect(paged).toEqual(followed);
        expect(await allRows(limit)).toEqual(followed);
      }),
      { numRuns: 12, examples: [[20], [followed.length], [followed.length + 1]] },
    );
  });

  test("page is 1 by default", async () => {
    const { text } = await immigration();
    expect((await immigration({ page: 1 })).text).toBe(text);
    expect((await immigration({ page: 2 })).text).not.toBe(text);
  });

  test("cursor wins over page", async () => {
    const { body } = await immigration();
    const cursor = String(body.cursor);
    expect((await immigration({ cursor, page: 5 })).text).toBe((await immigration({ cursor })).text);
  });

  test("a page far beyond the last is a cursor only", async () => {
    const { status, body } = await immigration({ page: 999_999_999, limit: 1000 });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["cursor"]);
  });
});
