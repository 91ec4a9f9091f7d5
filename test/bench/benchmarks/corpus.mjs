import { rmSync } from "node:fs";
import { join } from "node:path";
import { child } from "../child.mjs";
import { all, median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast, atMost, figure, short } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

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
const PLANS = 10;

const seconds = (values) => `${short(median(values) / 1000)} s`;
const goalOf = (most, multiple) => most && atMost(most, multiple, "×");
const cpuLine = (what, cpu, ratio, most) => ({ what, cpu: seconds(cpu), ratio, goal: goalOf(most, ratio) });

/**
 * A build, and refreshes, against a loop of eight requests at a time and a polars write; then memory of many windows, growth of refreshes,
 * a large month, and plans.
 */
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
  lines.push(await windowsLine(run, within), await growthLine(run, within), await refreshesLine(run, within));
  lines.push(...(await monthLines(root, run, within)), ...(await planLines(run, within)));
  return lines;
}

async function shapeLines({ what, rows, goals, ...options }, run, within) {
  const measure = (server, how) => async () => {
    const found = await run(server, { how, ...options });
    if (found.mentions !== options.searches * rows || found.verdict !== "complete")
      throw new Error(JSON.stringify(found));
    return found;
  };
  const { corpus: ours, loop } = await within({ rows, step: rows, latency: LATENCY }, (server) =>
    rounds({ corpus: measure(server, "corpus"), loop: measure(server, "loop") }, 2),
  );
  const [time, cpu, memory] = goals;
  const slower = ratio(all(ours, "ms"), all(loop, "ms"));
  const heavier = ratio(all(ours, "cpu"), all(loop, "cpu"));
  const peak = Math.max(...all(ours, "peakMb"));
  const refreshes = (ours[0].again ?? []).map((_one, at) => {
    const again = ours.map((run) => run.again[at].cpu);
    return cpuLine(`${what}: CPU of a refresh to the build's`, again, ratio(again, all(ours, "cpu")), 1.2);
  });
  return [
    {
      what: `${what}: time to the loop's`,
      median: seconds(all(ours, "ms")),
      ratio: slower,
      goal: goalOf(time, slower),
    },
    cpuLine(`${what}: CPU to the loop's`, all(ours, "cpu"), heavier, cpu),
    figure(`${what}: peak memory`, peak, "MB", { most: memory }),
    ...refreshes,
  ];
}

async function windowsLine(run, within) {
  const options = { how: "corpus", searches: 6400, pageSize: 100, confirmEnd: false };
  const { peakMb } = await within({ rows: 20, step: 20 }, (server) => run(server, options));
  return figure("6,400 windows of 20 rows: peak memory", peakMb, "MB", { most: 430 });
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
  const { hits, ms, peakMb } = await within({ rows: 7000, step: 1750, secondsApart: 3 }, async (server) => {
    await run(server, { how: "corpus", ...options }, dir, true);
    return run(server, { how: "derive", ...options }, dir);
  });
  const what = `a month of ${hits.toLocaleString("en-US")} hits, derived`;
  return [
    figure(`${what}: time`, ms / 1000, "s", { most: 15 }),
    figure(`${what}: peak memory`, peakMb, "MB", { most: 500 }),
  ];
}

async function planLines(run, within) {
  const plans = [];
  for (let spread = 1; spread <= PLANS; spread++) {
    const options = { how: "plan", searches: 20 * spread, pageSize: 100 };
    plans.push(await within({ rows: 397, step: 397, spread }, (server) => run(server, options)));
  }
  const most = Math.max(...plans.map(({ sent, requests }) => sent / Math.max(20, 0.05 * requests)));
  const inside = plans.filter(({ low, high, requests }) => low <= requests && requests <= high).length;
  return [
    { what: "plan: requests to 20 or 5 % of the build's", ratio: most, goal: atMost(1, most, "×") },
    {
      what: `plan: corpora of ${PLANS} whose build is in the interval`,
      median: String(inside),
      goal: atLeast(9, inside),
    },
  ];
}
