import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startWorker } from "../../src/fleet/index.js";
import { openFleetAt } from "../../src/fleet/openFleet.js";
import { ArchiveError, provenanceOf } from "../../src/index.js";
import { JumpingClock } from "../service/clocks.js";
import { errorOf, KEY } from "../service/helpers.js";
import { built, contentOf, oneProcess, openTestFleet, startServices, startWorkers } from "./fleets.js";
import { HAS_REDIS } from "./redisServer.js";

/** Larger than a response may be. */
const BOMB = gzipSync(Buffer.alloc(70 * 2 ** 20));

describe.skipIf(!HAS_REDIS)("a fleet", () => {
  it.each([1, 8])("of %i workers builds the corpus of one process, and counts what was sent", async (count) => {
    const { service, server } = await startServices(800);
    const expected = await oneProcess(service);
    let sent = 0;
    service.instead = ({ url }) =>
      !url.startsWith("/people") && ++sent % 10 === 0 ? { status: 500, body: {} } : undefined;
    await startWorkers(count, service, server);
    const { dir, corpus, build } = await built(await openTestFleet(service, server));
    const before = service.server.requests.length;
    const summary = await build();
    expect(summary.verdict).toBe("complete");
    expect(summary.requests).toBe(service.server.requests.length - before);
    expect(contentOf(dir)).toEqual(expected);
    expect((await corpus.verify()).ok).toBe(true);
  });

  it("serves whatever takes a client", async () => {
    const { service, server } = await startServices(100);
    await startWorkers(2, service, server);
    const archive = await openTestFleet(service, server);
    const frame = await archive.mentions("alpha", { maxItems: 30 });
    expect(frame.height).toBe(30);
    expect(provenanceOf(frame)).toMatchObject({ requests: 3, verdict: "capped" });
    expect((await archive.withPeople(frame.head(3))).getColumn("person_name").toArray()).toContain("Person 118");
  });

  it("sends 64 requests at once, also where a caller passes concurrency: undefined", async () => {
    const { service, server } = await startServices(10);
    const archive = await openTestFleet(service, server, { concurrency: undefined, timeout: undefined });
    const calls = Array.from({ length: 70 }, (_, at) => archive.mentions(`query ${at}`).catch(() => undefined));
    const waiting = async () => {
      const [queue = ""] = await server.redis.keys("*:wait");
      return queue === "" ? 0 : server.redis.llen(queue);
    };
    await expect.poll(waiting).toBe(64);
    await archive.close();
    await Promise.all(calls);
  });

  it("counts the requests that a worker repeated after a 429, and stops at maxRequests", async () => {
    const { service, server } = await startServices(400);
    await startWorkers(2, service, server, { concurrency: 1, backoffFactor: 0 });
    const archive = await openTestFleet(service, server, { concurrency: 2 });
    let sent = 0;
    service.instead = () => (++sent % 7 === 0 ? { status: 429, headers: { "retry-after": "0" }, body: {} } : undefined);
    const { build } = await built(archive);
    const before = service.server.requests.length;
    const summary = await build();
    expect(summary.requests).toBe(service.server.requests.length - before);
    service.instead = () => undefined;
    const other = await built(archive);
    const start = service.server.requests.length;
    expect(await other.build({ maxRequests: 20 })).toMatchObject({ verdict: "capped", requests: 20 });
    expect(service.server.requests.length - start).toBe(20);
    expect(await other.build()).toMatchObject({ verdict: "complete" });
  });

  it("shows neither a key nor a header to Redis, and keeps no response that was taken", async () => {
    const { service, server } = await startServices(200);
    await startWorkers(2, service, server);
    const { build } = await built(await openTestFleet(service, server));
    await build();
    const disk = server.onDisk();
    expect(disk.includes("alpha")).toBe(true);
    for (const secret of [KEY, "x-api-key", "the-workers-have-keys"]) expect(disk.includes(secret), secret).toBe(false);
    expect(await server.redis.keys("*:body:*")).toEqual([]);
  });

  it("goes on when Redis loses everything", async () => {
    const { service, server } = await startServices(400);
    const expected = await oneProcess(service);
    await startWorkers(2, service, server);
    const { dir, build } = await built(await openTestFleet(service, server, { maxRetries: 50 }));
    let count = 0;
    service.instead = async () => {
      if (++count % 12 === 0 && count <= 72) await server.redis.flushall();
      return undefined;
    };
    expect((await build()).verdict).toBe("complete");
    expect(contentOf(dir)).toEqual(expected);
  });

  it("goes on with other workers when a key is refused or its quota is used up", async () => {
    const { service, server } = await startServices(400);
    const expected = await oneProcess(service);
    const quota = { status: 429, body: { message: "Limit Exceeded" } };
    const stopping = [
      { key: "refused", response: { status: 403, body: { message: "Forbidden" } }, error: "AUTHENTICATION" },
      { key: "used-up", response: quota, error: "RATE_LIMITED" },
    ];
    for (const { key, response, error } of stopping) {
      service.instead = () => undefined;
      const [worker] = await startWorkers(1, service, server, { apiKey: key });
      await startWorkers(1, service, server);
      service.instead = ({ headers }) => (headers["x-api-key"] === key ? response : undefined);
      const { dir, build } = await built(await openTestFleet(service, server, { maxRetries: 10 }));
      expect((await build()).verdict).toBe("complete");
      expect(contentOf(dir)).toEqual(expected);
      expect(await worker?.refused).toMatchObject({ code: error });
    }
  });

  it("goes on when it misses that a request has ended", async () => {
    const { service, server } = await startServices(40);
    await startWorkers(1, service, server);
    const archive = await openTestFleet(service, server);
    // The connection for events is cut before it has read any, and is back when the request has ended.
    service.instead = async () => {
      for (const client of String(await server.redis.client("LIST")).split("\n"))
        if (/cmd=(?:xread|client.setname)/.test(client))
          await server.redis.client("KILL", "ID", /id=(\d+)/.exec(client)?.[1] ?? "");
      return undefined;
    };
    expect((await archive.mentions("alpha", { maxItems: 20 })).height).toBe(20);
  });

  it("says what to start when there is no worker", async () => {
    const { service, server } = await startServices(10);
    const options = { baseUrl: service.baseUrl, queue: server.url, progress: false };
    await using archive = await openFleetAt(options, new JumpingClock());
    const error = await errorOf(archive.mentions("alpha"), ArchiveError);
    expect([error.code, error.message]).toEqual(["QUEUE_FAILED", expect.stringContaining("archive-frames work")]);
  });

  it("stops a request at once when it is aborted", async () => {
    const { service, server } = await startServices(10);
    const archive = await openTestFleet(service, server);
    const stop = new AbortController();
    const search = archive.mentions("alpha", { signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(search).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("trusts nothing that somebody writes to Redis", async () => {
    const { service, server } = await startServices(40);
    const [worker] = await startWorkers(1, service, server);
    const archive = await openTestFleet(service, server, { maxRetries: 20 });
    // Whoever may write there replaces the first responses.
    let count = 0;
    service.instead = async () => {
      if (++count <= 3)
        setTimeout(async () => {
          for (const key of await server.redis.keys("*:body:*"))
            await server.redis.set(key, count === 1 ? "no gzip" : BOMB);
        }, 1);
      return undefined;
    };
    expect((await archive.mentions("alpha", { maxItems: 20 })).height).toBe(20);
    const { Queue } = await import("bullmq");
    const [name = ""] = (await server.redis.keys("bull:*:meta")).map((key) => key.split(":")[1] ?? "");
    const jobs = new Queue(name, { connection: server.redis });
    const before = worker?.requests;
    await jobs.add("request", { path: "/../../elsewhere?x=1", query: 5 });
    await expect.poll(() => jobs.getFailedCount()).toBe(1);
    expect(worker?.requests).toBe(before);
  });
});

describe.skipIf(!HAS_REDIS)("workers", () => {
  it("are kept to a quota that they state, which ends with them", async () => {
    const { service, server } = await startServices(10);
    const { Queue } = await import("bullmq");
    const workers = await startWorkers(2, service, server, { quota: "600/m" });
    const [name = ""] = (await server.redis.keys("bull:*:meta")).map((key) => key.split(":")[1] ?? "");
    const queue = new Queue(name, { connection: server.redis });
    expect(await queue.getGlobalRateLimit()).toEqual({ max: 600, duration: 60_000 });
    await workers[0]?.close();
    expect(await queue.getGlobalRateLimit()).not.toBeNull();
    await workers[1]?.close();
    expect(await queue.getGlobalRateLimit()).toBeNull();
    // Workers that were killed have left one.
    await queue.setGlobalRateLimit(1, 60_000);
    await startWorkers(1, service, server);
    expect(await queue.getGlobalRateLimit()).toBeNull();
  });

  it("do not start with a refused key, or a quota that is none", async () => {
    const { service, server } = await startServices(10);
    service.instead = () => ({ status: 403, body: { message: "Forbidden" } });
    const options = { apiKey: KEY, baseUrl: service.baseUrl, queue: server.url };
    await expect(startWorker(options)).rejects.toMatchObject({ code: "AUTHENTICATION" });
    await expect(startWorker({ ...options, quota: "25" })).rejects.toThrow('quota: "25/s"');
    await expect(startWorker({ ...options, storage: "x" } as never)).rejects.toThrow('invalid option: "storage"');
  });
});
