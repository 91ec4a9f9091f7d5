import { describe, expect, it, onTestFinished } from "vitest";
import { openArchive, where } from "../../src/index.js";
import { collocations, keyness, terms } from "../../src/text/index.js";
import { warningsOf } from "../util/warningsOf.js";
import { mentions, texts } from "./frames.js";

const times = (count: number, word: string) => `${word} `.repeat(count);

describe("terms", () => {
  const frame = mentions([
    { text: "The tax cut. The TAX cut!", person: "A" },
    { text: "a tax on tea", person: "B" },
    { text: null, person: "B" },
  ]);

  it("are counted with their totals, in words and mentions", async () => {
    const counted = (await terms(frame)).toRecords();
    expect(counted[0]).toEqual({ term: "tax", n: 1, count: 3, mentions: 2, total: 10 });
    expect(counted.reduce((sum, { count }) => sum + (count as number), 0)).toBe(10);
  });

  it("of two words never cross a sentence, and neither begin nor end with a stop word", async () => {
    const counted = await terms(frame, { ngrams: [2, 3], stopwords: ["THE", "on"] });
    expect(counted.toRecords().map(({ term, n, count, total }) => [term, n, count, total])).toEqual([
      ["tax cut", 2, 2, 7],
      ["a tax", 2, 1, 7],
      ["tax on tea", 3, 1, 4],
    ]);
  });

  it("are counted by column and period", async () => {
    const counted = await terms(frame, { by: "person", min: 2 });
    expect(counted.toRecords().map(({ person, term, count, total }) => [person, term, count, total])).toEqual([
      ["A", "cut", 2, 6],
      ["A", "tax", 2, 6],
      ["A", "the", 2, 6],
    ]);
  });
});

describe("keyness", () => {
  it("has the log-likelihood and the weighted log-odds of a table worked by hand", async () => {
    // tax: 30 of 1,000 words against 10 of 1,000.
    const [a, b] = [texts(times(30, "tax") + times(970, "x")), texts(times(10, "tax") + times(990, "x"))];
    const tax = (await keyness(a, b)).toRecords().find(({ term }) => term === "tax");
    const totals = { total_a: 1000, total_b: 1000, rate_a: 300, rate_b: 100 };
    expect(tax).toMatchObject({ n: 1, count_a: 30, count_b: 10, ...totals });
    // Rayson and Garside (2000): 2 (30 ln (30 / 20) + 10 ln (10 / 20)).
    expect(tax?.log_likelihood).toBeCloseTo(10.4648, 3);
    expect(tax?.log_ratio).toBeCloseTo(Math.log2(3), 12);
    // Monroe, Colaresi and Quinn (2008), equations 16, 19 and 22, with a prior of 500 × 40 / 2,000 = 10 for the term:
    // ln(40 / 1460) - ln(20 / 1480) = 0.706754; variance 1 / 40 + 1 / 20 = 0.075.
    expect(tax?.log_odds).toBeCloseTo(0.706754, 5);
    expect(tax?.z).toBeCloseTo(0.706754 / Math.sqrt(0.075), 4);
  });

  it("changes its sign with the sides", async () => {
    const [a, b] = [texts("tax tax tax tea the the cut"), texts("tea tea tea the the the tax")];
    const fromTexts = (await keyness(a, b, { min: 1 })).toRecords();
    const swapped = new Map((await keyness(b, a, { min: 1 })).toRecords().map((row) => [row.term, row]));
    for (const { term, z, log_likelihood } of fromTexts) {
      expect(swapped.get(term as string)?.z).toBeCloseTo(-(z as number), 12);
      expect(swapped.get(term as string)?.log_likelihood).toBeCloseTo(log_likelihood as number, 12);
    }
    expect(fromTexts[0]?.term).toBe("tax");
    expect(fromTexts.at(-1)?.term).toBe("tea");
  });

  it("compares terms of several words", async () => {
    const found = await keyness(texts("tax cut. tax cut"), texts("tax rise"), { ngrams: [1, 2], min: 1 });
    expect(
      found
        .filter(where({ n: 2 }))
        .getColumn("term")
        .toArray(),
    ).toEqual(["tax cut", "tax rise"]);
  });

  it("finds no difference in a term that is all speech on both sides", async () => {
    const [tax] = (await keyness(texts("tax tax tax"), texts("tax tax"), { min: 1 })).toRecords();
    expect(tax).toMatchObject({ log_likelihood: 0, log_ratio: 0, log_odds: 0, z: 0 });
  });

  it.each([undefined, null, 42])("refuses %s", async (source) => {
    const frame = mentions([{ text: "tax" }]);
    await expect(keyness(source as never, frame)).rejects.toThrow(`invalid a: ${source}`);
    await expect(keyness(frame, source as never)).rejects.toThrow(`invalid b: ${source}`);
  });
});

describe("collocations", () => {
  it("have the measures of a table worked by hand", async () => {
    // 10 pairs "ab be", 5 "ab ce", 5 "de be" and 80 others: expected 15 × 15 / 100 = 2.25.
    const text = times(10, "ab be.") + times(5, "ab ce.") + times(5, "de be.") + times(80, "xe ye.");
    const pair = (await collocations(texts(text))).toRecords().find(({ collocation }) => collocation === "ab be");
    expect(pair).toMatchObject({ count: 10, left: 15, right: 15, expected: 2.25 });
    expect(pair?.pmi).toBeCloseTo(Math.log2(10 / 2.25), 12);
    const g2 = 2 * (10 * Math.log(10 / 2.25) + 2 * 5 * Math.log(5 / 12.75) + 80 * Math.log(80 / 72.25));
    expect(pair?.log_likelihood).toBeCloseTo(g2, 10);
    // Log odds ratio with half an occurrence added to each cell, by its standard error.
    const z = Math.log((10.5 * 80.5) / (5.5 * 5.5)) / Math.sqrt(1 / 10.5 + 2 / 5.5 + 1 / 80.5);
    expect(pair?.z).toBeCloseTo(z, 10);
  });

  it("leave out stop words and rare pairs", async () => {
    const frame = texts(times(6, "climate change,") + times(6, "of the,") + times(4, "tax cut,"));
    const found = await collocations(frame, { stopwords: ["the"] });
    expect(found.getColumn("collocation").toArray()).toEqual(["climate change"]);
  });

  it("are noted for the rows of a search, whose words lead them", async () => {
    const archive = await openArchive({ announce: false });
    onTestFinished(() => archive.close());
    const rows = await archive.mentions("climate", { maxItems: 100 });
    const { warnings } = await warningsOf(() => collocations(rows));
    const note = 'collocations counts rows that were found by searching for "climate"';
    expect(warnings).toContainEqual(["CHOSEN_ROWS", expect.stringContaining(note)]);
  });
});
