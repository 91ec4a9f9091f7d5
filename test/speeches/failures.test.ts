import { describe, expect, it, onTestFinished, vi } from "vitest";
import { APIError, type FetchedResult, type ProgressEvent, provenanceOf } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { upTo } from "../scan/pagedServer.js";
import { abortOf, errorOf } from "../service/helpers.js";
import { lookUps, pathOf, senator, speech, speechArchive } from "./speechServer.js";

describe("a failed search", () => {
  it("throws, stops the other searches, looks nobody up, and keeps the rows so far", async () => {
    const { server, archive } = await speechArchive({
      found: (query) => (query === '"Tax Act"' ? upTo(150).map((id) => speech(id, 7)) : []),
      instead: (request) => {
        const { page, cursor } = queryOf(request);
        return page !== undefined || cursor !== undefined ? { status: 400, body: {} } : undefined;
      },
      client: { concurrency: 1, pageSize: 100 },
    });
    const call = archive.speechesOnBill({ title: "Tax Act", number: "H.R. 1", videotypes: ["Speech"] });
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

  it("aborts the searches that run, and starts no other", async () => {
    const { server, archive } = await speechArchive({
      instead: async (_request, index) => {
        if (index > 0) return { hang: true };
        await server.arrived(2);
        return { status: 403, body: {} };
      },
      client: { concurrency: 2 },
    });
    const error = await errorOf(archive.speechesOnBill({ title: "Tax Act", number: "H.R. 1" }), APIError);
    expect(error.statusCode).toBe(403);
    await server.quiet();
    expect(server.requests).toHaveLength(2);
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

  it("the signal of the notebook host applies by default", async () => {
    const controller = new AbortController();
    vi.stubGlobal(Symbol.for("archive-frames.host"), { signal: controller.signal });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { archive } = await speechArchive({
      instead: () => {
        setImmediate(() => controller.abort());
        return { hang: true };
      },
    });
    await abortOf(archive.speechesOnBill({ title: "Tax Act" }));
  });
});

describe("progress", () => {
  it("covers all searches, waits, and the end", async () => {
    const events: ProgressEvent[] = [];
    let failed = false;
    const { server, archive } = await speechArchive({
      found: () => upTo(250).map((id) => speech(id, 7)),
      people: { 7: senator(7) },
      instead: (request) => {
        if (failed || pathOf(request) !== "/people/7") return undefined;
        failed = true;
        return { status: 503, body: {} };
      },
      client: { pageSize: 100, progress: (event) => void events.push(event) },
    });
    const frame = await archive.speechesOnBill({ title: "Tax Act", variants: ['"Tax Act"'] });
    expect(events.filter((event) => event.waiting !== undefined)).toHaveLength(1);
    expect(events.filter((event) => event.verdict !== undefined)).toHaveLength(1);
    const found = events.map((event) => event.pages);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    const { pages, requests, retries, rows } = provenanceOf(frame) ?? {};
    expect([pages, retries, rows]).toEqual([9, 1, 500]);
    expect(requests).toBe(server.requests.length);
    expect(events.at(-1)).toMatchObject({ verdict: "complete", pages: 9, requests });
  });
});
