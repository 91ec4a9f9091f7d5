import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { agreement, codebook, readCodes, sampleRows } from "../../src/coding/index.js";
import { methodsOf, openArchive, pl } from "../../src/index.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { warningsOf } from "../util/warningsOf.js";
import { rowKeys } from "./rowKeys.js";

const archive = await openArchive({ announce: false, progress: false });
afterAll(() => archive.close());
const found = await archive.mentions("climate", { mindate: "2020-01-01", maxItems: 300 });
const book = codebook({ money: "yes/no" });
const newFolder = newFolders(temporaryFolder());

const study = fc.record({
  above: fc.option(fc.integer({ min: 5, max: 15 })),
  rows: fc.integer({ min: 30, max: 90 }),
  seed: fc.integer({ min: 2, max: 9 }),
});

it("a paragraph of a coding study has each step once, and no number but those of its frames", async () => {
  await fc.assert(
    fc.asyncProperty(study, async ({ above, rows, seed }) => {
      const frame = above === null ? found : found.filter(pl.col("length").gt(above));
      const sample = sampleRows(frame, { rows, seed });
      const folder = newFolder();
      for (const coder of ["A", "B"]) {
        const lines = rowKeys(sample).map((row) => `${coder},${book.hash},${row},yes`);
        writeFileSync(join(folder, `${coder}.csv`), ["coder,codebook,row,money", ...lines].join("\n"));
      }
      const { result: codes } = await warningsOf(() => readCodes(folder, sample, book));
      const measured = agreement(codes);
      const said = methodsOf(measured);
      const [, ...sentences] = said.replace(/\(SHA-256.*?\)/, "").split(/(?<=\.) (?=[A-Z])/);
      const numbers = sentences
        .slice(0, -1)
        .join(" ")
        .match(/\d[\d,]*(?:\.\d+)?/g)
        ?.map((each) => Number(each.replaceAll(",", "")));
      const known = [found.height, frame.height, sample.height, codes.height, seed, above, measured.height];
      for (const number of numbers ?? []) expect(known, said).toContain(number);
      for (const number of [found.height, frame.height, sample.height, seed]) expect(numbers, said).toContain(number);
      for (const name of ["We searched", "sampled at random", "coded by A", "how far coders agree"])
        expect(said.split(name), name).toHaveLength(2);
      expect(said.includes('(col("length")) >')).toBe(above !== null);
    }),
    { numRuns: 12 },
  );
});
