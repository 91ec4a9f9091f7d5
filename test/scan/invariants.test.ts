import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ArchiveError,
  type ArchiveScan,
  type FetchedResult,
  type PolarsFrame,
  pl,
  provenanceOf,
  ValidationError,
} from "../../src/index.js";
import { SCAN_ROWS } from "../../src/scan/runScan.js";
import { scansOf } from "../../src/scan/scans.js";
import { expectSameFrame } from "../frames/expectSameFrame.js";
import { runs } from "../scale.js";
import { memoryService } from "./memoryService.js";
import { allOf } from "./pagedServer.js";
import { rows, type Verb, verb } from "./programs.js";

const sizes = { ...SCAN_ROWS };
beforeAll(() => Object.assign(SCAN_ROWS, { file: 7, batch: 9 }));
afterAll(() => Object.assign(SCAN_ROWS, sizes));

const program = fc.record({
  rows,
  verbs: fc.array(verb, { minLength: 1, maxLength: 3 }),
  most: fc.integer({ min: 1, max: 25 }),
  way: fc.constantFrom("collect", "collect", "collect", "count", "batches of 4", "batches"),
});

async function frameOf(scan: ArchiveScan<"mentions">, way: string): Promise<PolarsFrame | number> {
  if (way === "collect") return scan.collect();
  if (way === "count") return scan.count();
  const frames = await allOf(scan.batches(way === "batches of 4" ? { batchSize: 4 } : {}));
  const schemas = new Set(frames.map((frame) => JSON.stringify([frame.columns, frame.dtypes.map(String)])));
  if (frames.length === 0 || schemas.size > 1) return frames.reduce((sum, { height }) => sum + height, 0);
  return frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat(frames, { how: "diagonal" });
}

describe("a scan returns what polars returns for all rows that it read", () => {
  it("for every program, page split and change of types", async () => {
    const seen = { equal: 0, refused: 0, changed: 0 };
    await fc.assert(
      fc.asyncProperty(program, async ({ rows, verbs, most, way }) => {
        const service = memoryService(rows, most);
        const all = scansOf<"polars">(service.client).mentions("x");
        const polars = async (count: number) => {
          const eager = await all.collect({ maxItems: count });
          const lazy = verbs.reduce((frame, one: Verb) => one.polars(frame), eager.lazy());
          return lazy.collectSync();
        };
        const declared = (frame: PolarsFrame) =>
          frame.select("personid", "programid", "length", "text", "begintime").dtypes;
        const types = [await all.collect(), await all.collect({ maxItems: 0 })].map((frame) =>
          declared(frame).map(String),
        );
        // The verbs of batches have the types so far.
        const mayDiffer = way.startsWith("batches") && types[0]?.join() !== types[1]?.join();
        // polars may drop a verb that a later one makes unnecessary, for example before head(0).
        const stepByStep = async (count: number) => {
          const eager = await all.collect({ maxItems: count });
          verbs.reduce((frame, one: Verb) => one.polars(frame.lazy()).collectSync(), eager);
        };
        try {
          const scan = verbs.reduce((frame, one: Verb) => one.scan(frame), all);
          const got = await frameOf(scan, way);
          const read = provenanceOf(service.lastResult()?.frame as PolarsFrame);
          // Only a head ends a scan early.
          if (!verbs.some(({ text }) => text.startsWith("head"))) expect(read?.rows).toBe(rows.length);
          if (mayDiffer) {
            seen.changed++;
            return;
          }
          const wanted = await polars(read?.rows as number);
          if (typeof got === "number") expect(got).toBe(wanted.height);
          else if (way === "collect") expectSameFrame(got, wanted);
          else if (got.dtypes.map(String).join() === wanted.dtypes.map(String).join()) expectSameFrame(got, wanted);
          // An undeclared column may have got another type on the last page.
          else expect(got.height).toBe(wanted.height);
          seen.equal++;
        } catch (error) {
          if (!(error instanceof ArchiveError)) throw error;
          expect(error).toBeInstanceOf(ValidationError);
          if (mayDiffer) {
            seen.changed++;
            return;
          }
          // A scan rejects exactly what polars rejects for the rows read so far.
          const outcome = await stepByStep((error.partial as FetchedResult | undefined)?.rows ?? 0).then(
            () => "a frame",
            () => "refused",
          );
          expect(`${error.message} ${outcome}`).toMatch(/refused$/);
          seen.refused++;
        }
      }),
      { numRuns: runs(50, 1200) },
    );
    // Guards against a generator whose programs all fail.
    expect(seen.equal, JSON.stringify(seen)).toBeGreaterThan(seen.refused + seen.changed);
  });
});
