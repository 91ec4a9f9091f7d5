import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { codebook, codeWith, estimate, resolve, sampleRows } from "../../src/coding/index.js";
import { methodsOf, openArchive, pl } from "../../src/index.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { warningsOf } from "../util/warningsOf.js";

const archive = await openArchive({ announce: false, progress: false });
afterAll(() => archive.close());
const found = await archive.mentions("climate", { mindate: "2020-01-01", maxItems: 5000 });
const book = codebook({ money: "yes/no" });
const newFolder = newFolders(temporaryFolder());

const study = fc.record({
  above: fc.option(fc.integer({ min: 5, max: 40 })),
  rows: fc.integer({ min: 30, max: 90 }),
  seed: fc.integer({ min: 2, max: 9 }),
  isStratified: fc.boolean(),
  hasMachine: fc.boolean(),
  isCompared: fc.boolean(),
  isResolved: fc.boolean(),
  confidence: fc.constantFrom(0.8, 0.9, 0.95),
});

it("a paragraph of a coding study has each step once, and no number but those of its frames", async () => {
  await fc.assert(
    fc.asyncProperty(
      study,
      async ({ above, rows, seed, isStratified, hasMachine, isCompared, isResolved, confidence }) => {
        const frame = above === null ? found : found.filter(pl.col("length").gt(above));
        const record = newFolder();
        const code = (name: string, of: pl.DataFrame) =>
          codeWith(of, book, ({ text }) => ({ money: /COST/.test(text) ? "yes" : "no" }), {
            record,
            name,
            concurrency: 50,
          });
        const { result } = await warningsOf(async () => {
          const sample = sampleRows(frame, { rows, seed, ...(isStratified && { strata: "year" }) });
          const codes = await code("people", sample);
          const gold = isResolved ? resolve(codes, []) : codes;
          const machine = hasMachine ? { machine: await code("model", frame) } : {};
          const compared = isCompared ? { compare: "year" } : {};
          return {
            sample,
            shares: await estimate(frame, { gold, variable: "money", confidence, ...machine, ...compared }),
          };
        });
        const { sample, shares } = result;
        const said = methodsOf(shares);
        const [, ...sentences] = said.replace(/\(SHA-256.*?\)/, "").split(/(?<=\.) (?=[A-Z])/);
        const numbers = sentences
          .slice(0, -1)
          .join(" ")
          .match(/\d[\d,]*/g)
          ?.map((each) => Number(each.replaceAll(",", "")));
        const strata = new Set(sample.getColumn("stratum").toArray()).size;
        const known = [
          found.height,
          frame.height,
          sample.height,
          seed,
          strata,
          above,
          100 * confidence,
          shares.height,
          3,
        ];
        for (const number of numbers ?? []) expect(known, said).toContain(number);
        for (const number of [found.height, frame.height, sample.height, seed, 100 * confidence])
          expect(numbers, said).toContain(number);
        const names = [
          "We searched",
          "sampled at random",
          '"people"',
          "to estimate the share",
          ...(isResolved ? ["given one code each"] : []),
          ...(hasMachine ? ['"model"'] : []),
        ];
        for (const name of names) expect(said.split(name), name).toHaveLength(2);
        expect(said).not.toContain("reduced to");
        expect(said.includes("length >")).toBe(above !== null);
        expect(said.includes("machine's codes")).toBe(hasMachine);
        expect(said.includes("and compared by year, p values adjusted by Holm's method")).toBe(isCompared);
      },
    ),
    { numRuns: 12 },
  );
});
