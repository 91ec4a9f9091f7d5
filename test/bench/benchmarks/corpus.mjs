import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { child } from "../child.mjs";
import { all, median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atMost, short } from "../table.mjs";

/** Windows, rows of each, rows of a page, and the goals: time and CPU to those of the loop, and peak memory in MB. */
const SHAPES = [
  {
    what: "5,000 rows in 148 windows, ends not confirmed",
    searches: 148,
    rows: 34,
    pageSize: 100,
    goals: [2, 4, 230],
    confirmEnd: false,
  },
  { what: "50,000 rows in 100 windows", searches: 100, rows: 500, pageSize: 1000, goals: [undefined, undefined, 320] },
  {
    what: "500,000 rows in 80 windows",
    searches: 80,
    rows: 6250,
    pageSize: 1000,
    goals: [1.25, 1.4, 440],
    refreshes: 1,
  },
];
const LATENCY = 40;

/** A build, and a refresh in which nothing changed, against a loop of eight requests at a time and a polars write. */
export default async function corpus() {
  const root = mkdtempSync(join(tmpdir(), "corpus-bench-"));
  let built = 0;
  const lines = [];
  for (const { what, rows, goals, ...options } of SHAPES) {
    const server = await startServer({ rows, step: rows, latency: LATENCY }, "corpusServer.mjs");
    const run = (how) => async () => {
      const dir = join(root, String(++built));
      const found = await child("corpusOnce.mjs", server.url, dir, JSON.stringify({ how, ...options }));
      if (found.mentions !== options.searches * rows || found.verdict !== "complete")
        throw new Error(JSON.stringify(found));
      rmSync(dir, { recursive: true, force: true });
      return found;
    };
    const { corpus: ours, loop } = await rounds({ corpus: run("corpus"), loop: run("loop") }, 2);
    server.stop();
    const [time, cpu, memory] = goals;
    const goal = (most, value, unit) => most && atMost(most, value, unit);
    const slower = ratio(all(ours, "ms"), all(loop, "ms"));
    const heavier = ratio(all(ours, "cpu"), all(loop, "cpu"));
    const peak = Math.max(...all(ours, "peakMb"));
    const seconds = (values) => `${short(median(values) / 1000)} s`;
    lines.push(
      {
        what: `${what}: time to the loop's`,
        median: seconds(all(ours, "ms")),
        ratio: slower,
        goal: goal(time, slower, "×"),
      },
      {
        what: `${what}: CPU to the loop's`,
        cpu: seconds(all(ours, "cpu")),
        ratio: heavier,
        goal: goal(cpu, heavier, "×"),
      },
      { what: `${what}: peak memory`, median: `${short(peak)} MB`, goal: goal(memory, peak, "MB") },
    );
    for (const [at] of (ours[0].again ?? []).entries()) {
      const again = ours.map((run) => run.again[at].cpu);
      const share = ratio(again, all(ours, "cpu"));
      lines.push({
        what: `${what}: CPU of refresh ${at + 1} to the build's`,
        cpu: seconds(again),
        ratio: share,
        goal: atMost(1.2, share, "×"),
      });
    }
  }
  rmSync(root, { recursive: true, force: true });
  return lines;
}
