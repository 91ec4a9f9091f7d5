import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { LONG } from "../scale.js";
import { built, contentOf, oneProcess, openTestFleet, startServices } from "./fleets.js";
import { HAS_REDIS } from "./redisServer.js";
import { startWorkerProcess } from "./workerProcess.js";

/** `KILLS=500 LONG=1 npx vitest … test/fleet/chaos` for more. */
const KILLS = LONG ? Number(process.env.KILLS ?? 15) : 1;
const WORKERS = LONG ? 3 : 2;

it.skipIf(!HAS_REDIS)(`${KILLS} killed workers and restarts of Redis change no byte`, async () => {
  const { service, server } = await startServices(LONG ? 800 : 400);
  const expected = await oneProcess(service);
  const archive = await openTestFleet(service, server, { maxRetries: 20 });
  const start = () => startWorkerProcess(service.baseUrl, server.url, ["--concurrency", "2"]);
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  let [kills, isBuilding] = [0, true];
  const kill = async () => {
    for (let at = 0; isBuilding && kills < KILLS; at = (at + 1) % WORKERS) {
      await sleep(300 * Math.random());
      await workers[at]?.end("SIGKILL");
      if (++kills % 2 === 1) await server.restart();
      workers[at] = await start();
    }
  };
  const killing = kill();
  try {
    for (let corpora = 0; corpora === 0 || kills < KILLS; corpora++) {
      const { dir, build } = await built(archive);
      expect((await build()).verdict).toBe("complete");
      expect(contentOf(dir)).toEqual(expected);
    }
    isBuilding = false;
    await killing;
    for (const worker of workers) expect(await worker.end("SIGTERM")).toBe(0);
  } finally {
    isBuilding = false;
    await killing.catch(() => undefined);
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
});

it.skipIf(!HAS_REDIS)(
  "a worker ends at SIGTERM while Redis is away, and with an error when its key is refused",
  async () => {
    const { service, server } = await startServices(40);
    await using stopped = await startWorkerProcess(service.baseUrl, server.url);
    await using refused = await startWorkerProcess(service.baseUrl, server.url, [], "other");
    service.instead = ({ headers }) => (headers["x-api-key"] === "other" ? { status: 403, body: {} } : undefined);
    const ended = new Promise((resolve) => refused.child.once("exit", resolve));
    const archive = await openTestFleet(service, server, { maxRetries: 20, pageSize: 1, concurrency: 8 });
    await Promise.all(Array.from({ length: 8 }, () => archive.mentions("alpha", { maxItems: 5 })));
    expect(await ended).toBe(1);
    expect(refused.output).toContain("the API key was rejected");
    await archive.close();
    await server.stop();
    expect(await stopped.end("SIGTERM")).toBe(0);
  },
);
