import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cross, openCorpus } from "../../src/corpus/index.js";
import { openFleet } from "../../src/fleet/index.js";
import { clientTo } from "../client/clientTo.js";
import { type CorpusService, servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { tableBytes } from "../corpus/tableBytes.js";
import { temporaryFolder } from "../files/temporary.js";
import { KEY } from "../service/helpers.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";
import { startWorkerProcess } from "./workerProcess.js";

const root = temporaryFolder();
const searches = cross({ query: ["alpha", "beta"], mindate: "2024-01-01", maxdate: "2024-03-31" });

const folder = (name: string) => mkdtempSync(join(root, `${name}-`));

/** What one process makes of the service: the bytes, and the requests in order of their URLs. */
async function oneProcess(service: CorpusService) {
  const dir = folder("one");
  const corpus = await openCorpus(dir, { archive: clientTo(service, { pageSize: 10 }), searches, window: "month" });
  const before = service.server.requests.length;
  await corpus.build();
  return { bytes: tableBytes(dir), urls: urlsOf(service, before) };
}

function urlsOf(service: CorpusService, from: number): string[] {
  return service.server.requests
    .slice(from)
    .map(({ url }) => url)
    .sort();
}

describe.skipIf(!HAS_REDIS)("a corpus that a fleet builds", () => {
  it("has the bytes of one process, of the same requests, and Redis has seen neither key nor rows", async () => {
    await using service = await startCorpusService(servedRows(300));
    const expected = await oneProcess(service);
    await using server = await startRedis(folder("redis"));
    const [dir, storage] = [folder("fleet"), folder("storage")];
    await using first = await startWorkerProcess(service.baseUrl, server.url, storage);
    await using second = await startWorkerProcess(service.baseUrl, server.url, storage);
    const before = service.server.requests.length;
    const options = { baseUrl: service.baseUrl, pageSize: 10, storage, queue: server.url, corpus: dir };
    const archive = await openFleet(options);
    const corpus = await openCorpus(dir, { archive, searches, window: "month" });
    const summary = await corpus.build();
    await archive.close();
    expect(summary.verdict).toBe("complete");
    expect(tableBytes(dir)).toEqual(expected.bytes);
    expect(urlsOf(service, before)).toEqual(expected.urls);
    expect(summary.requests).toBe(expected.urls.length);
    expect(new Set(service.server.requests.slice(before).map(({ headers }) => headers["x-api-key"]))).toEqual(
      new Set([KEY]),
    );
    const pages: number[] = [];
    for (const worker of [first, second]) {
      expect(await worker.end("SIGTERM")).toBe(0);
      pages.push(Number(/(\d+) pages fetched/.exec(worker.output)?.[1]));
    }
    expect(Math.min(...pages)).toBeGreaterThan(0);
    expect(pages.reduce((sum, one) => sum + one)).toBeGreaterThan(expected.urls.length * 0.8);
    expect(await server.redis.keys("*")).toEqual([]);
    expect(readdirSync(storage)).toEqual([]);
    expect(existsSync(join(dir, "work", "queue"))).toBe(false);
    const disk = server.onDisk();
    expect(disk.includes("/mentions?query=alpha")).toBe(true);
    for (const secret of [KEY, "row alpha", "Ann Example", "Person 1", "Senate Session"])
      expect(disk.includes(secret), secret).toBe(false);
  });
});
