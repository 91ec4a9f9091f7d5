import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  AbortedError,
  APIError,
  type ArchiveClient,
  type FetchedResult,
  type PolarsFrame,
  pl,
  provenanceOf,
  type Row,
  ValidationError,
} from "../../src/index.js";
import { clientTo, mention, queryOf } from "../client/clientTo.js";
import { errorOf } from "../service/helpers.js";
import { startPagedServer } from "./pagedServer.js";

const ids = (frame: PolarsFrame) => frame.getColumn("id").toArray().map(Number);
const upTo = (count: number) => [...Array(count).keys()].map((at) => at + 1);

describe("a scan is lazy", () => {
  it("sends no request until it runs, even if printed, and can run again", async () => {
    await using server = await startPagedServer({ rows: 3 });
    await using archive = clientTo(server);
    const scan = archive.scan.mentions("x").filter(pl.col("length").gt(1)).head(2);
    expect(`${scan}${inspect(scan)}${scan.explain()}`).toContain("SCAN mentions");
    expect(server.requests).toHaveLength(0);
    expect(ids(await scan.collect())).toEqual([1, 2]);
    expect(ids(await scan.collect())).toEqual([1, 2]);
  });

  it("validates its parameters when it is created", () => {
    const { scan } = clientTo({ baseUrl: "http://127.0.0.1:9" });
    expect(() => scan.mentions("")).toThrow(ValidationError);
    expect(() => scan.mentions("x", { mindate: "2023-02-29" })).toThrow(/This day does not exist/);
    expect(() => scan.mentions("x", { maxItems: 5 } as never)).toThrow(/invalid option of mentions: "maxItems"/);
    expect(() => scan.programsSearch("date:[2024 TO 2025]")).toThrow(/fails on date ranges/);
    expect(() => scan.mentions("x").head(-1)).toThrow(/invalid rows: -1/);
  });

  it("is not modified by its verbs", async () => {
    await using server = await startPagedServer({ rows: 3 });
    await using archive = clientTo(server);
    const scan = archive.scan.mentions("x");
    scan.head(1);
    expect((await scan.collect()).height).toBe(3);
  });
});

describe("requests", () => {
  it("head(10) sends exactly one, for ten rows", async () => {
    await using server = await startPagedServer({ rows: 500 });
    await using archive = clientTo(server);
    expect(ids(await archive.scan.mentions("x").head(10).collect())).toEqual(upTo(10));
    expect(server.requests.map((request) => queryOf(request).limit)).toEqual(["10"]);
    expect(ids(await archive.scan.mentions("x").select("id").slice(5, 5).collect())).toEqual([6, 7, 8, 9, 10]);
    expect(server.requests.map((request) => queryOf(request).limit)).toEqual(["10", "10"]);
  });

  it("filter(…).head(n) stops after n rows", async () => {
    await using server = await startPagedServer({ rows: 1000, row: (id) => mention(id, { length: id }) });
    await using archive = clientTo(server, { pageSize: 50 });
    const frame = await archive.scan.mentions("x").filter(pl.col("length").gt(120)).head(20).collect();
    expect(ids(frame)).toEqual([...Array(20).keys()].map((at) => at + 121));
    expect(server.requests).toHaveLength(3);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "head", requests: 3 });
  });

  it("head(0) sends none", async () => {
    await using server = await startPagedServer({ rows: 5 });
    await using archive = clientTo(server);
    const frame = await archive.scan.mentions("x").head(0).collect();
    expect([frame.height, server.requests.length]).toEqual([0, 0]);
    expect(frame.columns).toContain("begintime");
  });

  it("several pages are fetched in parallel, in order, with few extra requests", async () => {
    await using server = await startPagedServer({ rows: 2030 });
    await using archive = clientTo(server, { concurrency: 4 });
    const frame = await archive.scan.mentions("x").collect();
    expect(ids(frame)).toEqual(upTo(2030));
    // 21 pages with rows, one to detect the end, and at most `concurrency` beyond it.
    expect(server.requests.length).toBeLessThanOrEqual(22 + 4);
    expect(server.connections.opened).toBeGreaterThan(1);
    expect(provenanceOf(frame)).toMatchObject({ rows: 2030, duplicates: 0, verdict: "complete", cursor: null });
  });

  it("continues by cursor after a page that is shorter than requested", async () => {
    for (const short of [1, 3, 8, 10]) {
      await using server = await startPagedServer({
        rows: 1000,
        instead: (offset) => {
          if (offset !== (short - 1) * 100) return undefined;
          const ids = upTo(40).map((at) => offset + at);
          return { body: { cursor: `c${offset + 40}`, mentions: ids.map((id) => mention(id)) } };
        },
      });
      await using archive = clientTo(server, { concurrency: 4 });
      const frame = await archive.scan.mentions("x").collect();
      expect(ids(frame)).toEqual(upTo(1000));
      expect(provenanceOf(frame)).toMatchObject({ rows: 1000, verdict: "complete" });
    }
  });

  it("maxItems requests no extra row", async () => {
    await using server = await startPagedServer({ rows: 5000 });
    await using archive = clientTo(server);
    const frame = await archive.scan.mentions("x").collect({ maxItems: 1230 });
    expect(ids(frame)).toEqual(upTo(1230));
    const asked = server.requests.map((request) => Number(queryOf(request).limit));
    expect(asked.reduce((sum, limit) => sum + limit, 0)).toBe(1230);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "maxItems", cursor: "c1230" });
  });

  it("maxRequests limits them", async () => {
    await using server = await startPagedServer({ rows: 5000 });
    await using archive = clientTo(server);
    const frame = await archive.scan.mentions("x").collect({ maxRequests: 7 });
    expect(ids(frame)).toEqual(upTo(700));
    expect(server.requests).toHaveLength(7);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "maxRequests", cursor: "c700" });
  });

  it("a service that sends smaller pages than requested is followed to the end", async () => {
    await using server = await startPagedServer({ rows: 430, most: 40 });
    await using archive = clientTo(server);
    expect(ids(await archive.scan.mentions("x").collect())).toEqual(upTo(430));
    expect(server.connections.opened).toBeGreaterThan(1);
  });

  it("a service that rejects the limit gets a request without it", async () => {
    await using server = await startPagedServer({ rows: 70, most: 40, strict: true });
    await using archive = clientTo(server);
    expect(ids(await archive.scan.mentions("x").collect())).toEqual(upTo(70));
    expect(queryOf(server.requests[1]).limit).toBeUndefined();
  });

  it("a service that ignores page numbers is followed by cursor", async () => {
    await using server = await startPagedServer({ rows: 450, unnumbered: true });
    await using archive = clientTo(server);
    const frame = await archive.scan.mentions("x").collect();
    expect(ids(frame)).toEqual(upTo(450));
    expect(provenanceOf(frame)).toMatchObject({ verdict: "complete", rows: 450 });
  });

  it("are sent one at a time if concurrency is 1", async () => {
    await using server = await startPagedServer({ rows: 450 });
    await using archive = clientTo(server, { concurrency: 1 });
    expect(ids(await archive.scan.mentions("x").collect())).toEqual(upTo(450));
    expect(server.load.peak).toBe(1);
    expect(server.requests).toHaveLength(6);
  });

  it("the next page is requested while the current one is processed", async () => {
    await using server = await startPagedServer({ rows: 60 });
    await using archive = clientTo(server, { concurrency: 2 });
    for await (const frame of archive.scan.mentions("x", { limit: 20 }).batches({ batchSize: 20 })) {
      await server.arrived(2);
      expect(frame.height).toBe(20);
      break;
    }
  });
});

describe("verbs", () => {
  const all = async (run: (archive: ArchiveClient) => Promise<PolarsFrame>) => {
    await using server = await startPagedServer({
      rows: 250,
      row: (id) => mention(id, { length: id % 7, personid: id % 3, by: { n: id } }),
    });
    await using archive = clientTo(server);
    return await run(archive);
  };

  it("behave as in polars", async () => {
    const frame = await all((archive) =>
      archive.scan
        .mentions("x")
        .filter(pl.col("length").gt(2))
        .withColumns(pl.col("length").mul(2).alias("double"))
        .drop("text", "link")
        .rename({ begintime: "time" })
        .select("id", "double", "time", pl.col("by.n"))
        .slice(2, 3)
        .collect(),
    );
    expect(frame.columns).toEqual(["id", "double", "time", "by.n"]);
    expect(ids(frame)).toEqual([5, 6, 10]);
  });

  it("sort by all keys at once, computed on the rows as they came", async () => {
    // Before, 1 to 250; the oracle sorts plain objects.
    const rows = [...Array(250).keys()].map((at) => ({
      id: String(at + 1),
      length: (at + 1) % 7,
      before: at === 0 ? null : at % 7,
    }));
    const by = (a: (typeof rows)[number], b: (typeof rows)[number]) =>
      b.length - a.length || Number(b.before === null) - Number(a.before === null) || (a.before ?? 0) - (b.before ?? 0);
    const wanted = rows.toSorted((a, b) => by(a, b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
    const sorted = await all((archive) =>
      archive.scan
        .mentions("x")
        .sort(["length", pl.col("length").shift(1)], [true, false])
        .collect(),
    );
    expect(sorted.getColumn("id").toArray()).toEqual(wanted);
    expect(sorted.columns).toContain("by.n");
    expect(sorted.columns.join()).not.toContain("sort");
  });

  it("that need all rows fetch them first", async () => {
    const groups = await all((archive) =>
      archive.scan
        .mentions("x")
        .groupBy("personid")
        .agg(pl.col("length").sum().alias("sum"), pl.col("id").count().alias("n"))
        .sort("personid")
        .collect(),
    );
    expect(groups.toRecords()).toMatchObject([
      { personid: 0, n: 83 },
      { personid: 1, n: 84 },
      { personid: 2, n: 83 },
    ]);
    const sorted = await all((archive) =>
      archive.scan.mentions("x").sort(["personid", "length"], [true, false]).head(2).collect(),
    );
    expect(sorted.select("personid", "length").rows()).toEqual([
      [2, 0],
      [2, 0],
    ]);
    expect((await all((archive) => archive.scan.mentions("x").unique("personid").collect())).height).toBe(3);
    expect(ids(await all((archive) => archive.scan.mentions("x").slice(-2, 2).collect()))).toEqual([249, 250]);
    expect(
      (
        await all((archive) =>
          archive.scan
            .mentions("x")
            .pipe((lazy) => lazy.reverse())
            .head(1)
            .collect(),
        )
      )
        .getColumn("id")
        .toArray(),
    ).toEqual(["250"]);
  });

  it("tail returns the last rows after fetching all of them", async () => {
    await using server = await startPagedServer({ rows: 250 });
    await using archive = clientTo(server);
    const scan = archive.scan.mentions("x");
    expect(ids(await scan.tail(3).collect())).toEqual([248, 249, 250]);
    expect(ids(await scan.tail().collect())).toEqual([246, 247, 248, 249, 250]);
    expect(ids(await scan.tail(400).collect())).toEqual(upTo(250));
    expect(ids(await scan.filter(pl.col("length").eq(30)).tail(2).head(1).collect())).toEqual([249]);
    expect(scan.tail(3).explain()).toContain("all rows   tail(3)");
    expect(() => scan.tail(-1)).toThrow(/invalid rows: -1/);
    const before = server.requests.length;
    expect((await scan.tail(0).collect()).height).toBe(0);
    expect(server.requests).toHaveLength(before);
  });

  it("with expressions that look beyond their row fetch all rows first", async () => {
    const above = await all((archive) =>
      archive.scan
        .mentions("x")
        .filter(pl.col("length").gt(pl.col("length").mean()))
        .collect(),
    );
    const lengths = upTo(250).map((id) => id % 7);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(above.height).toBe(lengths.filter((length) => length > mean).length);
    expect(
      (await all((archive) => archive.scan.mentions("x").select(pl.col("length").sum()).collect())).rows(),
    ).toEqual([[lengths.reduce((a, b) => a + b)]]);
  });

  it("of a danfo client return danfo frames", async () => {
    await using server = await startPagedServer({ rows: 3 });
    await using archive = clientTo(server, { engine: "danfo" });
    const frame = await archive.scan.mentions("x").select("id", "length").collect();
    expect(frame.shape).toEqual([3, 2]);
    expect(provenanceOf(frame)?.rows).toBe(3);
    expect((await archive.scan.mentions("x").collect({ engine: "polars" })).height).toBe(3);
  });

  it("reject an unknown column after one request", async () => {
    await using server = await startPagedServer({ rows: 500 });
    await using archive = clientTo(server);
    const error = await errorOf(
      archive.scan.mentions("x").filter(pl.col("persond").eq(1)).head(5).collect(),
      ValidationError,
    );
    expect(error.message).toMatch(/"persond" does not exist. The columns are "id", "begintime"/);
    expect(server.requests).toHaveLength(1);
    const other = await errorOf(
      archive.scan
        .mentions("x")
        .head(1)
        .filter(pl.col("length").eq(pl.lit("q")))
        .collect(),
      ValidationError,
    );
    expect(other.message).toMatch(/cannot compare string/);
  });

  it("accept JavaScript Dates", async () => {
    const early = await all((archive) =>
      archive.scan
        .mentions("x")
        .filter(pl.col("begintime").lt(new Date("2024-01-01")))
        .collect(),
    );
    expect(early.height).toBe(0);
    const late = await all((archive) =>
      archive.scan
        .mentions("x")
        .filter(pl.col("begintime").gtEq(new Date("2024-04-27T02:35:35Z")))
        .collect(),
    );
    expect(late.height).toBe(250);
  });
});

describe("frame by frame", () => {
  it("batches have the requested size, except the last", async () => {
    await using server = await startPagedServer({ rows: 250 });
    await using archive = clientTo(server);
    const heights: number[] = [];
    const seen: number[] = [];
    for await (const frame of archive.scan.mentions("x").batches({ batchSize: 70 })) {
      heights.push(frame.height);
      seen.push(...ids(frame));
    }
    expect(heights).toEqual([70, 70, 70, 40]);
    expect(seen).toEqual(upTo(250));
    const gathered: number[] = [];
    await archive.scan
      .mentions("x")
      .sort("id")
      .forEachBatch((frame) => void gathered.push(frame.height), { batchSize: 100 });
    expect(gathered).toEqual([100, 100, 50]);
  });

  it("the last result reports how a run without a frame ended", async () => {
    const page = (index: number) => ({ body: { cursor: `c${index}`, mentions: [mention(1)] } });
    await using server = await startPagedServer({ rows: 1, instead: (_offset, index) => page(index) });
    await using archive = clientTo(server, { concurrency: 1 });
    const ended = { verdict: "stopped", reason: "CURSOR_CIRCLES", rows: 1 };
    const drain = async (rows: AsyncIterable<Row>, into: unknown[]) => {
      for await (const row of rows) into.push(row.id);
    };
    for (const rows of [archive.scan.mentions("x").records(), archive.iterRecords("mentions", { query: "x" })]) {
      const seen: unknown[] = [];
      const error = await errorOf(drain(rows, seen), APIError);
      expect(error.code).toBe("CURSOR_CIRCLES");
      expect([...seen, ...ids((error.partial as FetchedResult<"polars">).frame).map(String)]).toEqual(["1"]);
      expect(provenanceOf(archive.lastResult()?.frame)).toMatchObject(ended);
    }
  });

  it("the scan can be iterated, and has records, count and first", async () => {
    await using server = await startPagedServer({ rows: 250 });
    await using archive = clientTo(server);
    const scan = archive.scan.mentions("x");
    let rows = 0;
    for await (const frame of scan) rows += frame.height;
    expect(rows).toBe(250);
    expect(await scan.filter(pl.col("length").gt(99)).count()).toBe(0);
    expect(await scan.count({ maxItems: 30 })).toBe(30);
    expect(ids(await scan.first())).toEqual([1]);
    const records: unknown[] = [];
    for await (const record of scan.records({ maxItems: 2 })) records.push(record.id);
    expect(records).toEqual(["1", "2"]);
  });

  it("a consumer that stops cancels pending requests", async () => {
    await using server = await startPagedServer({
      rows: 5000,
      instead: (offset) => (offset >= 100 ? { hang: true } : undefined),
    });
    await using archive = clientTo(server);
    for await (const frame of archive.scan.mentions("x").batches({ batchSize: 100 })) {
      expect(frame.height).toBe(100);
      await server.arrived(2);
      break;
    }
    await server.quiet();
    expect(server.load.now).toBe(0);
  });
});

describe("failures and interrupts", () => {
  it("keep the frame, cursor, rows and requests so far", async () => {
    await using server = await startPagedServer({
      rows: 5000,
      instead: (offset) => (offset >= 400 ? { status: 500, body: {} } : undefined),
    });
    await using archive = clientTo(server, { maxRetries: 0 });
    const error = await errorOf(archive.scan.mentions("x").select("id").collect(), APIError);
    const partial = error.partial as FetchedResult<"polars">;
    expect(partial).toMatchObject({ rows: 400, pages: 4, cursor: "c400" });
    expect(ids(partial.frame)).toEqual(upTo(400));
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
      await using archive = clientTo(server, { maxRetries: 0 });
      const handed: number[] = [];
      const scan = archive.scan.mentions("x").filter(pl.col("length").gt(1));
      const call = scan.forEachBatch((frame) => void handed.push(...ids(frame)), { batchSize: rows });
      const { partial } = (await errorOf(call, APIError)) as { partial: FetchedResult<"polars"> };
      expect([...handed, ...ids(partial.frame)]).toEqual(upTo(400));
    }
  });

  it("an abort takes effect while a page hangs and during backoff", async () => {
    for (const slow of [{ hang: true } as const, { status: 503, headers: { "retry-after": "100" }, body: {} }]) {
      const controller = new AbortController();
      await using server = await startPagedServer({
        rows: 5000,
        instead: (offset) => {
          if (offset < 200) return undefined;
          setImmediate(() => controller.abort());
          return slow;
        },
      });
      await using archive = clientTo(server);
      const error = await errorOf(archive.scan.mentions("x").collect({ signal: controller.signal }), AbortedError);
      expect(error.partial).toMatchObject({ rows: 200, cursor: "c200" });
    }
  });

  it("the signal of the notebook host applies by default", async () => {
    const controller = new AbortController();
    const name = Symbol.for("archive-frames.host");
    const host = globalThis as { [name: symbol]: unknown };
    host[name] = { signal: controller.signal };
    const abort = () => {
      controller.abort();
      return { hang: true } as const;
    };
    try {
      await using server = await startPagedServer({ rows: 500, instead: abort });
      await using archive = clientTo(server);
      await errorOf(archive.scan.mentions("x").collect(), AbortedError);
    } finally {
      delete host[name];
    }
  });
});

describe("late columns and types", () => {
  it("appear in the frame of all rows", async () => {
    const row = (id: number) => mention(id, { ...(id > 180 && { late: id }), ...(id === 190 && { personid: "x-1" }) });
    await using server = await startPagedServer({ rows: 250, row });
    await using archive = clientTo(server);
    const plain = await archive.scan.mentions("x").collect();
    const filtered = await archive.scan.mentions("x").filter(pl.col("length").gt(0)).head(1000).collect();
    for (const frame of [plain, filtered]) {
      expect(frame.getColumn("late").sum()).toBe([...Array(70).keys()].reduce((sum, at) => sum + at + 181, 0));
      expect(
        frame
          .getColumn("personid")
          .toArray()
          .filter((value) => value === "x-1"),
      ).toHaveLength(1);
      expect(
        frame
          .getColumn("personid")
          .toArray()
          .filter((value) => value === "6153"),
      ).toHaveLength(249);
    }
    expect(filtered.frameEqual(plain, true)).toBe(true);
  });
});
