import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { outputPath } from "../../src/files/outputPath.js";
import { pl } from "../../src/index.js";
import type { RunBounds } from "../../src/scan/rowSource.js";
import { ScanRun } from "../../src/scan/runScan.js";
import { planScan } from "../../src/scan/scanPlan.js";
import { sinkScan } from "../../src/scan/sinkScan.js";
import { runs } from "../scale.js";
import { memoryService } from "../scan/memoryService.js";
import { temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const plan = planScan("mentions", { query: "x" }, [], false);
const bounds: RunBounds = { maxItems: undefined, budget: undefined, signal: undefined, engine: "polars" };

/** Makes rows of 16 kilobytes. */
const padding = "ü\\u00e9\\n".repeat(1600);
const anyRow = fc.oneof(
  { weight: 60, arbitrary: fc.constant({}) },
  {
    weight: 60,
    arbitrary: fc.record({ personid: fc.option(fc.integer()), begintime: fc.constant("2024-05-01T00:00:00Z") }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ score: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })) }),
  },
  { weight: 1, arbitrary: fc.record({ personid: fc.constant("none") }) },
);

it("has the rows and types of the frame of all rows, wherever a column appears or widens", async () => {
  const path = join(root, "saved.parquet");
  const target = outputPath(path, "mentions", { dataPackage: false });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { minLength: 60, maxLength: 150 }),
      fc.integer({ min: 17, max: 40 }),
      async (rows, most) => {
        const json = rows.map(
          (row, id) => `${JSON.stringify({ id: String(id), ...row }).slice(0, -1)},"text":"${padding}"}`,
        );
        const frame = await new ScanRun(memoryService(json, most).client, plan, bounds).collect();
        await sinkScan(memoryService(json, most).client, plan, bounds, target, false);
        const saved = pl.readParquet(readFileSync(path));
        expect(saved.dtypes.map(String)).toEqual(frame.dtypes.map(String));
        expect(saved.columns).toEqual(frame.columns);
        expect(saved.toRecords()).toEqual(frame.toRecords());
      },
    ),
    { numRuns: runs(6) },
  );
});

it("has undeclared columns with any names", async () => {
  const path = join(root, "names.parquet");
  const odd = {
    "": "e",
    "^a": 3,
    $: 0.25,
    "a[x]*": true,
    "h\u00e9\u0000": null,
    "day=1/2": "2024-05-01T00:00:00Z",
    c1: 1,
  };
  const json = Array.from({ length: 100 }, (_none, id) => JSON.stringify({ id: String(id), text: padding, ...odd }));
  const target = outputPath(path, "mentions", { dataPackage: false });
  await sinkScan(memoryService(json, 20).client, plan, bounds, target, false);
  const frame = await new ScanRun(memoryService(json, 20).client, plan, bounds).collect();
  const saved = pl.readParquet(readFileSync(path));
  expect(saved.columns).toEqual(frame.columns);
  expect(saved.dtypes.map(String)).toEqual(frame.dtypes.map(String));
  expect(saved.toRecords()).toEqual(frame.toRecords());
});
