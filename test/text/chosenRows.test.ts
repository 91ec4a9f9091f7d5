import { afterAll, describe, expect, it } from "vitest";
import { methodsOf, openArchive, type PolarsFrame, pl, provenanceOf } from "../../src/index.js";
import { ratesOverTime } from "../../src/notebook.js";
import { compare, keyness, kwic, rates, terms } from "../../src/text/index.js";
import { warningsOf } from "../util/warningsOf.js";

const range = { mindate: "2023-06-10", maxdate: "2024-03-20", maxItems: 10_000 } as const;
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const climate = await archive.mentions("climate", range);
const energy = await archive.mentions("energy", range);

describe("rows that were found by searching for a word", () => {
  /** The archive has re-airings, which have a warning of their own. */
  const chosen = (warnings: Awaited<ReturnType<typeof warningsOf>>["warnings"]) =>
    warnings.filter(([code]) => code !== "REPEATED_ROWS");

  it("cause a warning, once", async () => {
    const rows = climate.filter(pl.col("length").gt(1));
    const { warnings } = await warningsOf(async () => {
      for (let round = 0; round < 2; round++) {
        await terms(rows);
        await keyness(rows, rows);
      }
    });
    expect(chosen(warnings).map(([, text]) => text.split(",")[0])).toEqual([
      'terms counts rows that were found by searching for "climate"',
      'keyness counts rows that were found by searching for "climate"',
    ]);
  });

  it("cause none if a stopword chose them: nearly every passage has it", async () => {
    const speech = await archive.mentions("the", { mindate: "2024-03-01", maxdate: "2024-03-20", maxItems: 10_000 });
    expect(chosen((await warningsOf(() => terms(speech))).warnings)).toEqual([]);
    const { warnings } = await warningsOf(() => terms(speech.vstack(energy)));
    expect(warnings).toContainEqual(["CHOSEN_ROWS", expect.stringContaining('searching for "energy"')]);
  });

  it("have results that say where they come from", async () => {
    const steps = async (frame: Promise<PolarsFrame>) => provenanceOf(await frame)?.steps?.at(-1)?.verb;
    expect(await steps(kwic(climate, "tax"))).toBe("kwic");
    expect(provenanceOf(await keyness(climate, energy))?.sources?.length).toBe(2);
    const { mindate, maxdate } = range;
    const scanned = await rates(archive.scan.mentions("climate", { mindate, maxdate }), "tax", {
      baseline: "own rows",
      by: "month",
    });
    expect(provenanceOf(scanned)?.steps?.at(-1)).toMatchObject({
      verb: "rates",
      text: expect.stringContaining("rates per 10,000 words of"),
    });
    const months = [...scanned.getColumn("month").toArray()];
    expect(months).toHaveLength(10);
    const { title, layer } = ratesOverTime(scanned);
    expect(title).toMatchObject({ subtitle: ["climate", "with confidence intervals"] });
    expect(layer).toMatchObject([{}, { encoding: { y: { title: "per 10,000 words" } } }]);
  });

  it.each<[string, () => Promise<PolarsFrame>, string]>([
    [
      "keyness",
      () => keyness(climate, energy, { min: 6 }),
      "with a prior of 500 words, terms that occur at least 6 times",
    ],
    [
      "rates",
      () => rates(climate, "cost", { baseline: "own rows", cluster: false, once: true }),
      'counted as rates per 10,000 words of "cost", each speech once, with their own rows as the baseline (',
    ],
    [
      "compare",
      () => compare(climate, ["cost", "tax"], { per: "mention", baseline: "own rows" }),
      'compared in their rates per mention of "cost" and "tax", with their own rows as the baseline, 95 % intervals clustered by personid',
    ],
  ])("and methodsOf what was counted: %s", async (_name, count, phrase) => {
    expect(methodsOf(await count())).toContain(phrase);
  });
});
