import { describe, expect, it } from "vitest";
import { APIError, type FetchedResult, type ProgressEvent, provenanceOf } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { upTo } from "../scan/pagedServer.js";
import { abortOf, errorOf } from "../service/helpers.js";
import { lookUps, pathOf, senator, speech, speechArchive } from "./speechServer.js";

const BILL = { title: "Tax Act", variants: ['"Tax Act"'], videotypes: ["Speech"] } as const;
const TWO_QUERIES = { title: "Tax Act", number: "H.R. 1" };

describe("a failure", () => {
  it("of a search throws, stops the other searches, looks nobody up, and keeps the rows so far", async () => {
    const { server, archive } = await speechArchive({
      found: (query) => (query === '"Tax Act"' ? upTo(150).map((id) => speech(id, 7)) : []),
      instead: (request) => {
        const { page, cursor } = queryOf(request);
        return page !== undefined || cursor !== undefined ? { status: 400, body: {} } : undefined;
      },
      client: { concurrency: 1, pageSize: 100 },
    });
    const call = archive.speechesOnBill({ ...TWO_QUERIES, videotypes: ["Speech"] });
    const error = await errorOf(call, APIError);
    expect(error.statusCode).toBe(400);
    const partial = error.partial as FetchedResult<"polars">;
    // The first pages of four searches, the page that failed, and a search that waited behind it.
    expect(partial).toMatchObject({ rows: 100, pages: 4, requests: 6 });
    expect(partial.frame.getColumn("id").toArray().map(Number)).toEqual(upTo(100));
    // The failure may end the last one before it leaves.
    expect([5, 6]).toContain(server.requests.length);
    expect(provenanceOf(partial.frame)).toMatchObject({
      verdict: "stopped",
      reason: "HTTP_ERROR",
      speeches: { included: [{ personid: 7, title: null, speeches: 100 }] },
    });
  });

  it("of a speaker's lookup has the rows of unresolved speakers, without a title", async () => {
    const { archive } = await speechArchive({
      found: () => [speech(1, 7), speech(2, 8), speech(3, 8), speech(4, 9, { persontitle: "Governor" })],
      people: { 7: senator(7) },
      instead: (request) => (pathOf(request) === "/people/8" ? { status: 500, body: { message: "no" } } : undefined),
      client: { maxRetries: 1, concurrency: 1 },
    });
    const error = await errorOf(archive.speechesOnBill(BILL), APIError);
    expect([error.code, error.path]).toEqual(["SERVER_ERROR", "/people/8"]);
    const partial = error.partial as FetchedResult<"polars">;
    expect(partial.frame.select("id", "title").rows()).toEqual([
      ["2", null],
      ["3", null],
      ["1", "U.S. Senator"],
    ]);
    expect(partial).toMatchObject({ rows: 3, pages: 3, requests: 5, cursor: undefined });
    expect(archive.lastResult()).toBe(partial);
    expect(provenanceOf(partial.frame)).toMatchObject({
      verdict: "stopped",
      reason: "SERVER_ERROR",
      retries: 1,
      speeches: {
        included: [
          { personid: 8, reason: "not looked up" },
          { personid: 7, reason: null },
        ],
        unresolved: [],
      },
    });
  });

  it.each([
    ["search", "/mentions", 2],
    ["lookup", "/people/1", 4],
  ])("of a %s aborts the requests that run, and starts no other", async (_what, path, arrived) => {
    const { server, archive } = await speechArchive({
      found: () => [1, 2, 3, 4, 5].map((id) => speech(id, id)),
      instead: async (request, index) => {
        const isFirst = pathOf(request) === path && (path !== "/mentions" || index === 0);
        if (!isFirst) return path === "/mentions" || pathOf(request) !== "/mentions" ? { hang: true } : undefined;
        await server.arrived(arrived);
        return { status: 403, body: {} };
      },
      client: { concurrency: 2 },
    });
    const error = await errorOf(archive.speechesOnBill(path === "/mentions" ? TWO_QUERIES : BILL), APIError);
    expect(error.statusCode).toBe(403);
    await server.quiet();
    expect(server.requests).toHaveLength(arrived);
  });

  it("has no partial result if there was no page", async () => {
    const { archive } = await speechArchive({ instead: () => ({ status: 403, body: {} }) });
    const error = await errorOf(archive.speechesOnBill({ title: "Tax Act" }), APIError);
    expect([error.code, error.partial]).toEqual(["AUTHENTICATION", undefined]);
    expect(archive.lastResult()).toMatchObject({ rows: 0, pages: 0 });
  });
});

describe("an abort", () => {
  it.each(["/mentions", "/people/8"])("stops the call while %s hangs, and keeps the rows so far", async (path) => {
    const controller = new AbortController();
    const { server, archive } = await speechArchive({
      found: (_query, type) => (type === "Speech" ? [speech(1, 7), speech(2, 8)] : []),
      people: { 7: senator(7), 8: senator(8) },
      instead: (request) => {
        const { cursor, query = "" } = queryOf(request);
        // The types of the rows are known by then.
        const isLater = cursor !== undefined && query.includes("'s");
        const hangs = pathOf(request) === path && (path !== "/mentions" || isLater);
        if (!hangs) return undefined;
        setImmediate(() => controller.abort());
        return { hang: true };
      },
      client: { concurrency: 1 },
    });
    const call = archive.speechesOnBill({ title: "Tax Act", signal: controller.signal });
    const error = await abortOf(call);
    expect((error.partial as FetchedResult<"polars">).rows).toBe(2);
    await server.quiet();
    // The aborted lookup was sent once; the client stays usable.
    expect(lookUps(server).filter((id) => id === "8").length).toBe(path === "/mentions" ? 0 : 1);
  });
});

it("progress covers all searches, waits, and the end", async () => {
  const events: ProgressEvent[] = [];
  let lookups = 0;
  const { server, archive } = await speechArchive({
    found: () => upTo(250).map((id) => speech(id, 7)),
    people: { 7: senator(7) },
    instead: (request) => (pathOf(request) === "/people/7" && lookups++ === 0 ? { status: 503, body: {} } : undefined),
    client: { pageSize: 100, progress: (event) => void events.push(event) },
  });
  const frame = await archive.speechesOnBill({ title: "Tax Act", variants: ['"Tax Act"'] });
  expect(events.filter((event) => event.waiting !== undefined)).toHaveLength(1);
  const pages = events.map((event) => event.pages);
  expect(pages).toEqual([...pages].sort((a, b) => a - b));
  const { requests } = provenanceOf(frame) ?? {};
  expect(provenanceOf(frame)).toMatchObject({ pages: 9, retries: 1, rows: 500, requests: server.requests.length });
  expect(events.filter((event) => event.verdict !== undefined)).toMatchObject([
    { verdict: "complete", pages: 9, requests },
  ]);
});
