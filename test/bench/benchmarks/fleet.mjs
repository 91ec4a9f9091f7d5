import { rmSync } from "node:fs";
import { join } from "node:path";
import { child } from "../child.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, figure } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";
// The servers are those of the tests.
import "../../tools/typescript.mjs";

const { startRedis } = await import("../../fleet/redisServer.ts");
const { startWorkerProcess } = await import("../../fleet/workerProcess.ts");

/** 1,430 requests under the quota, a minute of a real build, and 880 without one. */
const SEARCHES = 130;
const SEARCHES_FREE = 80;
const ROWS = 200;
/** Requests per second. Two cores serve far more, so the figures are about the rate. */
const PER_SECOND = 25;
const BURST = 10;
/** Of each worker: under the quota, and without one. With more, two cores are the limit of four workers. */
const CONCURRENCY = 4;
const CONCURRENCY_FREE = 1;

/** One process, and 1, 2, 4 and 8 worker processes, under one quota; then 1 and 8 workers without one. Takes six minutes. */
export default () => withFolder(fleet);

async function fleet(root) {
  const redis = await startRedis("everysec");
  let built = 0;
  const build = async (server, searches, workers, concurrency, keys = ["key"]) => {
    const dir = join(root, String(++built));
    const flags = ["--concurrency", String(concurrency)];
    const start = (_none, at) => startWorkerProcess(server.url, redis.url, flags, keys[at % keys.length]);
    const started = await Promise.all(Array.from({ length: workers }, start));
    const where = workers > 0 ? [redis.url] : [];
    await server.stats();
    const run = await child("fleetOnce.mjs", server.url, dir, searches, ...where);
    const stats = await server.stats();
    await Promise.all(started.map((worker) => worker.end("SIGTERM")));
    if (run.verdict !== "complete") throw new Error(JSON.stringify(run));
    rmSync(dir, { recursive: true, force: true });
    return { ...stats, cpu: run.cpu, accepted: stats.requests - stats.refused };
  };
  const limited = await startServer(
    { rows: ROWS, step: ROWS, latency: 20, perSecond: PER_SECOND, burst: BURST },
    "corpusServer.mjs",
  );
  const lines = [];
  let alone;
  for (const workers of [0, 1, 2, 4, 8]) {
    const run = await build(limited, SEARCHES, workers, CONCURRENCY);
    alone ??= run;
    const what = workers === 0 ? "one process" : `${workers} worker${workers === 1 ? "" : "s"}`;
    const more = run.accepted / alone.accepted;
    const refused = (100 * run.refused) / run.requests;
    const ofQuota = (rate) => (100 * rate) / PER_SECOND;
    lines.push(
      { what: `${what}: requests to those of one process`, ratio: more, goal: atMost(1.02, more, "×") },
      figure(`${what}: refused`, refused, "%", { most: 3 }),
      figure(`${what}: second half, of the quota`, ofQuota(run.steady), "%", { least: 90 }),
      figure(`${what}: all, of the quota`, ofQuota(run.rate), "%", { least: 90 }),
      figure(`${what}: CPU of the client`, run.cpu / run.accepted, "ms per request"),
    );
  }
  const keys = ["key", "other-key-1", "other-key-2", "other-key-3"];
  const four = await build(limited, SEARCHES, 4, CONCURRENCY, keys);
  const times = alone.ms / four.ms;
  lines.push({ what: "4 workers with 4 keys to one process", ratio: times, goal: atLeast(3.3, times, "×") });
  limited.stop();
  const free = await startServer({ rows: ROWS, step: ROWS, latency: 40 }, "corpusServer.mjs");
  const one = await build(free, SEARCHES_FREE, 1, CONCURRENCY_FREE);
  const eight = await build(free, SEARCHES_FREE, 8, CONCURRENCY_FREE);
  const faster = one.ms / eight.ms;
  lines.push({ what: "8 workers to 1, without a quota, 40 ms", ratio: faster, goal: atLeast(7, faster, "×") });
  free.stop();
  await redis[Symbol.asyncDispose]();
  return lines;
}
