import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { outputPath } from "../../src/files/outputPath.js";
import { parquetWriter } from "../../src/files/writers/parquetWriter.js";
import { pl } from "../../src/frames/polars.js";
import type { RunBounds } from "../../src/scan/rowSource.js";
import { ScanRun } from "../../src/scan/runScan.js";
import { planScan } from "../../src/scan/scanPlan.js";
import { sinkScan } from "../../src/scan/sinkScan.js";
import { bodyOf, frameOf } from "../frames/pages.js";
import { runs } from "../scale.js";
import { memoryService } from "../scan/memoryService.js";
import { temporaryFolder } from "./temporary.js";
import { duck } from "./written.js";

const root = temporaryFolder();
const plan = planScan("mentions", { query: "x" }, [], false);
const bounds: RunBounds = { maxItems: undefined, budget: undefined, signal: undefined, engine: "polars" };

it("writes frames in order, across row groups, and leaves no temporary file", async () => {
  const [path, scratch] = [join(root, "groups.parquet"), join(root, "groups-scratch")];
  mkdirSync(scratch);
  const writer = parquetWriter({ path, scratch, name: "mentions" }, {});
  let rows = 0;
  for (const count of [900, 20_000, 1, 0, 45_000, 7]) {
    const ids = Array.from({ length: count }, (_none, at) => `{"id":"a${rows + at}","personid":${rows + at}}`);
    await writer.write(frameOf([bodyOf(ids)]));
    rows += count;
  }
  await writer.end();
  expect(readdirSync(scratch)).toEqual([]);
  const ids = Array.from({ length: rows }, (_none, at) => at);
  const frame = pl.readParquet(readFileSync(path));
  expect(frame.getColumn("personid").toArray().map(Number)).toEqual(ids);
  expect(frame.getColumn("id").toArray()).toEqual(ids.map((id) => `a${id}`));
  const groups = await duck(
    `select distinct row_group_id, row_group_num_rows from parquet_metadata('${path}') order by 1`,
  );
  expect(groups.rows.map(([, count]) => Number(count))).toEqual([32_767, 32_767, rows - 65_534]);
});

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
