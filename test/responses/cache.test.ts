import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Provenance, provenanceOf } from "../../src/index.js";
import { caption } from "../../src/notebook/display/caption.js";
import { pruneCache } from "../../src/responses/pruneCache.js";
import { cacheDirectory } from "../../src/responses/snapshotOptions.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { largeRow } from "./recording.js";

const root = temporaryFolder();

describe("a cache", () => {
  it("reuses responses, even in a later client, and reports no requests", async () => {
    const cache = { dir: join(root, "later"), maxAge: 3600 };
    const { server, archive: one } = await pagedArchive({ rows: 250 }, { cache });
    const frame = await one.mentions("climate", { maxItems: 250 });
    expect(provenanceOf(frame)).toMatchObject({ requests: 3, cached: 0, snapshot: null });
    await using other = clientTo(server, { pageSize: 100, cache });
    const before = server.requests.length;
    const again = await other.mentions("climate", { maxItems: 250 });
    expect(server.requests.length).toBe(before);
    expect(again.frameEqual(frame)).toBe(true);
    expect(provenanceOf(again)).toMatchObject({ requests: 0, cached: 3, sha256: provenanceOf(frame)?.sha256 });
    expect(caption(provenanceOf(again) as Provenance)).toContain("from just now, cached");
  });

  it("prunes responses older than maxAge and 30 days, and requests missing ones again", async () => {
    const dir = join(root, "pruned");
    await using server = await startPagedServer({ rows: 3, row: largeRow });
    const own = cacheDirectory(dir, server.baseUrl);
    const DAY = 86_400;
    const ask = async () => {
      await using client = clientTo(server, { cache: { dir, maxAge: Number.POSITIVE_INFINITY } });
      return (await client.mentions("climate")).height;
    };
    expect(await ask()).toBe(3);
    for (const [days, maxAge, files] of [
      [29, DAY, 2],
      [40, 50 * DAY, 2],
      [40, Number.POSITIVE_INFINITY, 2],
      [31, DAY, 0],
    ] as const) {
      pruneCache(own, maxAge, Date.now() + days * DAY * 1000);
      expect([days, readdirSync(own, { recursive: true }).filter((name) => name !== "bodies").length]).toEqual([
        days,
        files,
      ]);
      expect(await ask()).toBe(3);
    }
    expect(server.requests.length).toBe(2);
    // Another process deleted the responses in the meantime.
    await using open = clientTo(server, { cache: { dir, maxAge: DAY } });
    rmSync(own, { recursive: true });
    const frame = await open.mentions("climate");
    expect(provenanceOf(frame)).toMatchObject({ requests: 1, cached: 0 });
  });

  it("is separate for each service", async () => {
    const cache = { dir: join(root, "services"), maxAge: 3600 };
    const [one, two] = [await pagedArchive({ rows: 1 }, { cache }), await pagedArchive({ rows: 2 }, { cache })];
    expect((await one.archive.mentions("climate")).height).toBe(1);
    expect((await two.archive.mentions("climate")).height).toBe(2);
  });
});
