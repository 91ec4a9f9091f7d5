import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { child } from "../child.mjs";
import { raw } from "../contenders.mjs";
import { all, median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const SEARCHES = 100;
const PAGE = 100;
/** Every row but the first and last ones is found by two searches. */
const ROWS = 2000;
const STEP = ROWS / 2;
const MENTIONS = (SEARCHES + 1) * STEP;

/** 100 searches that share half of their rows, against a plain loop of the same requests that keeps nothing. */
export default async function corpus() {
  const server = await startServer({ rows: ROWS, step: STEP, latency: 40 }, "corpusServer.mjs");
  const root = mkdtempSync(join(tmpdir(), "corpus-bench-"));
  let built = 0;
  const runs = [];
  const contenders = {
    async ours() {
      await server.stats();
      const run = await child("corpusOnce.mjs", server.url, join(root, String(++built)), SEARCHES);
      if (run.mentions !== MENTIONS || run.verdict !== "complete") throw new Error(JSON.stringify(run));
      runs.push({ ...run, ...(await server.stats()) });
      return run;
    },
    async loop() {
      const start = performance.now();
      for (let at = 0; at < SEARCHES; at++) {
        const contender = raw(server.url, PAGE, false, undefined, `q${at}`);
        await contender.run();
        await contender.close();
      }
      return { ms: performance.now() - start };
    },
  };
  const times = await rounds(contenders, 2);
  server.stop();
  rmSync(root, { recursive: true, force: true });
  // Each search has its pages, and one that confirms its end.
  const least = SEARCHES * (ROWS / PAGE + 1);
  const asked = Math.max(...runs.map(({ requests }) => requests)) / least;
  const faster = ratio(all(times.loop, "ms"), all(times.ours, "ms"));
  const peak = Math.max(...all(runs, "peakMb"));
  return [
    {
      what: `${SEARCHES} searches, ${MENTIONS.toLocaleString("en-US")} mentions, 40 ms a request`,
      median: `${short(median(all(times.ours, "ms")) / 1000)} s`,
      cpu: `${short(median(all(runs, "cpu")) / 1000)} s`,
    },
    { what: "requests to the least possible", ratio: asked, goal: atMost(1.02, asked, "×") },
    { what: "one request after another", ratio: faster, goal: atLeast(6, faster, "× ours") },
    { what: "peak memory", median: `${short(peak)} MB`, goal: atMost(300, peak, "MB") },
  ];
}
