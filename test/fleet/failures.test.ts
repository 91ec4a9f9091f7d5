import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fleetStatus, retryFailed, startWorker } from "../../src/fleet/index.js";
import { keyId } from "../../src/fleet/keyId.js";
import { keysOf, pagesOf, prefixOf, QUEUES } from "../../src/fleet/queueNames.js";
import { provenanceOf } from "../../src/index.js";
import { Secret } from "../../src/service/http/secret.js";
import { callCommand } from "../cli/callCommand.js";
import { clientTo, queryOf } from "../client/clientTo.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { KEY } from "../service/helpers.js";
import { contentOf, folder, oneProcess, openBuild, urlsOf, workerOf } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";
import { startWorkerProcess } from "./workerProcess.js";

const BUILD = fileURLToPath(new URL("buildOnce.mjs", import.meta.url));
const root = temporaryFolder();

/** The text of the next warning with a code. */
function nextWarning(code: string): Promise<string> {
  return new Promise((resolve) => {
    const see = (warning: Error & { readonly code?: string }) => {
      if (warning.code !== code) return;
      process.off("warning", see);
      resolve(warning.message);
    };
    process.on("warning", see);
  });
}

/** Something that is waited for. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

const ROWS = servedRows(120);

/** What one process makes of the rows: the same whatever the address of the service. */
let alone: ReturnType<typeof oneProcess> | undefined;

async function buildAlone() {
  await using service = await startCorpusService(ROWS);
  return await oneProcess(service, root);
}

async function start() {
  const service = await startCorpusService(ROWS);
  alone ??= buildAlone();
  const expected = await alone;
  const server = await startRedis(folder(root, "redis"));
  const [dir, storage] = [folder(root, "corpus"), folder(root, "storage")];
  return {
    service,
    expected,
    server,
    dir,
    storage,
    urls: () => urlsOf(service, 0),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!HAS_REDIS)("a fleet", () => {
  it("pauses all workers for the Retry-After of a 429", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    const times: number[] = [];
    let refusedAt = 0;
    service.instead = () => {
      times.push(performance.now());
      if (times.length !== 5) return undefined;
      refusedAt = performance.now();
      return { status: 429, headers: { "retry-after": "1" }, body: {} };
    };
    await using _first = await workerOf(service, server, storage);
    await using _second = await workerOf(service, server, storage);
    const { archive, corpus } = await openBuild(service, server, dir, storage, { concurrency: 4 });
    const { requests } = await corpus.build();
    await archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(requests).toBe(expected.urls.length + 1);
    // Requests that were on the wire beside the refused one may follow it at once; no other does.
    const after = times.filter((time) => time > refusedAt);
    expect(after.filter((time) => time < refusedAt + 900).length).toBeLessThan(8);
    expect(after.some((time) => time >= refusedAt + 900)).toBe(true);
  });

  it("uses every key as fast as its own quota allows, and tells their workers apart", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    const other = "another-key-of-the-institution-0123456789";
    const [isUsed, isRefused] = [signal(), signal()];
    let refused = 0;
    service.instead = async ({ headers }) => {
      // Each waits for the other one, so that both have something to do.
      if (headers["x-api-key"] !== other) {
        isUsed.give();
        await isRefused.given;
        return undefined;
      }
      await isUsed.given;
      isRefused.give();
      refused++;
      // Longer than the test: it may only hold up the workers of this key.
      return { status: 429, headers: { "retry-after": "299" }, body: {} };
    };
    const workers = [await workerOf(service, server, storage), await workerOf(service, server, storage, other)];
    const { archive, corpus } = await openBuild(service, server, dir, storage, { maxRetryWait: 1 });
    const warned = nextWarning("KEY_PAUSED");
    const { requests, verdict } = await corpus.build();
    expect(verdict).toBe("complete");
    expect(await warned).toMatch(/^The quota of the key of the workers "[\da-f]{8}" is used up for 299 s\./);
    const { keys } = await fleetStatus({ queue: server.url, corpus: dir });
    await archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    // Pages that waited in the queue of the paused key count as attempts: no more than it has capacity for.
    const withdrawn = requests - expected.urls.length - refused;
    expect(withdrawn).toBeGreaterThanOrEqual(0);
    expect(withdrawn).toBeLessThanOrEqual(5);
    expect(given.urls()).toHaveLength(expected.urls.length + refused);
    expect(keys.map((key) => key.workers)).toEqual([1, 1]);
    for (const worker of workers) await worker.close();
    expect(await server.redis.keys("*")).toEqual([]);
    for (const key of [KEY, other]) expect(server.onDisk().includes(key)).toBe(false);
  });

  it("gives the pages of a killed worker to another one, and counts them", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    let hung = 0;
    service.instead = () => (hung < 1 && ++hung ? { hang: true } : undefined);
    await using killed = await startWorkerProcess(service.baseUrl, server.url, storage, [
      ...["--concurrency", "1", "--lost-after", "1"],
    ]);
    const { archive, corpus } = await openBuild(service, server, dir, storage);
    const building = corpus.build();
    await service.server.arrived(1);
    await killed.end("SIGKILL");
    await using _other = await workerOf(service, server, storage);
    const { requests, verdict } = await building;
    await archive.close();
    expect(verdict).toBe("complete");
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(given.urls()).toHaveLength(expected.urls.length + 1);
    expect(requests).toBe(expected.urls.length + 1);
  });

  it("asks for no page twice when a worker gets SIGTERM", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    await using leaving = await startWorkerProcess(service.baseUrl, server.url, storage);
    const { archive, corpus } = await openBuild(service, server, dir, storage);
    const building = corpus.build();
    await service.server.arrived(4);
    expect(await leaving.end("SIGTERM")).toBe(0);
    await using _other = await workerOf(service, server, storage);
    await building;
    await archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(given.urls()).toEqual(expected.urls);
  });

  it("asks again for the last pages only when the coordinator is killed", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    await using worker = await workerOf(service, server, storage);
    const { archive } = await openBuild(service, server, dir, storage);
    await archive.close();
    const killed = spawn(process.execPath, [BUILD, service.baseUrl, dir, server.url, storage], { stdio: "inherit" });
    await service.server.arrived(4);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const again = await openBuild(service, server, dir, storage);
    expect((await again.corpus.build()).verdict).toBe("complete");
    await again.archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    // A window that is continued asks for its last page again: rows may have moved meanwhile.
    expect([...new Set(given.urls())].sort()).toEqual([...expected.urls].sort());
    expect(given.urls().length).toBeLessThanOrEqual(expected.urls.length + 8);
    await worker.close();
    expect(await server.redis.keys("*")).toEqual([]);
  });

  it("stops the search of a page that fails for good, lists it, and goes on after a retry", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    let isBroken = true;
    service.instead = (request) =>
      isBroken && queryOf(request).query === "beta" ? { status: 503, body: { message: "secret row" } } : undefined;
    await using _worker = await workerOf(service, server, storage);
    const first = await openBuild(service, server, dir, storage, { maxRetries: 1 });
    await expect(first.corpus.build()).rejects.toMatchObject({ code: "SERVER_ERROR", statusCode: 503 });
    await first.archive.close();
    const where = { queue: server.url, corpus: dir };
    const status = await fleetStatus(where);
    expect(status.failed.length).toBeGreaterThan(0);
    expect(new Set(status.failed.map(({ code, status: http }) => `${code} ${http}`))).toEqual(
      new Set(["SERVER_ERROR 503"]),
    );
    expect(status.failed.every(({ get }) => get.startsWith("/mentions?query=beta"))).toBe(true);
    const windows = { done: 3, total: 6 };
    expect(status).toMatchObject({ windows, workers: 1, pages: { failed: status.failed.length } });
    const { stdout } = await callCommand(root, ["corpus", "status", dir, "--queue", server.url]);
    expect(stdout).toContain("FAILED  SERVER_ERROR 503  /mentions?query=beta");
    expect(stdout).toMatch(/\nalpha .* 3\/3 /);
    expect(stdout).toMatch(/\nbeta .* 0\/3 /);
    isBroken = false;
    expect(await retryFailed(where)).toBe(status.failed.length);
    const second = await openBuild(service, server, dir, storage);
    expect((await second.corpus.build()).verdict).toBe("complete");
    await second.archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(await fleetStatus(where)).toMatchObject({ failed: [], pages: { failed: 0 } });
    expect(server.onDisk().includes("secret row")).toBe(false);
  });

  it("says once that a worker has removed its key from pages, and counts it as one process does", async () => {
    await using given = await start();
    const { service, server, dir, storage } = given;
    service.rows = ROWS.map((row) => ({ ...row, text: `${row.text} ${KEY}` }));
    const problems: string[] = [];
    const onProblem = (problem: string) => problems.push(problem);
    const worker = await startWorker({ apiKey: KEY, baseUrl: service.baseUrl, queue: server.url, storage, onProblem });
    const { archive, corpus } = await openBuild(service, server, dir, storage);
    await corpus.build();
    const counted = provenanceOf(await archive.mentions("alpha"))?.redactions;
    await archive.close();
    await worker.close();
    expect(counted).toBe(provenanceOf(await clientTo(service, { pageSize: 10 }).mentions("alpha"))?.redactions);
    expect(counted).toBeGreaterThan(0);
    expect(problems).toEqual([expect.stringMatching(/^A response contains the API key, which was replaced/)]);
    const texts = (await corpus.mentions().collect()).getColumn("text").toArray();
    expect(texts.every((text) => String(text).endsWith(" [redacted]"))).toBe(true);
  });

  it("refuses a second coordinator, also of a copy on another machine", async () => {
    await using given = await start();
    const { service, server, dir, storage } = given;
    await using _worker = await workerOf(service, server, storage);
    const first = await openBuild(service, server, dir, storage);
    await first.archive.mentions("alpha");
    const copy = folder(root, "copy");
    cpSync(dir, copy, { recursive: true });
    const second = await openBuild(service, server, copy, storage);
    await expect(second.archive.mentions("beta")).rejects.toMatchObject({ code: "TARGET_BUSY" });
    await second.archive.close();
    // It has taken nothing away from the first one.
    await first.archive.mentions("beta");
    await first.archive.close();
  });

  it("loses nothing when Redis is killed and starts again, even empty", async () => {
    for (const isPersistent of [true, false]) {
      await using given = await start();
      const { service, dir, storage, expected } = given;
      await using server = await startRedis(folder(root, "redis"), isPersistent);
      await using _worker = await workerOf(service, server, storage);
      const { archive, corpus } = await openBuild(service, server, dir, storage);
      const building = corpus.build();
      await service.server.arrived(5);
      await server.restart();
      expect((await building).verdict).toBe("complete");
      await archive.close();
      expect(await contentOf(dir)).toEqual(expected.bytes);
      expect(given.urls().length).toBeLessThanOrEqual(expected.urls.length + 64);
    }
  });

  it("waits until a full Redis has room again", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    await using _worker = await workerOf(service, server, storage);
    const { archive, corpus } = await openBuild(service, server, dir, storage);
    await archive.mentions("alpha");
    await server.redis.config("SET", "maxmemory", "1");
    const building = corpus.build();
    const refusals = async () =>
      Number(/errorstat_OOM:count=(\d+)/.exec(await server.redis.info("errorstats"))?.[1] ?? 0);
    while ((await refusals()) === 0) await sleep(20);
    await server.redis.config("SET", "maxmemory", "0");
    expect((await building).verdict).toBe("complete");
    await archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
  });

  it("requests nothing for a job that is not one of ours", async () => {
    await using given = await start();
    const { service, server, dir, storage, expected } = given;
    const { archive, corpus } = await openBuild(service, server, dir, storage);
    const building = corpus.build();
    while ((await server.redis.scard(QUEUES)) === 0) await sleep(20);
    const [name] = (await server.redis.smembers(QUEUES)) as [string];
    const prefix = `${prefixOf(name)}:${pagesOf(await keyId(new Secret(KEY), name))}`;
    for (const [at, data] of [
      '{"get":"/../../secret"}',
      '{"get":"//evil.example/x"}',
      "not json",
      '{"get":7}',
    ].entries()) {
      await server.redis.hset(`${prefix}:bad-${at}`, { name: "page", data, opts: "{}", timestamp: "1", ats: "0" });
      await server.redis.rpush(`${prefix}:wait`, `bad-${at}`);
    }
    await server.redis.sadd(QUEUES, "../../../etc", "x".repeat(10_000));
    await server.redis.sadd(keysOf(name), "../../../etc", "x".repeat(10_000));
    await server.redis.xadd(
      `${prefix}:events`,
      "*",
      "event",
      "completed",
      "jobId",
      "bad-9",
      "returnvalue",
      "{not json",
    );
    await using _worker = await workerOf(service, server, storage);
    expect((await building).verdict).toBe("complete");
    await archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(given.urls()).toEqual(expected.urls);
  });
});
