import { describe, expect, it, onTestFinished } from "vitest";
import { openArchive, perPeriod, pl } from "../../src/index.js";
import { type CompareOptions, compare } from "../../src/text/index.js";
import { warningsOf } from "../util/warningsOf.js";
import { CLUSTERED, mentions, mentionsOf } from "./frames.js";

const said = (count: number, words: number) => "tax ".repeat(count) + "x ".repeat(words - count);
const passages = mentions(
  CLUSTERED.map(({ personid, party, year, words, count }) => {
    return { personid, party, begintime: `${year}-06-01T12:00:00Z`, text: said(count, words) };
  }),
);
const comparison = async (options: CompareOptions, frame = passages, patterns: string | string[] = "tax") =>
  (await compare(frame, patterns, { per: 1, ...options })).toRecords() as Record<string, number | string | null>[];
const close = (value: number) => expect.closeTo(value, 9);

describe("the sentence of a comparison", () => {
  it("is the first column, and has what the others have", async () => {
    const found = await compare(passages, "tax", { by: "party", per: "mention" });
    expect(found.columns[0]).toBe("sentence");
    const [first, second] = found.toRecords();
    expect(first?.sentence).toBe(
      '"tax": Democrat 67.4% (95% interval 58.2 to 76.7), Republican 47.2% (35.8 to 58.7) of mentions. The difference is 20.2 percentage ' +
        "points (5.79 to 34.6), the ratio 1.43 (1.09 to 1.87), p = 0.0068. 613 mentions of 60 speakers.",
    );
    expect(second).toMatchObject({ party: "Republican", difference: null, sentence: null, clusters: 30 });
  });

  it.each([9, 10])("says that %i speakers are few", async (few) => {
    const frame = mentionsOf(600, (at) => {
      const [party, personid] = at % 3 === 0 ? ["I", (at / 3) % few] : ["D", 100 + (at % 120)];
      return { personid: personid + 1, party, text: said(Math.imul(at + 1, 2654435761) >>> 30, 20) };
    });
    const [row, other] = await comparison({ by: "party", groups: ["I", "D"] }, frame);
    const names = ["low", "difference_low", "difference_high", "ratio_low", "ratio_high", "p", "p_adjusted"];
    const bound = few < 10 ? null : expect.any(Number);
    expect(row).toMatchObject({ ...Object.fromEntries(names.map((name) => [name, bound])), clusters: few });
    expect(other).toMatchObject({ low: expect.any(Number), note: null });
    expect(row?.sentence).toContain(` I: ${row?.note}. `);
  });

  it("names the speaker who says most of it, and rows that are left out", async () => {
    const people = mentionsOf(300, (at) => ({
      personid: at < 3 ? [null, 999_999, 999_999][at] : 1 + (at % 60),
      party: at === 2 ? "I" : at % 2 ? "D" : "R",
      text: at % 60 === 4 ? said(9, 10) : said(at % 7 === 0 ? 1 : 0, 10),
    }));
    const [row] = await comparison({ by: "party", groups: ["D", "R"] }, people);
    expect(row?.sentence).toMatch(/One of the speakers has \d+(\.\d)?% of the matches of R\./);
    expect(row?.sentence).toMatch(/297 mentions of 60 speakers; 2 without one are left out\.$/);
    expect(row?.left_out).toBe(2);
  });
});

describe("compare", () => {
  it("compares two phrases in the same rows", async () => {
    const rows = mentionsOf(400, (at) => ({
      personid: 1 + (at % 40),
      text: ["tax", "tea", "tax tea", "x"][(at % 7) % 4],
    }));
    const [row, other] = await comparison({ per: "mention" }, rows, ["tax", "tea"]);
    const side = (word: string) =>
      rows.withColumns(pl.lit(word).alias("word"), pl.col("text").str.contains(word).alias("has"));
    const both = pl
      .concat([side("tax"), side("tea")])
      .withColumns(pl.when(pl.col("has")).then(pl.lit("yes")).otherwise(pl.lit("no")).alias("text"));
    const [same] = await comparison({ by: "word", per: "mention" }, both, "yes");
    for (const name of ["rate", "low", "difference", "difference_low", "ratio_high", "p"])
      expect(row?.[name], name).toEqual(close(Number(same?.[name])));
    expect([row?.pattern, other?.pattern]).toEqual(["tax", "tea"]);
    expect(row?.sentence).toMatch(/^"tax" \d.*, "tea" \d.* of mentions\. .* 400 mentions of 40 speakers\.$/);
  });

  it("changes its sign with the order of the groups, whatever the cluster", async () => {
    const [ab] = await comparison({ groups: ["Democrat", "Republican"], by: "party", cluster: "id" });
    const [ba] = await comparison({ groups: ["Republican", "Democrat"], by: "party", cluster: "id" });
    expect(ba?.difference).toEqual(close(-Number(ab?.difference)));
    expect(ba?.difference_low).toEqual(close(-Number(ab?.difference_high)));
    expect(Number(ba?.ratio) * Number(ab?.ratio)).toBeCloseTo(1, 12);
    expect(ab?.p).toEqual(close(Number(ba?.p)));
  });

  it("adjusts for several patterns", async () => {
    const found = await comparison({ by: "party" }, passages, ["tax", "x"]);
    const p = found.map((row) => row.p as number | null);
    expect(p.filter((value) => value !== null)).toHaveLength(2);
    // Holm: the smaller p counts twice, and the larger one is never below it.
    const least = 2 * Math.min(...p.filter((value) => value !== null));
    const holm = p.map((value) => value && close(Math.min(1, Math.max(least, value))));
    expect(found.map((row) => row.p_adjusted)).toEqual(holm);
    expect(found[0]?.sentence).toContain("after Holm's adjustment for 2 tests");
  });

  it("compares periods by their names", async () => {
    const years = passages.withColumns(perPeriod("begintime", "year"));
    for (const frame of [passages, years]) {
      const [row] = await comparison({ by: "year", groups: ["2023", 2021] }, frame);
      expect(row?.sentence).toContain('"tax": 2023 ');
    }
    const congresses = await compare(passages, "tax", { by: "congress", groups: [118, 117] });
    expect(congresses.getColumn("congress").toArray()).toEqual([118, 117]);
  });

  it.each<[CompareOptions, string]>([
    [{}, 'Give what to compare, for example by: "party"; or two patterns.'],
    [
      { by: "party", groups: ["Democrat", "Whig"] },
      'there is no group "Whig". The values of party are "Democrat", "Republican".',
    ],
    [{ by: "party", groups: ["Democrat"] }, "invalid groups: they are not two. The values of party are"],
    [{ by: "party", groups: ["Democrat", "Democrat"] }, "invalid groups: both are the same"],
    [
      { by: "year" },
      '"year" has 3 groups. The values of year are "2021", "2022", "2023". Give two of them, for example groups: ["2021", "2022"].',
    ],
    [{ by: "party", design: "before/after" } as CompareOptions, 'invalid option of compare: "design"'],
    [{ by: "party", cluster: "speaker" }, "missing columns speaker"],
    [{ by: "party", cluster: false as never }, "invalid cluster: false. Give a column that says whose rows resemble"],
  ])("refuses %j", async (options, message) => {
    await expect(comparison(options)).rejects.toThrow(message);
  });

  it("refuses a frame without rows, and one instead of a phrase", async () => {
    const empty = passages.filter(pl.col("party").eq(pl.lit("Whig")));
    await expect(compare(empty, "tax", { by: "party" })).rejects.toThrow(
      "invalid source: it has no rows, so there is nothing to compare. Widen the search, or remove a filter",
    );
    const refusal = "invalid patterns: it is a frame. Join both frames, with a column that tells them apart";
    await expect(compare(passages, passages as never, "border" as never)).rejects.toThrow(refusal);
  });
});

describe("words that were searched", () => {
  it.each([
    ["climate", "climate"],
    ["budget", "budg*"],
    ["infrastructure", /infra[a-z]+/i],
  ] as const)("are noted: %s as %s", async (query, pattern) => {
    const archive = await openArchive({ announce: false });
    onTestFinished(() => archive.close());
    const rows = await archive.mentions(query, { maxItems: 40 });
    const sides = rows.withColumns(
      pl.Series(
        "side",
        [...Array(rows.height).keys()].map((at) => "ab"[at % 2] as string),
      ),
    );
    const noted = async (phrase: string | RegExp) => {
      const options = { by: "side", per: "mention", baseline: "own rows" } as const;
      const { warnings } = await warningsOf(() => compare(sides, phrase, options));
      return warnings.filter(([code]) => code === "CHOSEN_ROWS").map(([, text]) => text.split(",")[0]);
    };
    expect(await noted("zebra*")).toEqual([]);
    expect(await noted(pattern)).toEqual([`compare counts rows that were found by searching for "${query}"`]);
  });
});
