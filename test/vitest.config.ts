import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Ends a test that hangs, not one that is slow. The long forms and freely chosen numbers of cases may take a day. */
const isLong = process.env.LONG === "1" || process.env.FUZZ !== undefined || process.env.FAULTS !== undefined;
const timeout = isLong ? 86_400_000 : 600_000;

/** Kernels, notebooks and Jupyter: their processes need no danfo. */
const SYSTEM = ["test/notebooks.test.ts", "test/kernel/**/*.test.ts", "test/faults/soak.test.ts"];

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    globalSetup: ["test/globalSetup.ts"],
    setupFiles: ["test/setup.ts"],
    // Native polars is not safe in worker threads that come and go; processes are.
    pool: "forks",
    // Two more than cores: many tests wait for a kernel, a browser or Python.
    maxWorkers: availableParallelism() + 2,
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
      { extends: true, test: { name: "system", include: SYSTEM } },
      { extends: true, test: { name: "other", include: ["test/**/*.test.ts"], exclude: SYSTEM } },
    ],
  },
});
