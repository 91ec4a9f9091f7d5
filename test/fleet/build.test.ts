import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { fleetStatus, startWorker } from "../../src/fleet/index.js";
import { clientTo } from "../client/clientTo.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { KEY } from "../service/helpers.js";
import { contentOf, folder, oneProcess, openTestFleet, shape, startWorkers } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";
import { startS3 } from "./s3Server.js";

const root = temporaryFolder();

/** Numbers from 0 to below 1, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe.skipIf(!HAS_REDIS)("a corpus that a fleet builds", () => {
  it.each([1, 8])("has the bytes of one process with %i workers and random errors", async (count) => {
    await using service = await startCorpusService(servedRows(400));
    const expected = await oneProcess(service, root);
    await using server = await startRedis(folder(root, "redis"));
    const next = numbers(count);
    service.instead = () => (next() < 0.1 ? { status: 500, body: {} } : undefined);
    await using fleet = await openTestFleet(service, server, root);
    await using started = await startWorkers(count, fleet.work);
    const before = service.server.requests.length;
    const summary = await fleet.corpus.build();
    expect(summary.verdict).toBe("complete");
    expect(summary.requests).toBe(service.server.requests.length - before);
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    expect((await fleet.corpus.verify()).ok).toBe(true);
    const fetched = started.workers.map(({ windows }) => windows);
    expect(fetched.reduce((sum, windows) => sum + windows)).toBe(summary.windows.total);
    const raw = readdirSync(join(fleet.dir, "raw"), { recursive: true, withFileTypes: true });
    const modes = raw
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mode);
    expect(new Set(modes.map((mode) => mode & 0o777))).toEqual(new Set([0o600]));
  });

  it("leaves nothing but its rate, and has shown neither key nor rows to Redis", async () => {
    await using service = await startCorpusService(servedRows(200));
    await using server = await startRedis(folder(root, "redis"));
    const storage = folder(root, "storage");
    const dir = folder(root, "corpus");
    const fleet = await openTestFleet(service, server, root, { corpus: dir, storage });
    await using _started = await startWorkers(2, fleet.work);
    await fleet.corpus.build();
    const status = await fleetStatus({ queue: server.url, corpus: dir });
    expect(status).toMatchObject({
      workers: 2,
      keys: [{ workers: 2, refused: 0 }],
      windows: { waiting: 0, active: 0 },
    });
    expect(status.windows.done).toBe(status.windows.total);
    expect(status.requests).toBeGreaterThan(status.windows.total);
    await fleet[Symbol.asyncDispose]();
    await expect.poll(() => server.redis.keys(`archive-frames:*-*:*`), { timeout: 10_000 }).toEqual([]);
    expect(readdirSync(storage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual(
      [],
    );
    expect(existsSync(join(dir, "work", "queue"))).toBe(false);
    const disk = server.onDisk();
    expect(disk.includes("alpha")).toBe(true);
    for (const secret of [KEY, "row alpha", "Ann Example", "Senate Session"])
      expect(disk.includes(secret), secret).toBe(false);
  });

  it("goes on in one process, which reads the journals of the workers, and back", async () => {
    await using service = await startCorpusService(servedRows(1200));
    const expected = await oneProcess(service, root);
    await using server = await startRedis(folder(root, "redis"));
    const dir = folder(root, "corpus");
    const more = { corpus: dir, window: undefined as never };
    const whole = await openCorpus(folder(root, "whole"), {
      archive: clientTo(service, { pageSize: 10 }),
      ...shape,
      window: undefined,
    });
    const least = (await whole.build()).requests;
    const before = service.server.requests.length;
    for (const maxRequests of [7, 9]) {
      await using fleet = await openTestFleet(service, server, root, more);
      await using _started = await startWorkers(2, fleet.work);
      const summary = await fleet.corpus.build({ maxRequests });
      expect(summary).toMatchObject({ verdict: "capped", reason: "maxRequests", requests: maxRequests });
    }
    const corpus = await openCorpus(dir, { archive: clientTo(service, { pageSize: 10 }) });
    expect((await corpus.build()).verdict).toBe("complete");
    expect(contentOf(dir)).toEqual(contentOf(whole.dir));
    expect(contentOf(dir)).not.toEqual(expected.bytes);
    // Each of two workers has checked its key twice, and each of two windows has asked twice for its last page again.
    expect(service.server.requests.length - before - least).toBeLessThanOrEqual(8);
  });

  it("comes through a bucket, whose credentials appear nowhere", async () => {
    await using service = await startCorpusService(servedRows(200));
    const expected = await oneProcess(service, root);
    await using server = await startRedis(folder(root, "redis"));
    await using s3 = await startS3("study");
    const { cloudOptions } = s3;
    s3.objects.set("fleet/notes.txt", Buffer.from("mine"));
    s3.failing = [503, 429];
    const fleet = await openTestFleet(service, server, root, { storage: "s3://study/fleet", cloudOptions });
    await using _started = await startWorkers(2, { ...fleet.work, cloudOptions });
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    await fleet[Symbol.asyncDispose]();
    expect([...s3.objects.keys()]).toEqual(["fleet/notes.txt"]);
    expect(server.onDisk().includes(cloudOptions.aws_secret_access_key as string)).toBe(false);
  });

  it("sends maxRequests requests, also when Redis loses everything", async () => {
    await using service = await startCorpusService(servedRows(2000));
    await using server = await startRedis(folder(root, "redis"), false);
    await using fleet = await openTestFleet(service, server, root);
    await using _started = await startWorkers(3, fleet.work);
    const before = service.server.requests.length;
    let restarting: Promise<void> | undefined;
    service.instead = () => {
      if (service.server.requests.length - before === 60) restarting = server.restart();
      return undefined;
    };
    const summary = await fleet.corpus.build({ maxRequests: 100 });
    await restarting;
    expect(restarting).toBeDefined();
    expect(service.server.requests.length - before).toBe(100);
    expect(summary).toMatchObject({ verdict: "capped", reason: "maxRequests" });
    expect((await fleet.corpus.build()).verdict).toBe("complete");
  });

  it("pauses all workers for the Retry-After of one", async () => {
    await using service = await startCorpusService(servedRows(400));
    await using server = await startRedis(folder(root, "redis"));
    await using fleet = await openTestFleet(service, server, root);
    await using _started = await startWorkers(4, fleet.work);
    const before = service.server.requests.length;
    let refusedAt: number | undefined;
    const gaps: number[] = [];
    service.instead = () => {
      const now = performance.now();
      if (refusedAt === undefined && service.server.requests.length - before > 30) {
        refusedAt = now;
        return { status: 429, headers: { "retry-after": "2" }, body: {} };
      }
      if (refusedAt !== undefined) gaps.push(now - refusedAt);
      return undefined;
    };
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    // What was on the wire, then nothing until the pause is over.
    expect(gaps.filter((gap) => gap > 500 && gap < 1900)).toEqual([]);
    expect(gaps.some((gap) => gap >= 1900)).toBe(true);
  });
});

describe.skipIf(!HAS_REDIS)("a worker that does not fit", () => {
  it("says which of storage, version and key is wrong, takes nothing, and stops nobody", async () => {
    await using service = await startCorpusService(servedRows(200));
    await using server = await startRedis(folder(root, "redis"));
    await using fleet = await openTestFleet(service, server, root);
    service.instead = ({ headers }) => (headers["x-api-key"] === KEY ? undefined : { status: 401, body: {} });
    await expect(startWorker({ ...fleet.work, apiKey: "wrong-key-0123" })).rejects.toMatchObject({
      code: "AUTHENTICATION",
      message: expect.stringContaining("taken no window"),
    });
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    const elsewhere = { ...fleet.work, storage: folder(root, "elsewhere"), onProblem };
    await using other = await startWorkers(1, elsewhere);
    await using right = await startWorkers(1, fleet.work);
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    expect(problems).toEqual([expect.stringMatching(/^takes no window: the storage at .*elsewhere.* is not the one/)]);
    expect(other.workers[0]?.windows).toBe(0);
    const [plan] = await server.redis.keys("*:plan");
    await server.redis.hset(plan as string, "version", "0.0.1");
    await right.workers[0]?.close();
    // The coordinator says its version again in a second.
    const late: string[] = [];
    await using _late = await startWorkers(1, { ...fleet.work, onProblem: (problem) => void late.push(problem) });
    await server.redis.hset(plan as string, "version", "0.0.1");
    expect(right.workers[0]?.windows).toBeGreaterThan(0);
  });
});
