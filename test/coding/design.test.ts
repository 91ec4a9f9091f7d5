import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleRows, sampleSize } from "../../src/coding/index.js";

import { allocate } from "../../src/frames/allocate.js";
import { concat, designOf, openArchive, pl, provenanceOf, readFrame, saveFrame } from "../../src/index.js";
import { rates } from "../../src/text/index.js";
import { fastRandom } from "../../src/util/seededRandom.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { mentions } from "../text/frames.js";
import { warningsOf } from "../util/warningsOf.js";

const newFolder = newFolders(temporaryFolder());
const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
const count = (all: readonly unknown[]) => {
  const counts = new Map<unknown, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
};

describe("allocation", () => {
  // 36 months of 40 rows and one of 400: of 30 rows, the large month's share is 6.5.
  const months = Array.from({ length: 37 }, (_, month) => [`m${month}`, month === 5 ? 400 : 40] as const);
  const frame = mentions(months.flatMap(([g, size]) => Array.from({ length: size }, () => ({ text: "t", g }))));

  it.each([30, 100, 200, 400])("of %i rows in proportion is within one row of each share", async (rows) => {
    const { result } = await warningsOf(async () => sampleRows(frame, { rows, strata: "g" }));
    const drawn = count(result.getColumn("g").toArray());
    for (const [name, size] of months) expect(Math.abs((drawn.get(name) ?? 0) - (rows * size) / 1840)).toBeLessThan(1);
  });

  it("joins strata that would give fewer than two rows, so that every row has a chance, and says so", async () => {
    const { result, warnings } = await warningsOf(async () => sampleRows(frame, { rows: 30, strata: "g" }));
    expect(warnings).toEqual([
      [
        "STRATA_JOINED",
        expect.stringMatching(/^36 of 37 strata would have given fewer than 2 rows and were joined to 9/),
      ],
    ]);
    const strata = count(result.getColumn("stratum").toArray());
    expect([...strata.keys()]).toContain("m0 to m3 (4)");
    expect(Math.min(...strata.values())).toBeGreaterThanOrEqual(2);
    expect(sum(designOf(result)?.weights as number[])).toBeCloseTo(1840, 6);
  });

  it("gives every row its probability, whatever the strata", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 });
    const kinds = fc.constantFrom("proportional" as const, "equal" as const);
    const check = () =>
      fc.assert(
        fc.property(sizes, fc.integer({ min: 2, max: 200 }), kinds, fc.nat(), (given, rows, kind, seed) => {
          const strata = new Map(given.map((size, at) => [`s${at}`, size]));
          const shares = allocate(strata, rows, kind, fastRandom(seed));
          const total = Math.min(rows, sum(given));
          expect(sum(shares.map((share) => share.count))).toBe(total);
          const joined = [...new Set(shares.map(({ stratum }) => stratum))];
          expect(sum(joined.map(({ of }) => of))).toBe(sum(given));
          for (const [at, { count, stratum }] of shares.entries()) {
            expect(count).toBeLessThanOrEqual(given[at] as number);
            if (joined.length > 1) expect(stratum.drawn).toBeGreaterThanOrEqual(Math.min(2, stratum.of));
            expect(sum(shares.filter((share) => share.stratum === stratum).map((share) => share.count))).toBe(
              stratum.drawn,
            );
          }
        }),
        { seed: 12, numRuns: 300 },
      );
    await warningsOf(check);
  });
});

describe("the design of a frame", () => {
  it("follows a sample through verbs, files and other samples", async () => {
    const archive = await openArchive();
    const found = await archive.mentions("climate", { maxItems: 400 });
    const sample = sampleRows(found, { rows: 60, strata: "year", allocation: "equal" });
    const design = designOf(sample);
    expect(sum(design?.weights as number[])).toBeCloseTo(400, 6);
    expect(sum((design?.phases[0]?.strata ?? []).map(({ of }) => of))).toBe(400);
    const some = sample.filter(pl.col("length").gt(0)).sort("id").select("id", "text", "stratum", "probability");
    expect(designOf(some)?.phases).toEqual(design?.phases);
    for (const name of ["a.csv", "a.parquet", "a.jsonl"]) {
      const path = join(newFolder(), name);
      await saveFrame(sample, path);
      const again = designOf(await readFrame(path));
      expect(again?.phases).toEqual(design?.phases);
      expect(again?.drawn).toEqual(design?.drawn);
      for (const [at, weight] of (again?.weights ?? []).entries())
        expect(weight).toBeCloseTo(design?.weights[at] as number, 9);
    }
    const second = sampleRows(sample, { rows: 20 });
    expect(designOf(second)?.phases).toHaveLength(2);
    for (const [at, row] of second.toRecords().entries()) {
      const first = sample
        .filter(pl.col("id").eq(pl.lit(row.id as string)))
        .getColumn("probability")
        .toArray()[0];
      expect(designOf(second)?.weights[at]).toBeCloseTo(3 / (first as number), 9);
    }
    expect(designOf(found)).toBeUndefined();
    const summary = sample.groupBy("stratum").agg(pl.col("probability").mean().alias("probability"));
    expect(provenanceOf(summary)?.design).toBeUndefined();
  });

  it("takes rows that were drawn by themselves for no pages, whatever their column page has", async () => {
    const archive = await openArchive();
    const found = (await archive.mentions("climate", { maxItems: 100 })).withColumns(pl.lit(1).alias("page"));
    expect(new Set(designOf(sampleRows(found, { rows: 40 }))?.unit)).toEqual(new Set([null]));
  });

  it("knows equal probabilities without the column, and refuses to guess different ones", async () => {
    const archive = await openArchive();
    const found = await archive.mentions("climate", { maxItems: 300 });
    const alike = sampleRows(found, { rows: 60 }).select("text");
    expect(new Set(designOf(alike)?.weights)).toEqual(new Set([5]));
    const unlike = sampleRows(found, { rows: 60, strata: "year", allocation: "equal" }).select("text");
    expect(() => designOf(unlike)).toThrow(/different probabilities, and the column probability is gone/);
    const open = sampleRows(found, { rows: 60 }).withColumns(pl.lit(null).cast(pl.Float64).alias("probability"));
    for (const frame of [unlike, open]) {
      expect(() => designOf(frame)).toThrow(/(?:"probability"\)|Filter them out)\.$/);
      await expect(rates(frame, "the", { baseline: "own rows" })).rejects.toThrow(/, or give weights: false to count/);
    }
  });

  it("of frames below each other has the draws of all", async () => {
    const archive = await openArchive();
    const [a, b] = await Promise.all(
      ["climate", "budget"].map((query) => archive.sample("mentions", query, { rows: 30 })),
    );
    const both = designOf(concat([a as never, b as never]));
    expect(both?.phases[0]?.strata).toHaveLength(2);
    expect(both?.weights).toHaveLength(60);
  });

  it("of archive.sample has the pages that rows were drawn with", async () => {
    const archive = await openArchive();
    const sample = await archive.sample("mentions", "the", { rows: 100, pages: 10 });
    const design = designOf(sample);
    expect(design?.phases[0]?.unit).toBe("page");
    const pages = count(design?.unit ?? []);
    expect(pages.size).toBe(provenanceOf(sample)?.sample?.pages);
    expect(pages.size).toBeLessThanOrEqual(11);
    // A second draw of all rows, from strata that cross the pages, changes nothing.
    const again = sampleRows(sample, { rows: sample.height, strata: "programid" });
    const [first, second] = [sample, again].map((frame) =>
      rates(frame, "to", { cluster: false, baseline: "own rows" }),
    );
    expect((await second)?.toRecords()).toEqual((await first)?.toRecords());
  });
});

describe("sampleSize", () => {
  it("is that of the textbook, in all and per group, and its own reverse", () => {
    // 1.96² × 0.25 / 0.05² = 384.1.
    expect(sampleSize({ halfWidth: 0.05 })).toEqual({ rows: 385, perGroup: 385, halfWidth: 0.05 });
    expect(sampleSize({ halfWidth: 0.05, deff: 2, groups: 3 })).toMatchObject({ rows: 2307, perGroup: 769 });
    expect(sampleSize({ rows: 2307, deff: 2, groups: 3 }).halfWidth).toBeCloseTo(0.05, 3);
    for (const wrong of [
      {},
      { halfWidth: 0.1, rows: 5 },
      { share: 2, rows: 5 },
      { halfWidth: 0 },
      { rows: 1, groups: 2 },
    ])
      expect(() => sampleSize(wrong)).toThrow("invalid ");
  });
});
