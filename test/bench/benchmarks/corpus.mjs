import { rmSync } from "node:fs";
import { join } from "node:path";
import { child } from "../child.mjs";
import { all, median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, figure, short } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

/** Searches, rows of each window, rows of a page, and the goals: CPU to that of the loop, of a refresh to that of the build, peak memory in MB. */
const SHAPES = [
  { what: "5,000 rows in 148 windows", searches: 148, rows: 34, pageSize: 100, cpu: 2 },
  { what: "500,000 rows in 80 windows", searches: 80, rows: 6250, pageSize: 1000, cpu: 1.3 },
  {
    what: "400 searches × 24 months of 20 rows",
    searches: 400,
    rows: 20,
    pageSize: 100,
    months: 24,
    cpu: 2,
    isAdding: true,
  },
].map((shape) => ({ ...shape, refreshes: 1 }));
const REFRESH = 0.3;
const ADDED_MS = 2000;
const MEMORY_MB = 450;
const PLANS = 10;

const seconds = (values) => `${short(median(values) / 1000)} s`;
const goalOf = (most, multiple) => most && atMost(most, multiple, "×");
const cpuLine = (what, cpu, ratio, most) => ({ what, cpu: seconds(cpu), ratio, goal: goalOf(most, ratio) });

/** Builds and refreshes against a loop with the same requests, eight at a time, and a polars write; growth of refreshes, a large month, plans. */
export default () => withFolder(corpus);

async function corpus(root) {
  let built = 0;
  /** Runs something against a server; the corpus of an earlier run may be used again. */
  const run = async (server, options, dir = join(root, String(++built)), isKept = false) => {
    const found = await child("corpusOnce.mjs", server.url, dir, JSON.stringify(options));
    if (!isKept) rmSync(dir, { recursive: true, force: true });
    return found;
  };
  const within = async (service, action) => {
    const server = await startServer({ latency: 0, ...service }, "corpusServer.mjs");
    try {
      return await action(server);
    } finally {
      server.stop();
    }
  };
  const lines = [];
  for (const shape of SHAPES) lines.push(...(await shapeLines(shape, run, within)));
  lines.push(await growthLine(run, within), await refreshesLine(run, within));
  lines.push(...(await monthLines(root, run, within)), ...(await planLines(run, within)));
  return lines;
}

async function shapeLines({ what, rows, cpu, ...options }, run, within) {
  const { searches, months = 1 } = options;
  const measure = (server, how) => async () => {
    const found = await run(server, { how, ...options });
    if (found.mentions !== searches * months * rows || found.verdict !== "complete")
      throw new Error(JSON.stringify(found));
    return found;
  };
  const { corpus: ours, loop } = await within({ rows, step: rows, months }, (server) =>
    rounds({ corpus: measure(server, "corpus"), loop: measure(server, "loop") }, 2),
  );
  const heavier = ratio(all(ours, "cpu"), all(loop, "cpu"));
  const again = ours.map((run, round) => Math.max(0, run.again[0].cpu - loop[round].cpu));
  const unchanged = `${what}: CPU of a refresh without changes, beyond its requests, to the build's`;
  const lines = [
    cpuLine(`${what}: CPU to the loop's`, all(ours, "cpu"), heavier, cpu),
    cpuLine(unchanged, again, ratio(again, all(ours, "cpu")), REFRESH),
    figure(`${what}: peak memory`, Math.max(...all(ours, "peakMb")), "MB", { most: MEMORY_MB }),
  ];
  const added = `${what}: CPU of one search more, beyond its requests`;
  if (options.isAdding) lines.push(figure(added, median(all(ours, "added")) / 1000, "s", { most: ADDED_MS / 1000 }));
  return lines;
}

async function growthLine(run, within) {
  const measure = (server, searches) => async () =>
    (await run(server, { how: "corpus", searches, pageSize: 1000, refreshes: 1 })).again[0];
  const { few, many } = await within({ rows: 250, step: 250 }, (server) =>
    rounds({ few: measure(server, 100), many: measure(server, 400) }, 2, 0),
  );
  const growth = ratio(all(many, "cpu"), all(few, "cpu")) / 4;
  const what = "refresh, nothing changed: CPU of 400 searches to that of 4 × 100";
  return cpuLine(what, all(many, "cpu"), growth, 1.2);
}

async function refreshesLine(run, within) {
  const options = { how: "corpus", searches: 100, pageSize: 1000, refreshes: 11, isMoving: true };
  const { cpu, again } = await within({ rows: 500, step: 500 }, (server) => run(server, options));
  const share = again[10].cpu / cpu;
  const what =
    "50,000 rows after ten refreshes with changes in every window: CPU of one without changes to the build's";
  return cpuLine(what, [again[10].cpu], share, 1.5);
}

async function monthLines(root, run, within) {
  const dir = join(root, "month");
  const options = { searches: 400, pageSize: 1000 };
  // Each mention is found by four searches, and all are of one month.
  const [built, restored] = await within({ rows: 7000, step: 1750, secondsApart: 3 }, async (server) => [
    await run(server, { how: "corpus", ...options }, dir, true),
    await run(server, { how: "restore", ...options }, dir),
  ]);
  const what = `a month of ${built.hits.toLocaleString("en-US")} hits`;
  return [
    figure(`${what}: peak memory`, built.peakMb, "MB", { most: MEMORY_MB }),
    figure(`${what}, its database made again from the tables: time`, restored.ms / 1000, "s", { most: 30 }),
    figure(`${what}, its database made again: peak memory`, restored.peakMb, "MB", { most: MEMORY_MB }),
  ];
}

async function planLines(run, within) {
  const plans = [];
  for (let spread = 1; spread <= PLANS; spread++) {
    const options = { how: "plan", searches: 20 * spread, pageSize: 100 };
    plans.push(await within({ rows: 397, step: 397, spread }, (server) => run(server, options)));
  }
  const inside = plans.filter(({ low, high, requests }) => low <= requests && requests <= high).length;
  return [
    {
      what: `plan: corpora of ${PLANS} whose build is in the interval`,
      median: String(inside),
      goal: atLeast(9, inside),
    },
  ];
}
