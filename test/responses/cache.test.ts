import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Provenance, provenanceOf } from "../../src/index.js";
import { caption } from "../../src/notebook/display/caption.js";
import { cacheDirectory } from "../../src/responses/options.js";
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

  it("deletes files older than maxAge and 30 days when it is opened, and requests missing ones again", async () => {
    const cache = { dir: join(root, "pruned"), maxAge: 86_400 };
    await using server = await startPagedServer({ rows: 3, row: largeRow });
    const stored = cacheDirectory(cache.dir, server.baseUrl);
    const ask = async () => {
      await using client = clientTo(server, { cache });
      return (await client.mentions("climate")).height;
    };
    await ask();
    const files = readdirSync(stored, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));
    const ageFiles = (days: number) => {
      const time = Date.now() / 1000 - days * 86_400;
      for (const name of files) utimesSync(join(stored, name), time, time);
    };
    ageFiles(29);
    await using open = clientTo(server, { cache });
    expect(files.map((name) => existsSync(join(stored, name)))).toEqual([true, true]);
    ageFiles(31);
    expect(await ask()).toBe(3);
    expect(server.requests).toHaveLength(2);
    // Another process deleted the responses in the meantime.
    rmSync(stored, { recursive: true });
    expect(provenanceOf(await open.mentions("climate"))).toMatchObject({ requests: 1, cached: 0 });
  });

  it("is separate for each service", async () => {
    const cache = { dir: join(root, "services"), maxAge: 3600 };
    const [one, two] = [await pagedArchive({ rows: 1 }, { cache }), await pagedArchive({ rows: 2 }, { cache })];
    expect((await one.archive.mentions("climate")).height).toBe(1);
    expect((await two.archive.mentions("climate")).height).toBe(2);
  });
});
