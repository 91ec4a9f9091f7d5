import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** The long forms and freely chosen numbers of cases take as long as they take. */
const isLong = process.env.LONG === "1" || process.env.FUZZ !== undefined || process.env.FAULTS !== undefined;
const timeout = (seconds: number) => {
  const testTimeout = isLong ? 3_600_000 : seconds * 1000;
  return { testTimeout, hookTimeout: Math.max(60_000, testTimeout) };
};

/** Kernels, notebooks and Jupyter. */
const SYSTEM = [
  "test/notebooks.test.ts",
  "test/kernel/**/*.test.ts",
  "test/faults/{canary,kernelSockets,serversKernel,soak}.test.ts",
];

/** Other programs, large or generated input, full disks, many requests, and danfo, which takes seconds to load. */
const INTEGRATION = [
  "test/{cli,corpus,docs,faults,files,fleet,frames,fs,scan,speeches}/**/*.test.ts",
  "test/client/{bodies,count,formats,joinLookups,parity,progress,sample,throttled,unfamiliarServices,warnings}.test.ts",
  "test/embedded/{determinism,programsSearch,referenceExamples,server}.test.ts",
  "test/notebook/charts/{chart,ready}.test.ts",
  "test/notebook/display/{frames,hostile,themes,values}.test.ts",
  "test/notebook/report/hostileReport.test.ts",
  "test/service/{keyCost,keyForms,options,responseBytes,transport,transportBody,transportRetry,transportSecrets}.test.ts",
  "test/service/{json,paging,throttles}/**/*.test.ts",
  "test/responses/{fullDisk,hostile,openArchive,retrievals,store,storeDirectory}.test.ts",
];

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    globalSetup: ["test/globalSetup.ts"],
    setupFiles: ["test/setup.ts"],
    // Native polars is not safe in worker threads that come and go; processes are.
    pool: "forks",
    // One more than cores: many tests wait for a kernel, a browser or Python.
    maxWorkers: availableParallelism() + 1,
    // Of the tests of one file that may run at once.
    maxConcurrency: 2,
    projects: [
      { extends: true, test: { name: "system", include: SYSTEM, isolate: false, ...timeout(180) } },
      // A process for many files, which loads polars, danfo and undici once: tests put back what they change in it.
      {
        extends: true,
        test: { name: "integration", include: INTEGRATION, exclude: SYSTEM, isolate: false, ...timeout(180) },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...SYSTEM, ...INTEGRATION],
          isolate: false,
          ...timeout(60),
        },
      },
    ],
  },
});
