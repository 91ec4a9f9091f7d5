import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { cleanQueue, fleetStatus, startWorker } from "../../src/fleet/index.js";
import { readFrame, toRecords } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import type { CorpusService } from "../corpus/corpusServer.js";
import { isRoot, users } from "../fs/users.js";
import { sampled } from "../scale.js";
import { KEY } from "../service/helpers.js";
import {
  contentOf,
  folder,
  oneProcess,
  openTestFleet,
  shape,
  startFleet,
  startServices,
  startWorkers,
} from "./fleetOf.js";
import { HAS_REDIS, type RedisServer } from "./redisServer.js";
import { startS3 } from "./s3Server.js";
import { MAIN } from "./workerProcess.js";

const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe.skipIf(!HAS_REDIS)("a corpus that a fleet builds", () => {
  it.each(sampled([8, 1]))("has the bytes of one process with %i workers and errors", async (count) => {
    const { service, server } = await startServices(400);
    const expected = await oneProcess(service);
    let sent = 0;
    service.instead = () => (++sent % 10 === 0 ? { status: 500, body: {} } : undefined);
    await using fleet = await openTestFleet(service, server);
    await using started = await startWorkers(count, fleet.work);
    const before = service.server.requests.length;
    const summary = await fleet.corpus.build();
    expect(summary.verdict).toBe("complete");
    expect(summary.requests).toBe(service.server.requests.length - before);
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    expect((await fleet.corpus.verify()).ok).toBe(true);
    const fetched = started.workers.map(({ windows }) => windows);
    expect(fetched.reduce((sum, windows) => sum + windows)).toBe(summary.windows.total);
    expect(statSync(join(fleet.dir, "corpus.duckdb")).mode & 0o777).toBe(0o600);
  });

  it("requests nothing again for workers that are too slow to keep the locks of their windows", async () => {
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    const { service, server, fleet, workers } = await startFleet(400, 2, { lostAfter: 5, onProblem });
    const expected = await oneProcess(service);
    const before = service.server.requests.length;
    const lost = new Set<string>();
    // The first worker of each window loses its lock while it fetches.
    service.instead = async () => {
      const locks = (await server.redis.keys("archive-frames:*:lock")).filter((key) => !lost.has(key));
      if (locks.length > 0) await server.redis.unlink(...locks);
      for (const key of locks) lost.add(key);
      return undefined;
    };
    const summary = await fleet.corpus.build();
    expect(summary.verdict).toBe("complete");
    expect(lost.size).toBe(summary.windows.total);
    expect(problems).toEqual([]);
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    expect(workers.reduce((sum, { windows }) => sum + windows, 0)).toBe(summary.windows.total);
    expect(service.server.requests.length - before).toBe(expected.requests);
  });

  it("leaves nothing but its rate, and has shown neither key nor rows to Redis", async () => {
    const { server, fleet } = await startFleet(200, 2);
    const { dir, storage } = fleet;
    await fleet.corpus.build();
    const statusOf = () => fleetStatus({ queue: server.url, corpus: dir });
    // One of them may have built it before the other has joined.
    await expect.poll(async () => (await statusOf()).workers).toBe(2);
    const status = await statusOf();
    expect(status).toMatchObject({ workers: 2, windows: { waiting: 0, active: 0 } });
    expect(status.windows.done).toBe(status.windows.total);
    expect(status.requests).toBeGreaterThan(status.windows.total);
    await fleet[Symbol.asyncDispose]();
    await expect.poll(() => server.redis.keys(`archive-frames:*-*:*`)).toEqual([]);
    expect(filesIn(storage)).toEqual([]);
    expect(existsSync(join(dir, "work", "queue"))).toBe(false);
    const disk = server.onDisk();
    expect(disk.includes("alpha")).toBe(true);
    for (const secret of [KEY, "row alpha", "Ann Example", "Senate Session"])
      expect(disk.includes(secret), secret).toBe(false);
  });

  it("leaves nothing either if it is closed while Redis restarts", async () => {
    const { server, fleet } = await startFleet(200, 1);
    await fleet.corpus.build();
    await server.stop();
    const closing = fleet[Symbol.asyncDispose]();
    await server.restart();
    await closing;
    await expect.poll(() => server.redis.keys(`archive-frames:*-*:*`)).toEqual([]);
    expect(filesIn(fleet.storage)).toEqual([]);
    expect(existsSync(join(fleet.dir, "work", "queue"))).toBe(false);
  });

  it("goes on in one process, which reads the journals of the workers, and back", async () => {
    const { service, server } = await startServices(1200);
    const expected = await oneProcess(service);
    const dir = folder("corpus");
    const more = { corpus: dir, window: undefined as never };
    const whole = await openCorpus(folder("whole"), {
      archive: clientTo(service, { pageSize: 10 }),
      ...shape,
      window: undefined,
    });
    const least = (await whole.build()).requests;
    const before = service.server.requests.length;
    for (const maxRequests of [7, 9]) {
      await using fleet = await openTestFleet(service, server, more);
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
    const { service, server } = await startServices(200);
    const expected = await oneProcess(service);
    await using s3 = await startS3("study");
    const { cloudOptions } = s3;
    s3.objects.set("fleet/notes.txt", Buffer.from("mine"));
    s3.failing = [503, 429];
    const fleet = await openTestFleet(service, server, { storage: "s3://study/fleet", cloudOptions });
    await using _started = await startWorkers(2, { ...fleet.work, cloudOptions });
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    await fleet[Symbol.asyncDispose]();
    expect([...s3.objects.keys()]).toEqual(["fleet/notes.txt"]);
    expect(server.onDisk().includes(cloudOptions.aws_secret_access_key as string)).toBe(false);
  });

  it("sends maxRequests requests, also when Redis loses everything", async () => {
    const { service, server } = await startServices(2000, "never");
    await using fleet = await openTestFleet(service, server);
    await using _started = await startWorkers(3, fleet.work);
    const before = service.server.requests.length;
    let restarting: Promise<void> | undefined;
    service.instead = () => {
      if (service.server.requests.length - before === 40) restarting = server.restart();
      return undefined;
    };
    // Fewer than all windows take, so that the build cannot be complete.
    const summary = await fleet.corpus.build({ maxRequests: 70 });
    await restarting;
    expect(restarting).toBeDefined();
    // A worker may be about to send for a window that Redis has lost.
    await expect.poll(() => service.server.requests.length - before).toBe(70);
    expect(summary).toMatchObject({ verdict: "capped", reason: "maxRequests", requests: 70 });
    expect((await fleet.corpus.build()).verdict).toBe("complete");
  });

  it("records what it has sent until it was stopped", async () => {
    const { service, fleet } = await startFleet(800, 3);
    const before = service.server.requests.length;
    const stop = new AbortController();
    service.instead = () => {
      if (service.server.requests.length - before === 40) stop.abort();
      return undefined;
    };
    await expect(fleet.corpus.build({ signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
    const runs = toRecords(await readFrame(join(fleet.dir, "tables", "runs", "part.parquet")));
    const stopped = runs.find(({ verb }) => verb === "build");
    expect(stopped).toMatchObject({ requests: service.server.requests.length - before, verdict: "stopped" });
    expect((await fleet.corpus.build()).verdict).toBe("complete");
  });

  it("renews the expiry of a queue, but not that of its locks", async () => {
    const { service, server, fleet } = await startFleet(200, 1, { lostAfter: 60 });
    const before = service.server.requests.length;
    const hold = new AbortController();
    const released = once(hold.signal, "abort").then(() => undefined);
    service.instead = () => (service.server.requests.length > before ? released : undefined);
    const building = fleet.corpus.build();
    const keys = (pattern: string) => server.redis.keys(`archive-frames:*:${pattern}`);
    const longest = async (pattern: string) => {
      const left = (await keys(pattern)).map((key) => server.redis.ttl(key));
      return Math.max(-1, ...(await Promise.all(left)));
    };
    try {
      await expect.poll(() => longest("lock")).toBeGreaterThan(0);
      for (const sent of await keys("sent")) await server.redis.expire(sent, 1000);
      await expect.poll(() => longest("sent")).toBeGreaterThan(80_000);
      expect(await longest("lock")).toBeLessThanOrEqual(60);
      expect(await longest("stalled-check")).toBeLessThanOrEqual(60);
      expect(await longest("plan:*")).toBeLessThanOrEqual(10);
    } finally {
      hold.abort();
    }
    expect((await building).verdict).toBe("complete");
  });

  it("pauses all workers for the Retry-After of one", async () => {
    const { service, server, fleet } = await startFleet(400, 4);
    const before = service.server.requests.length;
    let refusedAt: number | undefined;
    const gaps: number[] = [];
    const isPaused = async () => {
      const rates = await server.redis.keys("archive-frames:rate:*");
      return (await Promise.all(rates.map((rate) => server.redis.hexists(rate, "until")))).includes(1);
    };
    service.instead = async () => {
      const now = performance.now();
      if (refusedAt === undefined && service.server.requests.length - before > 30) {
        refusedAt = now;
        return { status: 429, headers: { "retry-after": "2" }, body: {} };
      }
      if (refusedAt === undefined) return undefined;
      gaps.push(now - refusedAt);
      // A window that has its response before Redis has the pause may send again.
      await expect.poll(isPaused).toBe(true);
      return undefined;
    };
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    // What was on the wire of 16 windows, then nothing until the pause is over.
    expect(gaps.filter((gap) => gap < 1900).length).toBeLessThanOrEqual(16);
    expect(gaps.some((gap) => gap >= 1900)).toBe(true);
  });
});

describe.skipIf(!HAS_REDIS)("a connection that is cut before Redis has answered", () => {
  /** Passes on what a client and a server say, but cuts some connections when the server has granted a request. */
  async function startCutter(port: number) {
    let cuts = 0;
    const listener = createServer((client) => {
      const server = connect(port, "127.0.0.1");
      client.on("data", (said) => server.write(said));
      server.on("data", (said) => {
        if (cuts >= 5 || !said.includes("*2\r\n:0\r\n:")) return void client.write(said);
        cuts++;
        client.destroy();
      });
      client.on("close", () => server.destroy()).on("error", () => undefined);
      server.on("close", () => client.destroy()).on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port: own } = listener.address() as { port: number };
    return { port: own, cuts: () => cuts, [Symbol.asyncDispose]: async () => void listener.close() };
  }

  it("counts no request twice", async () => {
    const { service, server } = await startServices(200);
    await using cutter = await startCutter(Number(new URL(server.url).port));
    await using fleet = await openTestFleet(service, server);
    const queue = server.url.replace(/\d+$/, String(cutter.port));
    await using _workers = await startWorkers(1, { ...fleet.work, queue });
    const before = service.server.requests.length;
    const summary = await fleet.corpus.build();
    expect(cutter.cuts()).toBe(5);
    expect(summary).toMatchObject({ verdict: "complete", requests: service.server.requests.length - before });
  });
});

describe.skipIf(!HAS_REDIS)("the coordinator of a corpus", () => {
  it("is the only one, and status knows when it has left", async () => {
    const { service, server, fleet } = await startFleet(200, 1);
    const hold = new AbortController();
    const released = once(hold.signal, "abort").then(() => undefined);
    const before = service.server.requests.length;
    service.instead = () => (service.server.requests.length > before + 3 ? released : undefined);
    const building = fleet.corpus.build();
    await expect.poll(() => service.server.requests.length).toBeGreaterThan(before + 3);
    const statusOf = () => fleetStatus({ queue: server.url, corpus: fleet.dir });
    expect(await statusOf()).toMatchObject({ coordinator: true, workers: 1 });
    await using other = await openTestFleet(service, server, { corpus: fleet.dir });
    await expect(other.corpus.build()).rejects.toMatchObject({ code: "TARGET_BUSY" });
    hold.abort();
    expect((await building).verdict).toBe("complete");
    await server.redis.del(await server.redis.keys("*:plan:*"));
    await fleet[Symbol.asyncDispose]();
    expect(await statusOf()).toMatchObject({ coordinator: false, workers: 0, perSecond: null });
  });

  it("mends jobs that somebody has damaged, and leaves none of them", async () => {
    const { service, server, fleet } = await startFleet(400, 0);
    const jobs = () => server.redis.keys("archive-frames:*:windows:*-1-1");
    const building = fleet.corpus.build();
    await expect.poll(async () => (await jobs()).length).toBeGreaterThan(2);
    const [text, broken, wrong] = (await jobs()) as [string, string, string];
    await server.redis.set(text, "\u001b[31m");
    await server.redis.hset(broken, "data", "{");
    await server.redis.hset(wrong, "data", '{"parameters":{"query":"other"}}');
    const stranger = text.replace(/[^:]+$/, "0123456789abcdef-1-1");
    await server.redis.set(stranger, "none");
    await server.redis.lpush(text.replace(/[^:]+$/, "wait"), "0123456789abcdef-1-1");
    await server.redis.zadd(text.replace(/[^:]+$/, "completed"), 1, "0123456789abcdef-1-1");
    await using _worker = await startWorkers(1, fleet.work);
    expect((await building).verdict).toBe("complete");
    expect(contentOf(fleet.dir)).toEqual((await oneProcess(service)).bytes);
    await fleet[Symbol.asyncDispose]();
    await expect.poll(() => server.redis.keys("archive-frames:*-*:*")).toEqual([]);
  });

  it("mends settings that keep workers from their windows, and counts that are none", async () => {
    const { service, server } = await startServices(300);
    await using fleet = await openTestFleet(service, server);
    await using _worker = await startWorkers(1, fleet.work);
    const before = service.server.requests.length;
    const sent = () => service.server.requests.length - before;
    let damaging: Promise<unknown> | undefined;
    service.instead = () => {
      if (sent() !== 10) return undefined;
      const damage = async () => {
        const prefix = ((await server.redis.keys("archive-frames:*:run"))[0] as string).slice(0, -":run".length);
        await server.redis.hset(`${prefix}:windows:meta`, "paused", "1");
        await server.redis.hset(`${prefix}:sent`, { stranger: "7", "0123abcd": "1e400", "1123abcd": "-50", x: "nan" });
        for (const rate of await server.redis.keys("archive-frames:rate:*"))
          await server.redis.hset(rate, { base: "0", next: "inf", until: "9e15", granted: "1e400" });
        expect((await fleetStatus({ queue: server.url, corpus: fleet.dir })).requests).toBeLessThan(100);
      };
      damaging ??= damage();
      return damaging.then(() => undefined);
    };
    const summary = await fleet.corpus.build();
    expect(summary).toMatchObject({ verdict: "complete", requests: sent() });
  });

  it("mends whatever else somebody has damaged, and counts all requests", async () => {
    const { service, server } = await startServices(300);
    const expected = await oneProcess(service);
    await using fleet = await openTestFleet(service, server);
    await using _worker = await startWorkers(1, { ...fleet.work, lostAfter: 2 });
    const before = service.server.requests.length;
    const sent = () => service.server.requests.length - before;
    let damaged = 0;
    service.instead = async () => {
      if (sent() < 15 || damaged > 0) return undefined;
      for (const key of await server.redis.keys("archive-frames:*")) {
        damaged++;
        const isText = (await server.redis.type(key)) === "string";
        await server.redis.del(key);
        await (isText ? server.redis.lpush(key, "\u001b[31m") : server.redis.set(key, "\u001b[31m"));
      }
      return undefined;
    };
    const summary = await fleet.corpus.build();
    expect(damaged).toBeGreaterThan(10);
    expect(summary).toMatchObject({ verdict: "complete", requests: sent() });
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    await fleet[Symbol.asyncDispose]();
    await expect.poll(() => server.redis.keys("archive-frames:*-*:*")).toEqual([]);
    await expect.poll(() => filesIn(fleet.storage)).toEqual([]);
  });

  it.each(sampled([15, 1]))(
    "ends with the storage that cannot be written at request %i, and its workers do not fetch windows again and again",
    async (at) => {
      const { service, server } = await startServices(300);
      const fleet = await openTestFleet(service, server);
      const problems: string[] = [];
      await using _worker = await startWorkers(1, {
        ...fleet.work,
        onProblem: (problem) => void problems.push(problem),
      });
      const before = service.server.requests.length;
      service.instead = () => {
        if (service.server.requests.length - before !== at) return undefined;
        const [queue] = readdirSync(fleet.storage) as [string];
        rmSync(join(fleet.storage, queue), { recursive: true });
        writeFileSync(join(fleet.storage, queue), "");
        return undefined;
      };
      const failure = {
        code: expect.stringMatching(/^(UNSAFE_PATH|NOT_WRITABLE)$/),
        message: expect.stringContaining(fleet.storage),
      };
      await expect(fleet.corpus.build()).rejects.toMatchObject(failure);
      await expect(fleet[Symbol.asyncDispose]()).rejects.toMatchObject(failure);
      await expect.poll(() => server.redis.keys("archive-frames:*-*:*")).toEqual([]);
      expect(service.server.requests.length - before).toBeLessThan(52);
    },
  );

  it("prints nothing that Redis says", async () => {
    const { service, server } = await startServices(10);
    await server.redis.config("SET", "maxmemory-policy", "allkeys-lru");
    const printed = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    try {
      await using fleet = await openTestFleet(service, server);
      await using _worker = await startWorkers(1, fleet.work);
      expect((await fleet.corpus.build()).verdict).toBe("complete");
      expect(printed.mock.calls).toEqual([]);
    } finally {
      printed.mockRestore();
    }
  });
});

describe.skipIf(!HAS_REDIS)("a build without a worker that fits", () => {
  it("ends after waitWorkers, and says why", async () => {
    const { service, server } = await startServices(10);
    await using fleet = await openTestFleet(service, server, { waitWorkers: 3 });
    service.instead = ({ headers }) => (headers["x-api-key"] === KEY ? undefined : { status: 401, body: {} });
    await using _other = await startWorkers(1, { ...fleet.work, storage: folder("elsewhere") });
    const building = fleet.corpus.build();
    await expect.poll(() => server.redis.keys("*:misfits")).toHaveLength(1);
    await expect(startWorker({ ...fleet.work, apiKey: "wrong-key-0123" })).rejects.toThrow("taken no window");
    const [misfits] = (await server.redis.keys("*:misfits")) as [string];
    await server.redis.hset(misfits, { "01234567": "version 0", "12345678": "\u001b[31m 1" });
    await expect(building).rejects.toMatchObject({
      code: "QUEUE_FAILED",
      message: expect.stringMatching(
        /^no worker has taken windows for 3 seconds\. There are workers with another storage, and another version, and a key that the service rejects\. Start one /,
      ),
    });
  });
});

describe.skipIf(!HAS_REDIS)("a worker that does not fit", () => {
  it("says whether storage or key is wrong, takes nothing, and stops nobody", async () => {
    const { service, server } = await startServices(200);
    await using fleet = await openTestFleet(service, server);
    service.instead = ({ headers }) => (headers["x-api-key"] === KEY ? undefined : { status: 401, body: {} });
    await expect(startWorker({ ...fleet.work, apiKey: "wrong-key-0123" })).rejects.toMatchObject({
      code: "AUTHENTICATION",
      message: expect.stringContaining("taken no window"),
    });
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    const elsewhere = { ...fleet.work, storage: folder("elsewhere"), onProblem };
    await using other = await startWorkers(1, elsewhere);
    await using right = await startWorkers(1, fleet.work);
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    expect(problems).toEqual([
      expect.stringMatching(/^takes no window: the storage at .*elsewhere.* is not the coordinator's\.$/),
    ]);
    expect(other.workers[0]?.windows).toBe(0);
    expect(right.workers[0]?.windows).toBeGreaterThan(0);
  });

  it("says that its version is another one, or that it cannot read the storage, and works when neither is so", async () => {
    const { service, server } = await startServices(10);
    const storage = folder("storage");
    const name = `0123456789abcdef-${createHash("sha256").update(service.baseUrl).digest("hex").slice(0, 8)}`;
    const plan = `archive-frames:plan:${name}`;
    mkdirSync(join(storage, name));
    writeFileSync(join(storage, name, "probe.journal.gz"), gzipSync("probe"));
    const probe = createHash("sha256").update("probe").digest("hex");
    await server.redis.set(plan, `0.0.1 ${probe}`);
    await server.redis.sadd("archive-frames:queues", name);
    const said: string[] = [];
    const onProblem = (problem: string) => void said.push(problem);
    const onJoin = () => void said.push("joined");
    const work = { apiKey: KEY, baseUrl: service.baseUrl, queue: server.url, storage, onProblem, onJoin };
    await using _worker = await startWorkers(1, work);
    await expect.poll(() => said).toHaveLength(1);
    expect(said[0]).toMatch(/^takes no window: the coordinator does not have version \d+\.\d+/);
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    await server.redis.set(plan, `${version} ${probe}`);
    await expect.poll(() => said.at(-1)).toBe("joined");
    if (!isRoot) return;
    chmodSync(storage, 0o755);
    chmodSync(join(storage, name, "probe.journal.gz"), 0o600);
    await users[1]?.run(async () => {
      await using _other = await startWorkers(1, work);
      await expect
        .poll(() => said.at(-1))
        .toMatch(/^takes no window: the storage at .* has files of another user\. Run /);
    });
  });
});

describe.skipIf(!HAS_REDIS)("a worker that is closed", () => {
  it("ends while Redis is away, as does its build, which goes on later", async () => {
    const { service, server, fleet, workers } = await startFleet(200, 1);
    const before = service.server.requests.length;
    const stop = new AbortController();
    const stopped = new Promise<void>((resolve) => {
      service.instead = async () => {
        if (service.server.requests.length - before === 5) {
          await server.stop();
          stop.abort();
          resolve();
        }
        return undefined;
      };
    });
    const building = fleet.corpus.build({ signal: stop.signal }).catch((error: unknown) => error);
    await stopped;
    const closing = workers[0]?.close();
    expect(await building).toMatchObject({ code: "ABORTED" });
    await closing;
    await server.restart();
    await using _more = await startWorkers(1, { ...fleet.work, lostAfter: 1 });
    expect((await fleet.corpus.build()).verdict).toBe("complete");
  });

  it("ends if its coordinator leaves while it finishes its windows", async () => {
    const { service, fleet, workers } = await startFleet(200, 1);
    const before = service.server.requests.length;
    let release = () => undefined as unknown;
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    service.instead = () => released;
    const building = fleet.corpus.build().catch((error: unknown) => error);
    await expect.poll(() => service.server.requests.length).toBeGreaterThan(before);
    const closing = workers[0]?.close();
    await fleet[Symbol.asyncDispose]();
    release();
    await Promise.all([closing, building]);
  });
});

describe.skipIf(!HAS_REDIS)("a key that stops working", () => {
  const OTHER = "other-key-012345";

  const FAILURES = [
    ["is used up", { status: 429, headers: { "retry-after": "86400" }, body: {} }],
    ["is rejected", { status: 401, body: {} }],
  ] as const;
  it.each(sampled(FAILURES))("because it %s leaves its windows to the other key", async (_what, answer) => {
    const { service, server } = await startServices(800);
    const expected = await oneProcess(service);
    await using fleet = await openTestFleet(service, server);
    const problems: string[] = [];
    const other = { ...fleet.work, apiKey: OTHER, onProblem: (problem: string) => void problems.push(problem) };
    const [good, bad] = [await startWorkers(1, fleet.work), await startWorkers(1, other)];
    await using _good = good;
    await using _bad = bad;
    let [sent, refused] = [0, 0];
    const isShared = new AbortController();
    const shared = once(isShared.signal, "abort");
    service.instead = async ({ headers }) => {
      if (headers["x-api-key"] !== OTHER) isShared.abort();
      // The key fails when both workers have windows: without another one, the build would end.
      else if (++sent > 9) {
        refused++;
        await shared;
        return answer;
      }
      return undefined;
    };
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
    expect(good.workers[0]?.windows).toBeGreaterThan(0);
    // What was on the wire of its four windows: it sends nothing more.
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(4);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toContain(OTHER);
  });

  it("ends the build with its error if there is no other, and the build goes on with a key that works", async () => {
    const { service, server } = await startServices(800);
    const expected = await oneProcess(service);
    await using fleet = await openTestFleet(service, server);
    const rejected = await startWorkers(2, { ...fleet.work, apiKey: OTHER });
    let sent = 0;
    service.instead = ({ headers }) =>
      headers["x-api-key"] === OTHER && ++sent > 9 ? { status: 401, body: {} } : undefined;
    await expect(fleet.corpus.build()).rejects.toMatchObject({ code: "AUTHENTICATION" });
    await rejected[Symbol.asyncDispose]();
    // What was on the wire of four windows of each worker.
    expect(sent - 9).toBeLessThanOrEqual(8);
    await using _good = await startWorkers(1, fleet.work);
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    expect(contentOf(fleet.dir)).toEqual(expected.bytes);
  });
});

describe.skipIf(!HAS_REDIS)("a queue whose coordinator was killed", () => {
  /** Kills a coordinator in the middle of a build, and lets the workers finish what they have begun. */
  async function abandonedQueue(service: CorpusService, server: RedisServer) {
    const [dir, storage] = [folder("corpus"), folder("storage")];
    const table = join(dir, "..", `${basename(dir)}.csv`);
    writeFileSync(table, "query,mindate,maxdate\nalpha,2024-01-01,2024-03-31\n");
    const env = { ...process.env, ARCHIVE_API_KEY: KEY, ARCHIVE_BASE_URL: service.baseUrl, ARCHIVE_QUEUE: server.url };
    const flags = ["--window", "week", "--queue", "--storage", storage];
    const child = spawn(process.execPath, [MAIN, "corpus", "build", dir, table, ...flags], { env, stdio: "ignore" });
    const ended = once(child, "exit");
    const hold = new AbortController();
    const released = once(hold.signal, "abort").then(() => undefined);
    const before = service.server.requests.length;
    service.instead = () => (service.server.requests.length - before > 6 ? released : undefined);
    const work = { apiKey: KEY, baseUrl: service.baseUrl, queue: server.url, storage, concurrency: 2 };
    const workers = await startWorkers(1, work);
    await expect.poll(() => service.server.requests.length - before).toBeGreaterThan(6);
    child.kill("SIGKILL");
    await ended;
    hold.abort();
    await workers[Symbol.asyncDispose]();
    return { dir, storage, work };
  }

  const keysOf = (server: RedisServer) => server.redis.keys("archive-frames:*-*:*");

  it("goes with its files by `cleanQueue`", async () => {
    const { service, server } = await startServices(400);
    const { dir, storage, work } = await abandonedQueue(service, server);
    expect(await keysOf(server)).not.toEqual([]);
    expect(filesIn(storage).length).toBeGreaterThan(1);
    writeFileSync(join(storage, "notes.txt"), "mine");
    const clean = { corpus: dir, queue: server.url, storage };
    expect(await cleanQueue(clean)).toBe(true);
    expect((await keysOf(server)).filter((key) => !key.includes(":rate:"))).toEqual([]);
    expect(await server.redis.smembers("archive-frames:queues")).toEqual([]);
    expect(filesIn(storage).map(({ name }) => name)).toEqual(["notes.txt"]);
    expect(await cleanQueue(clean)).toBe(false);
    // The same command builds it at once.
    await using fleet = await openTestFleet(service, server, { corpus: dir, storage });
    await using _workers = await startWorkers(1, work);
    expect((await fleet.corpus.build()).verdict).toBe("complete");
  });

  it("has all that its workers have sent in the table of runs", async () => {
    const { service, server } = await startServices(400);
    const { dir, storage, work } = await abandonedQueue(service, server);
    await using fleet = await openTestFleet(service, server, { corpus: dir, storage });
    await using _workers = await startWorkers(1, work);
    expect((await fleet.corpus.build()).verdict).toBe("complete");
    const runs = toRecords(await readFrame(join(dir, "tables", "runs", "part.parquet")));
    expect(runs.map(({ verb, verdict }) => [verb, verdict])).toEqual([
      ["build", "killed"],
      ["check", "complete"],
      ["build", "complete"],
    ]);
    const sent = runs.reduce((sum, { requests }) => sum + Number(requests), 0);
    expect(sent).toBe(service.server.requests.length);
  });

  it("expires within a day, and then no worker knows it", async () => {
    const { service, server } = await startServices(400);
    const { work } = await abandonedQueue(service, server);
    const keys = [...(await keysOf(server)), ...(await server.redis.keys("archive-frames:plan:*"))];
    expect(keys.some((key) => key.includes(":windows:"))).toBe(true);
    for (const key of keys) {
      const seconds = await server.redis.ttl(key);
      expect(seconds, key).toBeGreaterThan(0);
      expect(seconds, key).toBeLessThanOrEqual(86_400);
    }
    // A day passes.
    for (const key of keys) await server.redis.expire(key, 0);
    await using _worker = await startWorkers(1, work);
    await expect.poll(() => server.redis.smembers("archive-frames:queues")).toEqual([]);
    expect(await server.redis.keys("archive-frames:*:windows:*")).toEqual([]);
  });
});
