import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputPath } from "../../src/files/outputPath.js";
import type { RunBounds } from "../../src/scan/rowSource.js";
import { ScanRun } from "../../src/scan/runScan.js";
import { planScan } from "../../src/scan/scanPlan.js";
import { sinkScan } from "../../src/scan/sinkScan.js";
import { temporaryFolder } from "../files/temporary.js";
import { written } from "../files/written.js";
import { fittingRowJson, rowJson } from "../frames/pages.js";
import { runs } from "../scale.js";
import { memoryService } from "./memoryService.js";

const root = temporaryFolder();
const plan = planScan("mentions", { query: "x" }, [], false);
const bounds: RunBounds = { maxItems: undefined, budget: undefined, signal: undefined, engine: "polars" };

/** CSV of the frame of all rows. */
async function fromFrame(rows: readonly string[], most: number, formatOptions = {}): Promise<string> {
  const frame = await new ScanRun(memoryService(rows, most).client, plan, bounds).collect();
  return readFileSync(await written(root, "csv", [frame], formatOptions), "utf8");
}

async function saved(rows: readonly string[], most: number, formatOptions = {}): Promise<string> {
  const path = join(root, "saved.csv");
  const target = outputPath(path, "mentions", { dataPackage: false, ...formatOptions });
  await sinkScan(memoryService(rows, most).client, plan, bounds, target, false);
  const text = readFileSync(path, "utf8");
  rmSync(path);
  return text;
}

const anyRows = fc.oneof(
  fc.array(fittingRowJson, { minLength: 1, maxLength: 30 }),
  fc.array(fc.oneof({ weight: 15, arbitrary: fittingRowJson }, rowJson), { minLength: 1, maxLength: 30 }),
  fc.array(rowJson, { maxLength: 10 }),
);
const pageSize = fc.integer({ min: 1, max: 12 });
const row = (id: number, more: object = {}) => JSON.stringify({ id: String(id), text: `text ${id}`, ...more });

describe("CSV that is rendered from the pages", () => {
  it("has the bytes of the frame of all rows, however they are split into pages", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, pageSize, fc.boolean(), async (rows, most, bom) => {
        expect(await saved(rows, most, { bom })).toBe(await fromFrame(rows, most, { bom }));
      }),
      { numRuns: runs(12, 160) },
    );
  });

  it("is safe for spreadsheets on request", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, pageSize, async (rows, most) => {
        expect(await saved(rows, most, { excelSafe: true })).toBe(await fromFrame(rows, most, { excelSafe: true }));
      }),
      { numRuns: runs(3, 20) },
    );
  });

  it("has a column that first appears on a late page", async () => {
    const rows = [row(1), row(2), row(3), row(4, { score: 5 }), row(5), row(6, { score: 2.5 })];
    const text = await saved(rows, 2);
    expect(text).toBe(await fromFrame(rows, 6));
    expect(text.split("\r\n")[0]).toMatch(/,link,score$/);
    expect(text.split("\r\n").map((line) => line.split(",").at(-1))).toEqual([
      "score",
      "",
      "",
      "",
      "5.0",
      "",
      "2.5",
      "",
    ]);
  });

  it("has a widened column in all of its rows", async () => {
    const rows = [row(1, { personid: 1 }), row(2, { personid: 2 }), row(3, { personid: 2.5 }), row(4, { personid: 4 })];
    const text = await saved(rows, 1);
    expect(text).toBe(await fromFrame(rows, 4));
    expect(text).toContain("1,,,1.0,,text 1");
  });
});
