import { describe, expect, it } from "vitest";
import { pl } from "../../src/index.js";
import { mention, queryOf, served } from "../client/clientTo.js";
import { type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";
import { allOf, idsOf, pagedArchive, upTo } from "./pagedServer.js";

/** Bills by cursor, 20 on a page; the service does not support page sizes. */
function startBills(rows: number): Promise<ScriptedServer> {
  return startScriptedServer((request) => {
    const offset = Number(queryOf(request).cursor ?? 0);
    const page = upTo(Math.max(0, Math.min(20, rows - offset))).map((at) => ({
      id: String(offset + at),
      title: "A Bill",
    }));
    return { body: { cursor: String(offset + page.length), ...(page.length > 0 && { bills: page }) } };
  });
}

describe("batches are yielded early", () => {
  it("each with the rows of a page", async () => {
    const { server, archive } = await served(startBills(3000));
    const heights: number[] = [];
    const seen: number[] = [];
    for await (const frame of archive.scan.bills("x").batches()) {
      if (heights.length === 0) expect(server.requests.length).toBeLessThanOrEqual(2);
      heights.push(frame.height);
      seen.push(...idsOf(frame));
    }
    expect(heights).toEqual(Array(150).fill(20));
    expect(seen).toEqual(upTo(3000));
    expect(server.requests).toHaveLength(151);
  });

  it("a search with few matches yields each match immediately", async () => {
    const { server, archive } = await pagedArchive({ rows: 2000, row: (id) => mention(id, { length: id % 250 }) });
    const pages: number[] = [];
    for await (const frame of archive.scan.mentions("x").filter(pl.col("length").eq(7)).batches()) {
      pages.push(...idsOf(frame).map((id) => Math.ceil(id / 100)));
      if (pages.length === 1) expect(server.requests.length).toBeLessThanOrEqual(2);
    }
    expect(pages).toEqual([1, 3, 6, 8, 11, 13, 16, 18]);
  });

  it("batchSize is exact for every page size", async () => {
    const { archive } = await pagedArchive({ rows: 730 });
    for (const batchSize of [1, 30, 100, 365, 1000]) {
      const frames = await allOf(archive.scan.mentions("x").batches({ batchSize }));
      expect(frames.map(({ height }) => height)).toEqual(
        [...Array(Math.floor(730 / batchSize)).fill(batchSize), 730 % batchSize].filter((n) => n > 0),
      );
    }
    expect(() => archive.scan.mentions("x").batches({ batchSize: 0 })).toThrow(/invalid batchSize: 0/);
  });

  it("leaving the loop has requested at most one page ahead, and nothing follows", async () => {
    for (const batchSize of [undefined, 100, 250, 1000, 5]) {
      for (const leaveAfter of [1, 3]) {
        const { server, archive } = await pagedArchive({ rows: 5000 }, { concurrency: 8 });
        let rows = 0;
        let frames = 0;
        for await (const frame of archive.scan.mentions("x").batches({ batchSize })) {
          rows += frame.height;
          if (++frames === leaveAfter) break;
        }
        await server.quiet();
        expect(server.requests.length).toBeLessThanOrEqual(Math.ceil(rows / 100) + 1);
        expect(server.load.now).toBe(0);
      }
    }
  });
});
