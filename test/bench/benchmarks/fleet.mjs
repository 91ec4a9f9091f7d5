import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { child } from "../child.mjs";
import { startRedis, startWorkers } from "../fleetWorkers.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const SEARCHES = 100;
const ROWS = 200;
const PER_SECOND = 50;
const BURST = 10;
/** Of each worker. With more, four workers need more than the two cores of the machine that publishes the figures. */
const CONCURRENCY = 2;

/** 1, 2, 4 and 8 worker processes under one quota, against one process; and without a quota. */
export default async function fleet() {
  const root = mkdtempSync(join(tmpdir(), "fleet-bench-"));
  const redis = await startRedis(root);
  let built = 0;
  const build = async (server, workers, concurrency) => {
    await server.stats();
    const dir = join(root, String(++built));
    const storage = join(root, "storage");
    const fleetOf = workers > 0 ? await startWorkers(workers, server.url, redis.url, storage, concurrency) : undefined;
    const where = workers > 0 ? [redis.url, storage] : [];
    const run = await child("fleetOnce.mjs", server.url, dir, SEARCHES, ...where);
    const stats = await server.stats();
    await fleetOf?.stop();
    if (run.verdict !== "complete") throw new Error(JSON.stringify(run));
    rmSync(dir, { recursive: true, force: true });
    return { ...run, sent: stats.requests, refused: stats.refused, wire: stats.ms, rate: stats.rate };
  };
  const limited = await startServer(
    { rows: ROWS, step: ROWS, latency: 5, perSecond: PER_SECOND, burst: BURST },
    "corpusServer.mjs",
  );
  const alone = await build(limited, 0);
  // The first half is the burst, and learning the rate.
  const rateOf = ({ rate }) => (100 * rate) / PER_SECOND;
  const lines = [
    { what: `one process, quota ${PER_SECOND}/s: rate to the quota`, median: `${short(rateOf(alone))} %` },
  ];
  for (const workers of [1, 2, 4, 8]) {
    const run = await build(limited, workers, 4);
    const accepted = run.sent - run.refused;
    const share = (100 * run.refused) / run.sent;
    const ofQuota = rateOf(run);
    const what = `${workers} workers, quota ${PER_SECOND}/s`;
    const asked = accepted / (alone.sent - alone.refused);
    lines.push({ what: `${what}: requests to those of one process`, ratio: asked, goal: atMost(1.02, asked, "×") });
    lines.push({ what: `${what}: refused`, median: `${short(share)} %`, goal: atMost(5, share, "%") });
    lines.push({ what: `${what}: rate to the quota`, median: `${short(ofQuota)} %`, goal: atLeast(90, ofQuota, "%") });
  }
  limited.stop();
  const free = await startServer({ rows: ROWS, step: ROWS, latency: 40 }, "corpusServer.mjs");
  const one = await build(free, 1, CONCURRENCY);
  const four = await build(free, 4, CONCURRENCY);
  const faster = one.wire / four.wire;
  lines.push({ what: "4 workers to 1, without a quota, 40 ms", ratio: faster, goal: atLeast(3, faster, "×") });
  lines.push({ what: "CPU of the coordinator per request", median: `${short(four.cpu / four.sent)} ms` });
  free.stop();
  redis.stop();
  rmSync(root, { recursive: true, force: true });
  return lines;
}
