import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    // Native polars is not safe in worker threads that come and go; a process per file is.
    pool: "forks",
    // Two on two cores, where one would be the default: many tests wait for a kernel, a browser or Python.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 180_000,
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "test/tsconfig.json",
      // By path: the tsc on the path of scripts may be the older one that tslab brings.
      checker: new URL("../node_modules/typescript/bin/tsc", import.meta.url).pathname,
    },
  },
});
