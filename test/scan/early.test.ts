import { describe, expect, it } from "vitest";
import { type ArchiveClient, type ArchiveScan, type PolarsFrame, pl, provenanceOf } from "../../src/index.js";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";
import { startPagedServer } from "./pagedServer.js";

const ids = (frame: PolarsFrame) => frame.getColumn("id").toArray().map(Number);
const upTo = (count: number) => [...Array(count).keys()].map((at) => at + 1);

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
  it("the first after one page, then larger and larger ones", async () => {
    await using server = await startBills(3000);
    await using archive = clientTo(server);
    const heights: number[] = [];
    const seen: number[] = [];
    for await (const frame of archive.scan.bills("x").batches()) {
      if (heights.length === 0) expect(server.requests.length).toBeLessThanOrEqual(2);
      heights.push(frame.height);
      seen.push(...ids(frame));
    }
    expect(heights).toEqual([20, 40, 80, 160, 320, 640, 1280, 460]);
    expect(seen).toEqual(upTo(3000));
    expect(server.requests).toHaveLength(151);
  });

  it("a search with few matches yields each match immediately", async () => {
    await using server = await startPagedServer({ rows: 2000, row: (id) => mention(id, { length: id % 250 }) });
    await using archive = clientTo(server);
    const pages: number[] = [];
    for await (const frame of archive.scan.mentions("x").filter(pl.col("length").eq(7)).batches()) {
      pages.push(...ids(frame).map((id) => Math.ceil(id / 100)));
      if (pages.length === 1) expect(server.requests.length).toBeLessThanOrEqual(2);
    }
    expect(pages).toEqual([1, 3, 6, 8, 11, 13, 16, 18]);
  });

  it("batchSize is exact for every page size", async () => {
    await using server = await startPagedServer({ rows: 730 });
    await using archive = clientTo(server);
    for (const batchSize of [1, 30, 100, 365, 1000]) {
      const heights: number[] = [];
      for await (const frame of archive.scan.mentions("x").batches({ batchSize })) heights.push(frame.height);
      expect(heights).toEqual(
        [...Array(Math.floor(730 / batchSize)).fill(batchSize), 730 % batchSize].filter((n) => n > 0),
      );
    }
    expect(() => archive.scan.mentions("x").batches({ batchSize: 0 })).toThrow(/invalid batchSize: 0/);
    expect(() => archive.scan.mentions("x").batches({ rows: 10 } as never)).toThrow(
      /invalid option of batches: "rows". It is now called batchSize/,
    );
  });

  it("leaving the loop has requested at most one page ahead, and nothing follows", async () => {
    for (const batchSize of [undefined, 100, 250, 1000, 5]) {
      for (const leaveAfter of [1, 2, 3, 5]) {
        await using server = await startPagedServer({ rows: 5000 });
        await using archive = clientTo(server, { concurrency: 8 });
        let rows = 0;
        let frames = 0;
        for await (const frame of archive.scan.mentions("x").batches({ batchSize })) {
          rows += frame.height;
          if (++frames === leaveAfter) break;
        }
        await server.quiet();
        // One page ahead, and the requests that check page numbers against the cursor.
        expect(server.requests.length).toBeLessThanOrEqual(1.1 * Math.ceil(rows / 100) + 2);
        expect(server.load.now).toBe(0);
      }
    }
  });

  it("the pages of one frame are requested in parallel", async () => {
    await using server = await startPagedServer({ rows: 5000 });
    await using archive = clientTo(server, { concurrency: 4 });
    for await (const _ of archive.scan.mentions("x").batches({ batchSize: 2000 }));
    expect(server.connections.opened).toBeGreaterThan(1);
    expect(server.requests.length).toBeLessThanOrEqual(51 + 7);
  });

  it("without pushdown, head is not sent to the service, but the run still ends early", async () => {
    await using server = await startPagedServer({ rows: 500 });
    await using archive = clientTo(server);
    const scan = archive.scan.mentions("x").pushdown(false);
    expect(scan.head(10).explain()).toContain("limit=100");
    expect(ids(await scan.head(10).collect())).toEqual(upTo(10));
    expect(server.requests.map((request) => queryOf(request).limit)).toEqual(["100"]);
    expect((await scan.head(0).collect()).height).toBe(0);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a sorted search ends early only if its order is proven", () => {
  const DAY = 86_400_000;
  const start = Date.parse("2025-06-30T20:00:00Z");
  const program = (id: number, time: number) => ({
    id,
    title: "t",
    ...(!Number.isNaN(time) && { date: new Date(time).toISOString() }),
  });

  /** Programs in the given order, 10 on a page; ignores the requested sort. */
  const run = async (times: readonly number[], ask: (archive: ArchiveClient) => ArchiveScan<"programsSearch">) => {
    await using server = await startScriptedServer((request) => {
      const offset = Number(queryOf(request).cursor ?? 0);
      const programs = times.slice(offset, offset + 10).map((time, at) => program(offset + at + 1, time));
      return { body: { cursor: String(offset + programs.length), ...(programs.length > 0 && { programs }) } };
    });
    await using archive = clientTo(server);
    const got = await ask(archive).collect();
    const whole = await ask(archive).pushdown(false).collect();
    expect(ids(got)).toEqual(ids(whole));
    return { rows: got.height, requests: provenanceOf(got)?.requests as number };
  };
  const programsSince = (time: number) => (archive: ArchiveClient) =>
    archive.scan
      .programsSearch("x")
      .filter(pl.col("date").gtEq(new Date(time)))
      .sort("date", { descending: true });

  it("when sorted to the second, or only by day", async () => {
    const sorted = [...Array(200).keys()].map((at) => start - at * DAY);
    expect(await run(sorted, programsSince(start - 15 * DAY))).toEqual({ rows: 16, requests: 2 });
    // Times within a day are unordered; the bound is in the middle of a day.
    const byDay = [...Array(200).keys()].map((at) => start - Math.floor(at / 4) * DAY - ((at * 7) % 4) * 4 * 3_600_000);
    const result = await run(byDay, programsSince(start - 15 * DAY - 5 * 3_600_000));
    expect(result.requests).toBeLessThan(12);
  });

  it("but not on a page that only looks sorted", async () => {
    // The only row outside the bound comes first; the service ignores the sort.
    const first = [start - 90 * DAY, ...[...Array(29).keys()].map((at) => start - at * 3_600_000)];
    expect((await run(first, programsSince(start - 3 * DAY))).rows).toBe(29);
    // A page of ordered rows, all outside the bound, followed by rows within it.
    const page = [
      ...[...Array(10).keys()].map((at) => start - (50 + at) * DAY),
      ...[...Array(25).keys()].map(() => start),
    ];
    expect((await run(page, programsSince(start - 3 * DAY))).rows).toBe(25);
    const same = [...Array(10).fill(start - 50 * DAY), ...Array(19).fill(start)] as number[];
    expect((await run(same, programsSince(start - 3 * DAY))).rows).toBe(19);
    // A row without a date proves nothing.
    const sorted = [...Array(60).keys()].map((at) => start - at * DAY);
    const undated = [...sorted.slice(0, 5), Number.NaN, ...sorted.slice(5)];
    expect(await run(undated, programsSince(start - 3 * DAY))).toEqual({ rows: 4, requests: 8 });
  });
});
