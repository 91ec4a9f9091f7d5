import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { APIError, type FetchedResult, pl, provenanceOf, ValidationError } from "../../src/index.js";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { abortOf, errorOf } from "../service/helpers.js";
import { allOf, idsInto, idsOf, pagedArchive, startPagedServer, upTo } from "./pagedServer.js";

describe("a scan is lazy", () => {
  it("sends no request until it runs, even if printed, and can run again", async () => {
    const { server, archive } = await pagedArchive({ rows: 3 });
    const scan = archive.scan.mentions("x").filter(pl.col("length").gt(1)).head(2);
    expect(`${scan}${inspect(scan)}${scan.explain()}`).toContain("SCAN mentions");
    expect(server.requests).toHaveLength(0);
    expect(idsOf(await scan.collect())).toEqual([1, 2]);
    expect(idsOf(await scan.collect())).toEqual([1, 2]);
  });

  it("validates its parameters when it is created", () => {
    const { scan } = clientTo({ baseUrl: "http://127.0.0.1:9" });
    expect(() => scan.mentions("")).toThrow(ValidationError);
    expect(() => scan.mentions("x", { mindate: "2023-02-29" })).toThrow(/This day does not exist/);
    expect(() => scan.mentions("x", { maxItems: 5 } as never)).toThrow(/invalid option of mentions: "maxItems"/);
    expect(() => scan.programsSearch("date:[2024 TO 2025]")).toThrow(/fails on date ranges/);
    expect(() => scan.mentions("x").head(-1)).toThrow(/invalid rows: -1/);
  });
});

describe("requests", () => {
  it("head(10) sends exactly one, for ten rows", async () => {
    const { server, archive } = await pagedArchive({ rows: 500 });
    expect(idsOf(await archive.scan.mentions("x").head(10).collect())).toEqual(upTo(10));
    expect(server.requests.map((request) => queryOf(request).limit)).toEqual(["10"]);
    expect(() => archive.scan.mentions("x").head(-1)).toThrow(/invalid rows: -1/);
  });

  it("filter(…).head(n) stops after n rows", async () => {
    const { server, archive } = await pagedArchive(
      { rows: 1000, row: (id) => mention(id, { length: id }) },
      { pageSize: 50 },
    );
    const frame = await archive.scan.mentions("x").filter(pl.col("length").gt(120)).head(20).collect();
    expect(idsOf(frame)).toEqual([...Array(20).keys()].map((at) => at + 121));
    expect(server.requests).toHaveLength(3);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "head", requests: 3 });
  });

  it("maxItems requests no extra row", async () => {
    const { server, archive } = await pagedArchive({ rows: 5000 });
    const frame = await archive.scan.mentions("x").collect({ maxItems: 1230 });
    expect(idsOf(frame)).toEqual(upTo(1230));
    const asked = server.requests.map((request) => Number(queryOf(request).limit));
    expect(asked.reduce((sum, limit) => sum + limit, 0)).toBe(1230);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "maxItems", cursor: "c1230" });
  });

  it("the next page is requested while the current one is processed", async () => {
    const { server, archive } = await pagedArchive({ rows: 60 }, { concurrency: 2 });
    for await (const frame of archive.scan.mentions("x", { limit: 20 }).batches({ batchSize: 20 })) {
      await server.arrived(2);
      expect(frame.height).toBe(20);
      break;
    }
  });
});

describe("frame by frame", () => {
  it("the last result reports how a run without a frame ended", async () => {
    const page = (index: number) => ({ body: { cursor: `c${index}`, mentions: [mention(1)] } });
    const { archive } = await pagedArchive({ rows: 1, instead: (_offset, index) => page(index) }, { concurrency: 1 });
    const ended = { verdict: "stopped", reason: "CURSOR_CIRCLES", rows: 1 };
    const batches = async (seen: unknown[]) => {
      for await (const frame of archive.scan.mentions("x").batches()) seen.push(...frame.getColumn("id").toArray());
    };
    const records = async (seen: unknown[]) => {
      for await (const row of archive.iterRecords("mentions", { query: "x" })) seen.push(row.id);
    };
    for (const drain of [batches, records]) {
      const seen: unknown[] = [];
      const error = await errorOf(drain(seen), APIError);
      expect(error.code).toBe("CURSOR_CIRCLES");
      expect([...seen, ...idsOf((error.partial as FetchedResult<"polars">).frame).map(String)]).toEqual(["1"]);
      expect(provenanceOf(archive.lastResult()?.frame)).toMatchObject(ended);
    }
  });

  it("the scan can be iterated, and counted", async () => {
    const { archive } = await pagedArchive({ rows: 250 });
    const scan = archive.scan.mentions("x");
    expect((await allOf(scan)).flatMap(idsOf)).toEqual(upTo(250));
    expect(await scan.filter(pl.col("length").gt(99)).count()).toBe(0);
    expect(await scan.count({ maxItems: 30 })).toBe(30);
  });
});

describe("failures and interrupts", () => {
  it("keep the frame, cursor, rows and requests so far", async () => {
    const { archive } = await pagedArchive(
      {
        rows: 5000,
        instead: (offset) => (offset >= 400 ? { status: 500, body: {} } : undefined),
      },
      { maxRetries: 0 },
    );
    const error = await errorOf(archive.scan.mentions("x").select("id").collect(), APIError);
    const partial = error.partial as FetchedResult<"polars">;
    expect(partial).toMatchObject({ rows: 400, pages: 4, cursor: "c400" });
    expect(idsOf(partial.frame)).toEqual(upTo(400));
    // Without verbs: those are meant for all rows.
    expect(partial.frame.columns).toContain("text");
    expect(archive.lastResult()).toBe(partial);
  });

  it("keep the rows of an unfinished batch", async () => {
    await using server = await startPagedServer({
      rows: 5000,
      instead: (offset) => (offset >= 400 ? { status: 500, body: {} } : undefined),
    });
    for (const rows of [30, 150, 1000]) {
      await using archive = clientTo(server, { maxRetries: 0, pageSize: 100 });
      const handed: number[] = [];
      const scan = archive.scan.mentions("x").filter(pl.col("length").gt(1));
      const call = idsInto(handed, scan.batches({ batchSize: rows }));
      const { partial } = (await errorOf(call, APIError)) as { partial: FetchedResult<"polars"> };
      expect([...handed, ...idsOf(partial.frame)]).toEqual(upTo(400));
    }
  });

  it("an abort takes effect while a page hangs and during backoff", async () => {
    for (const slow of [{ hang: true } as const, { status: 503, headers: { "retry-after": "100" }, body: {} }]) {
      const controller = new AbortController();
      const { archive } = await pagedArchive({
        rows: 5000,
        instead: (offset) => {
          if (offset < 200) return undefined;
          setImmediate(() => controller.abort());
          return slow;
        },
      });
      const error = await abortOf(archive.scan.mentions("x").collect({ signal: controller.signal }));
      expect(error.partial).toMatchObject({ rows: 200, cursor: "c200" });
    }
  });

  it("the signal of the notebook host applies by default", async () => {
    const controller = new AbortController();
    vi.stubGlobal(Symbol.for("archive-frames.host"), { signal: controller.signal });
    onTestFinished(() => void vi.unstubAllGlobals());
    const abort = () => {
      controller.abort();
      return { hang: true } as const;
    };
    const { archive } = await pagedArchive({ rows: 500, instead: abort });
    await abortOf(archive.scan.mentions("x").collect());
  });
});
