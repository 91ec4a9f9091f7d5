import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { type ScriptedAnswer, startScriptedServer } from "../service/scriptedServer.js";
import { mention, queryOf, served } from "./clientTo.js";
import { WAYS } from "./ways.js";

/** Seven pages of 50, or thirty-three of 10. */
const ROWS = 330;

/** A service's response to a page number: a response, or the offset of the page. */
type PageResponder = (page: number, size: number) => ScriptedAnswer | number;

const services: Record<string, PageResponder> = {
  "that is well-behaved": (page, size) => (page - 1) * size,
  "whose pages beyond 5 are empty": (page, size) => (page > 5 ? ROWS : (page - 1) * size),
  "whose pages beyond 20 are empty": (page, size) => (page > 20 ? ROWS : (page - 1) * size),
  "whose pages beyond 20 have no cursor": (page, size) =>
    page > 20 ? { body: { mentions: idsFrom((page - 1) * size, size).map((id) => mention(id)) } } : (page - 1) * size,
  "that answers page= without a cursor": (page, size) => ({
    body: { mentions: idsFrom((page - 1) * size, size).map((id) => mention(id)) },
  }),
  "that counts pages from zero": (page, size) => page * size,
  "that refuses page 6": (page, size) => (page === 6 ? { status: 400, body: {} } : (page - 1) * size),
  "that refuses page 21": (page, size) => (page === 21 ? { status: 400, body: {} } : (page - 1) * size),
  "that fails from page 21 on": (page, size) => (page > 20 ? { status: 500, body: {} } : (page - 1) * size),
  "that reports an error from page 21 on": (page, size) =>
    page > 20 ? { body: { error: "deep" } } : (page - 1) * size,
  "that ignores page numbers": () => 0,
};

const idsFrom = (from: number, count: number): number[] =>
  [...Array(Math.max(0, Math.min(count, ROWS - from))).keys()].map((at) => from + at + 1);

function startService(respond: PageResponder) {
  return startScriptedServer((request) => {
    const { cursor, page, limit = "20" } = queryOf(request);
    const size = Number(limit);
    const at = page === undefined || cursor !== undefined ? Number(cursor?.slice(1) ?? 0) : respond(Number(page), size);
    if (typeof at !== "number") return at;
    const rows = idsFrom(at, size);
    const next = `c${Math.min(ROWS, at + size)}`;
    return { body: { cursor: next, ...(rows.length > 0 && { mentions: rows.map((id) => mention(id)) }) } };
  });
}

describe.each(Object.entries(services))("a service %s", (_name, respond) => {
  it.each(Object.entries(WAYS))("returns all rows in order: %s", async (_way, way) => {
    // Seven pages are few enough to be requested by cursor alone, so services do not differ.
    for (const pageSize of respond === services["that is well-behaved"] ? [50, 10] : [10]) {
      const { archive } = await served(startService(respond), { pageSize });
      const { rows, provenance } = await way(archive, temporaryFolder());
      expect(rows.map(({ id }) => Number(id))).toEqual(idsFrom(0, ROWS));
      expect(provenance).toMatchObject({ rows: ROWS, verdict: "complete", cursor: null });
      expect(archive.lastResult()).toMatchObject({ rows: ROWS, cursor: undefined });
    }
  });
});

it("leaving the loop requests at most one page ahead", async () => {
  const { server, archive } = await served(
    startService((page, size) => (page - 1) * size),
    { pageSize: 100 },
  );
  let rows = 0;
  for await (const _ of archive.iterRecords("mentions", { query: "x" })) if (++rows === 250) break;
  expect(server.requests).toHaveLength(3);
});
