import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ArchiveError } from "../../src/index.js";
import { LONG } from "../scale.js";
import { contentOf, folder, oneProcess, openTestFleet, startServices, type TestFleet } from "./fleetOf.js";
import { HAS_REDIS } from "./redisServer.js";
import { startWorkerProcess } from "./workerProcess.js";

/** `KILLS=500 LONG=1 npx vitest … test/fleet/chaos` for more. */
const KILLS = LONG ? Number(process.env.KILLS ?? 100) : 1;
/** Kills until Redis is killed, too. */
const RESTART_AFTER = LONG ? 2 : 1;
const WORKERS = LONG ? 3 : 2;

it.skipIf(!HAS_REDIS)(
  `${KILLS} killed workers, and a restart of Redis for every ${RESTART_AFTER}, change no byte`,
  async () => {
    const { service, server } = await startServices(LONG ? 800 : 400);
    const expected = await oneProcess(service);
    const storage = folder("storage");
    const flags = ["--concurrency", "2", "--lost-after", "1"];
    const start = () => startWorkerProcess(service.baseUrl, server.url, storage, flags);
    const workers = await Promise.all(Array.from({ length: WORKERS }, start));
    let [kills, corpora, isBuilding] = [0, 0, true];
    const kill = async () => {
      for (let at = 0; isBuilding && kills < KILLS; at = (at + 1) % WORKERS) {
        await sleep(300 * Math.random());
        await workers[at]?.end("SIGKILL");
        workers[at] = await start();
        if (++kills % RESTART_AFTER === 0) await server.restart();
      }
    };
    const killing = kill();
    try {
      while (kills < KILLS) {
        await using fleet = await opened(() => openTestFleet(service, server, { storage, maxRetries: 20 }));
        expect((await fleet.corpus.build()).verdict).toBe("complete");
        expect(contentOf(fleet.dir)).toEqual(expected.bytes);
        corpora++;
      }
      isBuilding = false;
      await killing;
      for (const worker of workers) expect(await worker.end("SIGTERM")).toBe(0);
    } finally {
      isBuilding = false;
      await killing.catch(() => undefined);
      for (const worker of workers) await worker[Symbol.asyncDispose]();
    }
    if (LONG) process.stdout.write(`${kills} kills, ${corpora} corpora\n`);
  },
);

/** Opens a fleet again if Redis was away at that moment: opening says so at once instead of waiting. */
async function opened(open: () => Promise<TestFleet>): Promise<TestFleet> {
  for (let left = 100; ; left--) {
    try {
      return await open();
    } catch (error) {
      if (left === 0 || (error as Partial<ArchiveError>).code !== "QUEUE_FAILED") throw error;
      await sleep(50);
    }
  }
}
