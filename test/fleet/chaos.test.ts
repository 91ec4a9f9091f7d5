import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";
import { contentOf, folder, oneProcess, openBuild, urlsOf } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";
import { startWorkerProcess } from "./workerProcess.js";

/** `KILLS=500 LONG=1 npx vitest … test/fleet/chaos` for more. */
const KILLS = Number(process.env.KILLS ?? 100);
const RESTARTS = Math.ceil(KILLS / 10);
const WORKERS = 3;

const root = temporaryFolder();

it.skipIf(!HAS_REDIS || !LONG)(`${KILLS} killed workers and ${RESTARTS} restarts of Redis change no byte`, async () => {
  await using service = await startCorpusService(servedRows(1500));
  const expected = await oneProcess(service, root);
  await using server = await startRedis(folder(root, "redis"));
  const storage = folder(root, "storage");
  const start = () =>
    startWorkerProcess(service.baseUrl, server.url, storage, ["--concurrency", "2", "--lost-after", "1"]);
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  let [kills, restarts, corpora, isBuilding] = [0, 0, 0, true];
  const kill = async () => {
    for (let at = 0; isBuilding || kills < KILLS; at = (at + 1) % WORKERS) {
      await sleep(250 * Math.random());
      if (!isBuilding) return;
      await workers[at]?.end("SIGKILL");
      kills++;
      workers[at] = await start();
      if (kills % 10 === 0) {
        await server.restart();
        restarts++;
      }
    }
  };
  const killing = kill();
  while (kills < KILLS) {
    const dir = folder(root, `corpus-${corpora++}`);
    const before = service.server.requests.length;
    const { archive, corpus } = await openBuild(service, server, dir, storage, { maxRetries: 20 });
    expect((await corpus.build()).verdict).toBe("complete");
    await archive.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(readdirSync(join(dir, "work")).filter((name) => name !== "readers")).toEqual(["described.json"]);
    const urls = urlsOf(service, before);
    expect(new Set(urls)).toEqual(new Set(expected.urls));
  }
  isBuilding = false;
  await killing;
  for (const worker of workers) expect(await worker.end("SIGTERM")).toBe(0);
  expect(restarts).toBeGreaterThanOrEqual(RESTARTS - 1);
  process.stdout.write(`${kills} kills, ${restarts} restarts, ${corpora} corpora\n`);
});
