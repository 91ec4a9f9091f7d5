import { afterAll, describe, expect, it } from "vitest";
import { methodsOf, openArchive, type PolarsFrame } from "../../src/index.js";
import { compare, keyness, rates } from "../../src/text/index.js";

const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const days = { mindate: "2023-01-01", maxdate: "2023-12-31", maxItems: 100_000 };
const [costs, taxes, all] = (await Promise.all(
  ["cost", "tax", "the"].map((query) => archive.mentions(query, days)),
)) as [PolarsFrame, PolarsFrame, PolarsFrame];

describe("methodsOf says what was counted, and of which searches", () => {
  it.each([
    [
      "keyness",
      () => keyness(costs, taxes, { min: 6 }),
      ['"cost"', '"tax"', "with a prior of 500 words, terms that occur at least 6 times in both together"],
    ],
    [
      "rates with another baseline",
      () => rates(costs, "cost", { baseline: all, cluster: false }),
      ['"cost"', '"the"', 'counted as rates per 10,000 words of "cost", with other speech as the baseline'],
    ],
    [
      "compare",
      () => compare(all, "cost", { design: "before/after", date: "2023-06-01", window: 150, baseline: "own rows" }),
      [
        'compared in their rates per 10,000 words of "cost", with their own rows as the baseline, before/after 2023-06-01',
      ],
    ],
  ])("%s", async (_name, count, phrases) => {
    const methods = methodsOf(await count());
    for (const phrase of phrases) expect(methods).toContain(phrase);
  });
});
