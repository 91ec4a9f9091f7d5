import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { startKernel } from "../jupyterClient.mjs";
import { median, ratio } from "../rounds.mjs";
import { atMost, short } from "../table.mjs";

const tslab = createRequire(import.meta.url)
  .resolve("tslab/package.json")
  .replace(/package\.json$/, "bin/tslab");
const ENTRY = fileURLToPath(new URL("../../../dist/kernel/main.js", import.meta.url));
const KERNELS = {
  ours: [process.execPath, ENTRY],
  stock: [process.execPath, tslab, "kernel", "--config-path"],
};
/** The minimum for every kernel: Node itself, and its socket library. */
const FLOORS = { node: "0", zeromq: "import('zeromq')" };
const CELLS = 10;
const ROUNDS = 5;

/** Milliseconds of a clock tick of the kernel's accounting on Linux. */
const TICK = 10;

/** Our kernel against stock tslab's: time to the first reply, and time and CPU time to the first result and per small cell. */
export default async function kernel() {
  const empty = () => ({ answer: [], first: [], cell: [], firstCpu: [], cellCpu: [] });
  const measured = { ours: empty(), stock: empty(), node: { start: [] }, zeromq: { start: [] } };
  for (let round = 0; round <= ROUNDS; round++) {
    const add = (name, times) => {
      if (round > 0) for (const [what, ms] of Object.entries(times)) measured[name][what].push(ms);
    };
    for (const [name, code] of Object.entries(FLOORS)) add(name, { start: await start(code) });
    for (const [name, argv] of Object.entries(KERNELS)) add(name, await run(argv));
  }
  const { ours, stock, node, zeromq } = measured;
  const line = (what, of, goal) => ({
    what,
    median: `${short(median(ours[of]))} ms, stock ${short(median(stock[of]))} ms`,
    ratio: ratio(ours[of], stock[of]),
    goal,
  });
  const answer = line("from the spawn to the first kernel_info", "answer", atMost(300, median(ours.answer), "ms"));
  const floors = `node -e 0 ${short(median(node.start))} ms, with zeromq ${short(median(zeromq.start))} ms`;
  return [
    { ...answer, median: `${answer.median}, ${floors}` },
    line("from the spawn to the first result", "first", atMost(1, ratio(ours.first, stock.first), "× stock tslab")),
    line("a small cell", "cell", atMost(1, ratio(ours.cell, stock.cell), "× stock tslab")),
    line("CPU to the first result", "firstCpu", atMost(0.87, ratio(ours.firstCpu, stock.firstCpu), "× stock tslab")),
    line("CPU of a small cell", "cellCpu", atMost(0.74, ratio(ours.cellCpu, stock.cellCpu), "× stock tslab")),
  ];
}

/** The time for Node to run some code and exit. */
async function start(code) {
  const begun = performance.now();
  await once(spawn(process.execPath, ["-e", code], { cwd: import.meta.dirname, stdio: "ignore" }), "exit");
  return performance.now() - begun;
}

async function run(argv) {
  const begun = performance.now();
  const kernel = await startKernel(argv);
  const answer = performance.now() - begun;
  await result(kernel, "1 + 1");
  const first = performance.now() - begun;
  const firstCpu = cpuOf(kernel.pid);
  const cells = [];
  for (let at = 0; at < CELLS; at++) cells.push(await result(kernel, `const value${at} = ${at};\nvalue${at} + 1`));
  const cellCpu = (cpuOf(kernel.pid) - firstCpu) / CELLS;
  kernel.close();
  return { answer, first, cell: median(cells), firstCpu, cellCpu };
}

/** CPU milliseconds of a process group so far, children that still run included. Linux only: 0 elsewhere. */
function cpuOf(group) {
  if (process.platform !== "linux") return 0;
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // After the name, which may contain spaces: state, parent, group, …, user and system time.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[2]) === group) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return ticks * TICK;
}

/** The time until a cell's result arrives; stock tslab prints it. */
async function result(kernel, code) {
  const begun = performance.now();
  return (await kernel.execute(code)) - begun;
}
