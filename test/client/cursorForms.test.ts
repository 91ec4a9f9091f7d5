import { expect, it } from "vitest";
import { APIError, type FetchedResult, provenanceOf } from "../../src/index.js";
import { errorOf } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { mention, queryOf, served } from "./clientTo.js";

const ROWS = 100;
const SIZE = 20;
const IDS = [...Array(ROWS).keys()].map(String);

/** What a page says about the next one: a cursor, or null after the last row. */
type Envelope = (next: string | null, sent: string | undefined) => object;

/** A service of 100 rows. Its cursor names the last row; it has no page numbers. */
const start = (envelope: Envelope) =>
  startScriptedServer((request) => {
    const { cursor } = queryOf(request);
    const from = cursor === undefined ? 0 : Number(cursor.slice(1)) + 1;
    const rows = IDS.slice(from, from + SIZE).map((id) => mention(Number(id)));
    const next = from + SIZE < ROWS ? `k${from + SIZE - 1}` : null;
    return { body: { ...envelope(next, cursor), mentions: rows } };
  });

const understood: Record<string, Envelope> = {
  nextcursor: (nextcursor) => ({ nextcursor }),
  NextCursor: (NextCursor) => ({ NextCursor }),
  next_cursor: (next_cursor) => ({ next_cursor }),
  continuation: (continuation) => ({ continuation }),
  CURSOR: (CURSOR) => ({ CURSOR }),
  "nextcursor, and the cursor that was sent": (nextcursor, cursor) => ({ nextcursor, cursor }),
  "has_more and cursor": (next) => ({ has_more: next !== null, cursor: next }),
};

/** Forms that no client can know; test/client/movingRows has others. */
const unknown: Record<string, Envelope> = {
  "pagination: {next_cursor}": (next) => ({ pagination: { next_cursor: next } }),
  "paging: {cursors: {after}}": (next) => ({ paging: { cursors: { before: "b", after: next } } }),
  "page_info: {endCursor}": (next) => ({ page_info: { endCursor: next, hasNextPage: next !== null } }),
  "next: 2": (next) => ({ next: next && 2 }),
  nextPageToken: (next) => (next === null ? {} : { nextPageToken: next }),
  "pagination: {has_more}": (next) => ({ pagination: { hasMore: next !== null } }),
  "pageCursor, a name that nobody uses": (next) => ({ pageCursor: next }),
};

const read = { maxItems: 1000, format: "records" } as const;

it.each(Object.entries(understood))(
  "a cursor as %s leads to every row, and to an exact count",
  async (_form, envelope) => {
    const { archive } = await served(start(envelope), { pageSize: SIZE });
    const rows = await archive.mentions("x", read);
    expect(rows.map(({ id }) => id)).toEqual(IDS);
    expect(provenanceOf(rows)).toMatchObject({ verdict: "complete", pages: ROWS / SIZE });
    expect(await archive.count("mentions", "x")).toMatchObject({ rows: ROWS, verdict: "exact" });
  },
);

it.each(Object.entries(unknown))("a cursor as %s is not the end of a search", async (_form, envelope) => {
  const { archive } = await served(start(envelope), { pageSize: SIZE });
  const error = await errorOf(archive.mentions("x", read), APIError);
  expect(error.code).toBe("UNKNOWN_CURSOR");
  expect(error.message).toMatch(/^GET \/mentions: the response has a cursor in an unknown form: /);
  const partial = error.partial as FetchedResult<"polars">;
  expect(partial).toMatchObject({ rows: SIZE, pages: 1 });
  expect(provenanceOf(partial.frame)).toMatchObject({ verdict: "stopped", reason: "UNKNOWN_CURSOR" });
  expect(await archive.count("mentions", "x")).toMatchObject({ rows: SIZE, verdict: "at least" });
  // It does not matter to a single page, nor to as many rows as are wanted.
  expect((await archive.mentions("x")).height).toBe(SIZE);
  expect((await archive.mentions("x", { maxItems: SIZE })).height).toBe(SIZE);
});
