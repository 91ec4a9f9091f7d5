import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  APIError,
  type FetchedResult,
  methodsOf,
  type PolarsFrame,
  provenanceOf,
  RateLimitError,
} from "../../src/index.js";
import { pagedArchive, startPagedServer, upTo } from "../scan/pagedServer.js";
import { abortOf, errorOf } from "../service/helpers.js";
import { type ScriptedAnswer, startScriptedServer } from "../service/scriptedServer.js";
import { mention, queryOf, served } from "./clientTo.js";

/** A server that sends these pages of mention ids in order ("1 2 | 3"), whatever is requested. */
const startPages = (pages: string, last: ScriptedAnswer = { body: { cursor: "end" } }) =>
  startScriptedServer((_request, index) => {
    const mentions = pages
      .split("|")
      [index]?.trim()
      .split(" ")
      .map((id) => mention(Number(id)));
    return mentions === undefined ? last : { body: { cursor: `c${index + 1}`, mentions } };
  });

const ids = (frame: PolarsFrame) => frame.getColumn("id").toArray().map(Number);

describe("maxItems", () => {
  it("follows the cursor until it has enough rows, and requests no further page", async () => {
    const { server, archive } = await served(startPages("1 2 | 3 4 | 5 6"));
    const frame = await archive.mentions("x", { maxItems: 3 });
    expect(ids(frame)).toEqual([1, 2, 3]);
    expect(server.requests.map((request) => queryOf(request).cursor)).toEqual([undefined, "c1"]);
    expect(provenanceOf(frame)).toMatchObject({
      rows: 3,
      pages: 2,
      verdict: "capped",
      reason: "maxItems",
      cursor: "c1",
    });
  });

  it("leads to at most one page ahead of a loop that is left", async () => {
    const { server, archive } = await pagedArchive({ rows: 330 });
    let rows = 0;
    for await (const _ of archive.iterRecords("mentions", { query: "x" })) if (++rows === 250) break;
    expect(server.requests).toHaveLength(3);
  });

  it("of 0 sends no request", async () => {
    const { server, archive } = await served(startPages("1"));
    expect((await archive.mentions("x", { maxItems: 0 })).height).toBe(0);
    expect(await archive.mentions("x", { maxItems: 0, format: "json" })).toEqual([]);
    for await (const row of archive.iterRecords("mentions", { query: "x", maxItems: 0 }))
      expect.unreachable(String(row.id));
    expect(server.requests).toHaveLength(0);
  });

  it("has a digest of all bodies, in order", async () => {
    const bodies = ['{"mentions":[{"id":"1"}],"cursor":"a"}', '{"mentions":[{"id":"2"}],"cursor":"b"}', "{}"];
    const { archive } = await served((_request, index) => ({ body: bodies[index] as string }));
    const sha256 = createHash("sha256").update(bodies.join("")).digest("hex");
    expect(provenanceOf(await archive.mentions("x", { maxItems: 9 }))).toMatchObject({ sha256, rows: 2 });
  });

  it("begins at the same row whatever the number of rows that are wanted", async () => {
    for (const pageSize of [undefined, 7]) {
      const { archive } = await served(startPagedServer({ rows: 95 }), { pageSize });
      const first = 2 * (pageSize ?? 20);
      for (const maxItems of [1, 10, 30, 1000])
        expect(ids(await archive.mentions("x", { maxItems, page: 3 }))).toEqual(
          upTo(95).slice(first, first + maxItems),
        );
    }
  });

  it.each([
    [{ page: 3, maxItems: 6 }, "from page 3 on", "is complete from page 3 on."],
    [{ cursor: "c", maxItems: 6 }, "from a cursor on", "is complete from a cursor on."],
    [{ page: 3 }, "one page, from page 3 on", "is not complete (capped by one page, from page 3 on)"],
    [{ page: 1, maxItems: 6 }, null, "is complete."],
  ])("%j says where it began", async (given, reason, words) => {
    const { archive } = await served(startPages("1 | 2"));
    const frame = await archive.mentions("x", given as { maxItems: number });
    expect(provenanceOf(frame)).toMatchObject({ verdict: "maxItems" in given ? "complete" : "capped", reason });
    expect(methodsOf(frame)).toContain(words);
  });
});

describe("the end of a search", () => {
  it("throws if new cursors bring only known rows", async () => {
    const { server, archive } = await served((_request, index) => ({
      body: { cursor: `c${index}`, mentions: [mention(1)] },
    }));
    const error = await errorOf(archive.mentions("x", { maxItems: 100 }), APIError);
    expect(error.code).toBe("CURSOR_CIRCLES");
    expect(error.message).toContain("Pass maxItems: 1 to accept the rows");
    const { frame, cursor } = error.partial as FetchedResult<"polars">;
    expect(ids(frame)).toEqual([1]);
    expect(cursor).toBeUndefined();
    expect(server.requests).toHaveLength(6);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "stopped", duplicates: 4, reason: "CURSOR_CIRCLES" });
    expect(ids(await archive.mentions("x", { maxItems: 1 }))).toEqual([1]);
  });
});

describe("a failure on a later page", () => {
  it("keeps the rows before it and the cursor, whatever the format", async () => {
    const { archive } = await served(startPages("1 2 | 3", { status: 429, body: { message: "slow down" } }), {
      maxRetries: 1,
    });
    const error = await errorOf(archive.mentions("x", { maxItems: 9, format: "records" }), RateLimitError);
    const partial = error.partial as FetchedResult<"polars">;
    expect(ids(partial.frame)).toEqual([1, 2, 3]);
    expect(partial).toMatchObject({ rows: 3, pages: 2, requests: 4, cursor: "c2" });
    expect(archive.lastResult()).toBe(partial);
    expect(provenanceOf(partial.frame)).toMatchObject({
      verdict: "stopped",
      reason: "RATE_LIMITED",
      retries: 1,
      cursor: "c2",
    });
  });

  it("caused by the caller's signal is ABORTED with the rows so far", async () => {
    const controller = new AbortController();
    const { archive } = await served((_request, index) => {
      if (index < 2) return { body: { cursor: `c${index}`, mentions: [mention(index)] } };
      controller.abort();
      return { hang: true };
    });
    const error = await abortOf(archive.mentions("x", { maxItems: 9, signal: controller.signal }));
    expect(error.partial).toMatchObject({ rows: 2, pages: 2, cursor: "c1" });
  });
});
