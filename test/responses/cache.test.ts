import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Provenance, provenanceOf } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { caption } from "../notebook/bundles.js";
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
    expect(caption(provenanceOf(again) as Provenance)).toContain(" · cached · ");
  });

  it("requests again what is too old, or was deleted meanwhile", async () => {
    const cache = { dir: join(root, "deleted"), maxAge: 86_400 };
    await using server = await startPagedServer({ rows: 3, row: largeRow });
    await using open = clientTo(server, { cache });
    const requests = async () => provenanceOf(await open.mentions("climate"))?.requests;
    expect([await requests(), await requests()]).toEqual([1, 0]);
    rmSync(cache.dir, { recursive: true });
    expect([await requests(), await requests()]).toEqual([1, 0]);
    await using later = clientTo(server, { cache });
    expect(provenanceOf(await later.mentions("climate"))).toMatchObject({ requests: 0, cached: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_401_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await requests()).toBe(1);
  });

  it("is separate for each service", async () => {
    const cache = { dir: join(root, "services"), maxAge: 3600 };
    const [one, two] = [await pagedArchive({ rows: 1 }, { cache }), await pagedArchive({ rows: 2 }, { cache })];
    expect((await one.archive.mentions("climate")).height).toBe(1);
    expect((await two.archive.mentions("climate")).height).toBe(2);
  });
});
