import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { clientTo } from "../client/clientTo.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { tableBytes } from "../corpus/tableBytes.js";
import { temporaryFolder } from "../files/temporary.js";
import { KEY } from "../service/helpers.js";
import { folder, openBuild, searches, urlsOf } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";
import { startWorkerProcess } from "./workerProcess.js";

const root = temporaryFolder();

describe.skipIf(!HAS_REDIS)("a corpus that a fleet builds", () => {
  it("has the bytes of one process, of the same requests, whatever the clock of a worker says, and Redis has seen neither key nor rows", async () => {
    await using service = await startCorpusService(servedRows(150));
    const options = { searches, window: "month" } as const;
    const one = await openCorpus(folder(root, "one"), { archive: clientTo(service, { pageSize: 10 }), ...options });
    await one.build();
    const urls = urlsOf(service, 0);
    await using server = await startRedis(folder(root, "redis"));
    const [dir, storage] = [folder(root, "fleet"), folder(root, "storage")];
    await using first = await startWorkerProcess(service.baseUrl, server.url, storage);
    // Its clock is ten years ahead.
    const shift = "const now = Date.now; Date.now = () => now() + 10 * 365 * 86_400_000;";
    const preload = ["--import", `data:text/javascript,${encodeURIComponent(shift)}`];
    await using second = await startWorkerProcess(service.baseUrl, server.url, storage, [], preload);
    // With lookups.
    const { archive } = await openBuild(service, server, folder(root, "unused"), storage, { corpus: dir });
    const corpus = await openCorpus(dir, { archive, ...options });
    const summary = await corpus.build();
    await archive.close();
    expect(summary.verdict).toBe("complete");
    expect(tableBytes(dir)).toEqual(tableBytes(one.dir));
    expect(urlsOf(service, urls.length)).toEqual(urls);
    expect(summary.requests).toBe(urls.length);
    expect(new Set(service.server.requests.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set([KEY]));
    const pages: number[] = [];
    const ids = [first, second].map(({ output }) => /Its key is called ([\da-f]{8})\./.exec(output)?.[1]);
    expect(ids[0]).toBeDefined();
    expect(ids[1]).toBe(ids[0]);
    for (const worker of [first, second]) {
      expect(await worker.end("SIGTERM")).toBe(0);
      pages.push(Number(/(\d+) pages fetched/.exec(worker.output)?.[1]));
    }
    expect(Math.min(...pages)).toBeGreaterThan(0);
    expect(await server.redis.keys("*")).toEqual([]);
    expect(readdirSync(storage)).toEqual([]);
    expect(existsSync(join(dir, "work", "queue"))).toBe(false);
    const disk = server.onDisk();
    expect(disk.includes("/mentions?query=alpha")).toBe(true);
    for (const secret of [KEY, "row alpha", "Ann Example", "Person 1", "Senate Session"])
      expect(disk.includes(secret), secret).toBe(false);
  });
});
