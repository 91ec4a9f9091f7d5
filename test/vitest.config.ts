import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { FULL } from "./scale.js";

/** Ends a test that hangs, not one that is slow. The long forms and freely chosen numbers of cases may take a day. */
const isLong = process.env.LONG === "1" || process.env.FUZZ !== undefined || process.env.FAULTS !== undefined;
const timeout = isLong ? 86_400_000 : 600_000;

/** Kernels, notebooks and Jupyter: their processes need no danfo. */
const SYSTEM = ["test/notebooks.test.ts", "test/kernel/**/*.test.ts", "test/faults/soak.test.ts"];

/**
 * Not in `npm test`: what starts kernels, commands, browsers, Redis or Python of its own, or is long by nature. CI and the long form
 * run them; `npm test -- test/fleet` does too.
 */
const SLOW = [
  "test/cli/{saveToOutput,startup}.test.ts",
  "test/coding/codingPage.test.ts",
  "test/corpus/{build,kill}.test.ts",
  "test/docs/{expressions,otherTools,readme}.test.ts",
  "test/faults/{childPrograms,hostileTerminal,hostileText,soak}.test.ts",
  "test/fleet/{chaos,fleet}.test.ts",
  "test/fs/hostilePaths.test.ts",
  "test/kernel/{interrupt,jupyterClient,life,modules,newcomer,patches,runCommand,runNotebook,sockets}.test.ts",
  "test/notebook/display/interactive.test.ts",
  "test/notebook/report/{accessible,hostileReport}.test.ts",
  "test/responses/hostile.test.ts",
  "test/speeches/{linking/linking,oracle}.test.ts",
];
/** Files that another run has, separated by spaces. */
const WITHOUT = process.env.WITHOUT?.split(" ") ?? [];
/** Whether the command line names files: `npm test -- test/fleet` runs all of them. */
const isNamed = process.argv.some((argument) => /^test\/(?!vitest)/.test(argument));
const isShort = !FULL && !isLong && !isNamed;
const leftOut = [...WITHOUT, ...(isShort ? SLOW : [])];

// In `npm test`, the processes share the cores; in CI, polars has all of them.
if (isShort) process.env.POLARS_MAX_THREADS ??= "1";

/** The order of the files: another one in each run, the same one with the same `ORDER`. */
process.env.ORDER ??= String(Date.now());

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    globalSetup: ["test/globalSetup.ts"],
    setupFiles: ["test/setup.ts"],
    // Native polars is not safe in worker threads that come and go; processes are.
    pool: "forks",
    // More than cores: tests wait for timers and sockets, many of CI for a kernel, a browser or Python.
    maxWorkers: availableParallelism() + (isShort ? 1 : 2),
    sequence: { shuffle: { files: true }, seed: Number(process.env.ORDER) },
    // Of the tests of one file that may run at once.
    maxConcurrency: 2,
    // A project compiles what it imports, and its processes load polars, danfo and undici: two of them, not one for each kind of test.
    // A process tests many files: tests put back what they change in it.
    isolate: false,
    // Compiling takes a tenth of a run.
    experimental: { fsModuleCache: true },
    testTimeout: timeout,
    hookTimeout: timeout,
    // What a test polls for comes, or the test ends: how long it takes depends on the machine.
    expect: { poll: { timeout } },
    projects: [
      { extends: true, test: { name: "system", include: SYSTEM, exclude: leftOut, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: "other", include: ["test/**/*.test.ts"], exclude: [...SYSTEM, ...leftOut] } },
    ],
  },
});
