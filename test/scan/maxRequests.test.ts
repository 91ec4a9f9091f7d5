import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArchiveScan, provenanceOf, readFrame } from "../../src/index.js";
import { clientTo, mention } from "../client/clientTo.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";
import { allOf, idsOf, type PagedOptions, pagedArchive, startPagedServer } from "./pagedServer.js";

const ROWS = 900;
const folder = newFolders(temporaryFolder());

/** What a service may do instead of sending the page, by the index of the request on the wire. */
const TROUBLES: Readonly<Record<string, PagedOptions["instead"]>> = {
  nothing: () => undefined,
  "a refusal each second time": (_, index) => (index % 2 === 0 ? { status: 503 } : undefined),
  "a 429 each third time": (_, index) =>
    index % 3 === 1 ? { status: 429, headers: { "retry-after": "0" } } : undefined,
  "a reset connection each fourth time": (_, index) => (index % 4 === 2 ? { reset: true } : undefined),
};

type Bounds = { maxRequests: number };

/** Every way to run a scan, each returning the number of rows. */
const WAYS: Readonly<Record<string, (scan: ArchiveScan<"mentions">, bounds: Bounds) => Promise<number>>> = {
  collect: async (scan, bounds) => (await scan.collect(bounds)).height,
  "collect of a sort": async (scan, bounds) => (await scan.sort("id").collect(bounds)).height,
  batches: async (scan, bounds) => (await allOf(scan.batches({ ...bounds, batchSize: 150 }))).flatMap(idsOf).length,
  count: (scan, bounds) => scan.count(bounds),
  sink: async (scan, bounds) => {
    const path = await scan.sink(join(folder(), "a.parquet"), bounds);
    return provenanceOf(await readFrame(path))?.rows as number;
  },
};

/** A row whose column changes type late. */
const widening = (id: number) => mention(id, { score: id > 250 ? 1.5 : id });

describe.each(Object.keys(WAYS))("maxRequests of %s", (name) => {
  const way = WAYS[name] as (typeof WAYS)[string];

  it("bounds the requests on the wire, whatever the service does", async () => {
    const kinds = fc.record({
      maxRequests: fc.integer({ min: 1, max: 14 }),
      trouble: fc.constantFrom(...Object.keys(TROUBLES)),
      unnumbered: fc.boolean(),
      most: fc.constantFrom(100, 40),
      concurrency: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(kinds, async ({ maxRequests, trouble, unnumbered, most, concurrency }) => {
        const instead = TROUBLES[trouble];
        await using server = await startPagedServer({
          rows: ROWS,
          row: widening,
          unnumbered,
          most,
          ...(instead && { instead }),
        });
        await using archive = clientTo(server, { concurrency });
        const rows = await way(archive.scan.mentions("x"), { maxRequests }).catch((error) => error);
        expect(server.requests.length).toBeLessThanOrEqual(maxRequests);
        if (typeof rows === "number") expect(rows % most).toBe(0);
        // No rows: the call failed with the error it would have retried.
        else expect(["SERVER_ERROR", "RATE_LIMITED", "CONNECTION_FAILED", "OUT_OF_REQUESTS"]).toContain(rows.code);
        if (typeof rows !== "number") expect(rows.partial).toBeUndefined();
        if (trouble === "nothing" && !unnumbered && most === 100) expect(rows).toBe(Math.min(ROWS, maxRequests * most));
      }),
      { numRuns: runs(3, 15) },
    );
  });
});

describe("a result capped by maxRequests", () => {
  it("has a cursor that continues it", async () => {
    const { archive } = await pagedArchive(
      {
        rows: 430,
        unnumbered: true,
        instead: TROUBLES["a refusal each second time"],
      },
      { concurrency: 1 },
    );
    const frame = await archive.scan.mentions("x").collect({ maxRequests: 4 });
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "maxRequests", requests: 4 });
    expect(frame.height).toBeGreaterThan(0);
    const { cursor } = provenanceOf(frame) ?? {};
    expect(cursor).toBe(`c${frame.height}`);
  });

  it("without a page throws the error of the last attempt", async () => {
    const { server, archive } = await pagedArchive({ rows: 430, instead: () => ({ status: 503 }) });
    const error = await archive.scan
      .mentions("x")
      .collect({ maxRequests: 2 })
      .catch((reason) => reason);
    expect(error).toMatchObject({ code: "SERVER_ERROR", statusCode: 503 });
    expect(error.message).toContain("after 2 attempts");
    expect(server.requests).toHaveLength(2);
  });

  it.each(Object.keys(TROUBLES))("is replayed as it was recorded, if the service does %s", async (trouble) => {
    const dir = folder();
    await using server = await startPagedServer({ rows: ROWS, instead: TROUBLES[trouble] });
    const run = async (mode: "record" | "replay") => {
      await using archive = clientTo(server, { snapshot: { dir, mode } });
      const frame = await archive.scan.mentions("x").collect({ maxRequests: 6 });
      return [idsOf(frame), provenanceOf(frame)?.verdict];
    };
    const recorded = await run("record");
    expect(server.requests.length).toBeLessThanOrEqual(6);
    expect(await run("replay")).toEqual(recorded);
  });

  it("does not count responses from a cache or an unfinished run", async () => {
    const cache = { dir: folder(), maxAge: 3600 };
    await using server = await startPagedServer({ rows: ROWS });
    for (const height of [300, 600]) {
      await using archive = clientTo(server, { cache, pageSize: 100 });
      expect((await archive.scan.mentions("x").collect({ maxRequests: 3 })).height).toBe(height);
    }
    expect(server.requests).toHaveLength(6);
  });
});
