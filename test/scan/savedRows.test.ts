import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { outputPath } from "../../src/files/outputPath.js";
import { type FormatOptions, type PolarsFrame, pl } from "../../src/index.js";
import { type RunBounds, ScanRun } from "../../src/scan/runScan.js";
import { planScan } from "../../src/scan/scanPlan.js";
import { sinkScan } from "../../src/scan/sinkScan.js";
import { temporaryFolder } from "../files/temporary.js";
import { written } from "../files/written.js";
import { expectSameFrame } from "../frames/expectSameFrame.js";
import { fittingRowJson, rowJson } from "../frames/pages.js";
import { runs } from "../scale.js";
import { memoryService } from "./memoryService.js";

const root = temporaryFolder();
const plan = planScan({ operation: "mentions", parameters: { query: "x" }, verbs: [] });
const bounds: RunBounds = { maxItems: undefined, budget: undefined, signal: undefined };

/** The frame of all rows, which come in pages of at most so many. */
const collected = (rows: readonly string[], most: number): Promise<PolarsFrame> =>
  new ScanRun(memoryService(rows, most).client, plan, bounds).collect();

/** The bytes of the file of all rows. */
async function saved(
  name: string,
  rows: readonly string[],
  most: number,
  options: FormatOptions = {},
): Promise<Buffer> {
  const target = outputPath(join(root, name), "mentions", { dataPackage: false, ...options });
  await sinkScan(memoryService(rows, most).client, plan, bounds, target, false);
  const bytes = readFileSync(join(root, name));
  rmSync(join(root, name));
  return bytes;
}

it("CSV that is made from the pages has the bytes of the frame of all rows, however they are split into pages", async () => {
  const anyRows = fc.oneof(
    fc.array(fittingRowJson, { minLength: 1, maxLength: 30 }),
    fc.array(fc.oneof({ weight: 15, arbitrary: fittingRowJson }, rowJson), { minLength: 1, maxLength: 30 }),
    fc.array(rowJson, { maxLength: 10 }),
  );
  const anyOptions = fc.record({ bom: fc.boolean(), excelSafe: fc.constantFrom(false, false, true) });
  await fc.assert(
    fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 12 }), anyOptions, async (rows, most, options) => {
      const path = await written(root, "csv", [await collected(rows, most)], options);
      expect(String(await saved("a.csv", rows, most, options))).toBe(readFileSync(path, "utf8"));
    }),
    { numRuns: runs(8, 180) },
  );
});

/** Makes rows of 16 kilobytes. */
const padding = "ü\\u00e9\\n".repeat(1600);
const padded = (rows: readonly object[]) =>
  rows.map((row, id) => `${JSON.stringify({ id: String(id), ...row }).slice(0, -1)},"text":"${padding}"}`);

async function expectEqualParquet(rows: readonly string[], most: number): Promise<void> {
  const frame = await collected(rows, most);
  expectSameFrame(pl.readParquet(await saved("a.parquet", rows, most)), frame);
}

it("Parquet has the rows and types of the frame of all rows, wherever a column appears or widens", async () => {
  const score = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const begintime = fc.constant("2024-05-01T00:00:00Z");
  const anyRow = fc.oneof(
    { weight: 60, arbitrary: fc.constant({}) },
    { weight: 60, arbitrary: fc.record({ personid: fc.option(fc.integer()), begintime }) },
    { weight: 1, arbitrary: fc.record({ score }) },
    { weight: 1, arbitrary: fc.constant({ "": "e", "^a": 3, $: 0.25, "a[x]*": true, "h\u00e9\u0000": null, c1: 1 }) },
    { weight: 1, arbitrary: fc.record({ personid: fc.constant("none") }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRow, { minLength: 60, maxLength: 150 }),
      fc.integer({ min: 17, max: 40 }),
      (rows, most) => expectEqualParquet(padded(rows), most),
    ),
    { numRuns: runs(3, 24) },
  );
});
