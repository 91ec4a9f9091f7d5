import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { perPeriod, pl, where } from "../../src/index.js";
import { adjusted } from "../../src/text/counting/difference.js";
import { type CompareOptions, compare, type RatesOptions, rates, terms } from "../../src/text/index.js";
import { tBound, tProbability } from "../../src/text/statistics.js";
import { CLUSTERED, mentions } from "./frames.js";

/**
 * What R 4.2.2 with survey 4.1.1 computes for the clustered passages: svydesign(ids = ~personid), svyratio(~count, ~words),
 * svymean(~said), svyby(covmat = TRUE), svycontrast, and intervals by qt(0.975, clusters − 1).
 */
const REFERENCE = {
  /** Of everyone, Democrats and Republicans: clusters, the estimate and its interval. */
  rates: [
    [60, 0.01702041230832, 0.01121271995469, 0.02282810466195],
    [30, 0.02331584986068, 0.01298029296325, 0.03365140675811],
    [30, 0.01083323265273, 0.006509722761074, 0.01515674254439],
  ],
  shares: [
    [60, 0.5725938009788, 0.4931791094783, 0.6520084924793],
    [30, 0.6743421052632, 0.5820106774279, 0.7666735330985],
    [30, 0.4724919093851, 0.3579656926133, 0.587018126157],
  ],
  differenceOfRates: { estimate: 0.01248261720795, se: 0.005477826682233 },
  logRatio: { estimate: 0.7665148738063, se: 0.2916409026929 },
  differenceOfShares: { estimate: 0.201850195878, se: 0.07192834451244 },
  years: [
    { estimate: 0.01757290207564, se: 0.003092099603158 },
    { estimate: 0.017612952631, se: 0.003616248118717 },
    { estimate: 0.01574080146914, se: 0.002638781170581 },
  ],
  difference2023And2021: { estimate: -0.001832100606498, se: 0.002211205843365 },
};

const said = (count: number, words: number) => "tax ".repeat(count) + "x ".repeat(words - count);
const passages = mentions(
  CLUSTERED.map(({ personid, party, year, words, count }) => ({
    personid,
    party,
    begintime: `${year}-06-01T12:00:00Z`,
    text: said(count, words),
  })),
);
const clustered = { per: 1, cluster: "personid", baseline: "own rows" } as const;
const rowsOf = async (given: RatesOptions = {}, frame = passages, word = "tax") =>
  (await rates(frame, word, { ...clustered, ...given })).toRecords();
const comparison = async (given: CompareOptions) =>
  (await compare(passages, "tax", { ...clustered, ...given })).toRecords() as Record<string, number | string | null>[];
const close = (value: number) => expect.closeTo(value, 9);
/** The standard error that an interval was made from. */
const errorOf = (low: unknown, high: unknown, degrees: number) =>
  (Number(high) - Number(low)) / 2 / tBound(0.95, degrees);

describe("intervals from clusters are those of R's survey package", () => {
  it.each([
    ["rates per word", 1, REFERENCE.rates],
    ["shares of mentions", "mention", REFERENCE.shares],
  ] as const)("of %s", async (_what, per, expected) => {
    const found = [...(await rowsOf({ per })), ...(await rowsOf({ by: "party", per }))];
    expect(found).toMatchObject(
      expected.map(([clusters, ...values]) => {
        const [rate, low, high] = values.map(close);
        return { rate, low, high, clusters, left_out: 0 };
      }),
    );
  });

  it("of rates by year", async () => {
    const years = await rowsOf({ by: "year" });
    for (const [at, { estimate, se }] of REFERENCE.years.entries()) {
      const { rate, low, high, clusters } = years[at] as Record<string, number>;
      expect([rate, errorOf(low, high, (clusters as number) - 1)]).toEqual([close(estimate), close(se)]);
    }
  });

  it("of differences and ratios", async () => {
    const [rate] = await comparison({ by: "party" });
    const [share] = await comparison({ by: "party", per: "mention" });
    const [years] = await comparison({ by: "year", groups: ["2023", "2021"] });
    for (const [row, { estimate, se }, degrees] of [
      [rate, REFERENCE.differenceOfRates, 59],
      [share, REFERENCE.differenceOfShares, 59],
      [years, REFERENCE.difference2023And2021, speakersOf(2021, 2023) - 1],
    ] as const) {
      expect(row?.difference).toEqual(close(estimate));
      expect(errorOf(row?.difference_low, row?.difference_high, degrees)).toEqual(close(se));
      expect(row?.p).toEqual(close(tProbability(estimate / se, degrees)));
    }
    const { estimate, se } = REFERENCE.logRatio;
    const [low, high] = [Math.log(Number(rate?.ratio_low)), Math.log(Number(rate?.ratio_high))];
    expect([Math.log(Number(rate?.ratio)), errorOf(low, high, 59)]).toEqual([close(estimate), close(se)]);
  });

  it("of the log ratios of terms", async () => {
    const table = await terms(passages, { by: "party", cluster: "personid" });
    const [democrat, republican] = table.filter(where({ term: "tax" })).toRecords();
    const { estimate, se } = REFERENCE.logRatio;
    for (const [row, party, sign] of [
      [democrat, "Democrat", 1],
      [republican, "Republican", -1],
    ] as const) {
      const [ratio, low, high] = [row?.log_ratio, row?.log_ratio_low, row?.log_ratio_high].map(
        (value) => Number(value) * Math.LN2,
      );
      expect(row).toMatchObject({ party, clusters: 30, left_out: 0 });
      expect([ratio, errorOf(low, high, 59)]).toEqual([close(sign * estimate), close(se)]);
    }
  });
});

/** How many speakers have rows in these years. */
function speakersOf(...years: number[]): number {
  return new Set(CLUSTERED.filter(({ year }) => years.includes(year)).map(({ personid }) => personid)).size;
}

describe("Student's t", () => {
  // By SciPy 1.17.
  it.each([
    [1, 12.706204736174694, 636.6192487687897, 0.3743340836219977],
    [2, 4.302652729749462, 31.599054576445365, 0.2723931248910011],
    [4, 2.7764451051977934, 8.610301581379522, 0.208],
    [29, 2.045229642132703, 3.6594050194663748, 0.14442369604038574],
    [59, 2.000995378088267, 3.463210304951977, 0.1389469253796043],
    [1000, 1.9623390808264083, 3.300282648423944, 0.13393003882208626],
    [100_000, 1.9599877075346095, 3.2906240314119137, 0.13361755952283066],
  ])("with %i degrees of freedom is that of SciPy", (degrees, ninetyFive, wide, probability) => {
    expect(tBound(0.95, degrees) / ninetyFive).toBeCloseTo(1, 10);
    expect(tBound(0.999, degrees) / wide).toBeCloseTo(1, 9);
    expect(tProbability(1.5, degrees)).toBeCloseTo(probability, 9);
  });
});

describe("adjusted p values", () => {
  it("are those of R's p.adjust", () => {
    // p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    const p = [0.01, 0.04, null, 0.03, 0.005];
    expect(adjusted(p, "holm")).toEqual([close(0.03), close(0.06), null, close(0.06), close(0.02)]);
    expect(adjusted(p, "none")).toEqual(p);
  });

  it("keep their order, and never fall", () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (p) => {
        const result = adjusted(p, "holm") as number[];
        const order = [...p.keys()].sort((a, b) => (p[a] as number) - (p[b] as number));
        for (const [at, value] of result.entries()) expect(value).toBeGreaterThanOrEqual(p[at] as number);
        for (const [rank, at] of order.slice(1).entries()) {
          expect(result[at]).toBeGreaterThanOrEqual(result[order[rank] as number] as number);
        }
      }),
      { seed: 35 },
    );
  });
});

describe("rates by clusters", () => {
  it("leave out unidentified speakers, and say how many rows", async () => {
    const more = mentions([
      ...passages.toRecords().map(({ personid, text }) => ({ personid, text })),
      { personid: 999_999, text: "tax tax" },
      { personid: null, text: "tax" },
    ]);
    expect(await rowsOf({}, more)).toEqual([{ ...(await rowsOf())[0], left_out: 2 }]);
  });

  it("leave out only rows of the groups that are compared", async () => {
    const said = (party: string, personid: number | null) => ({ party, personid, text: "tax and" });
    const people = ["A", "B", "C"].flatMap((party, at) =>
      Array.from({ length: 30 }, (_, person) => said(party, 1000 * at + person + 1)),
    );
    const frame = mentions([...people, said("A", null), said("C", null), said("C", 999_999)]);
    const options = { by: "party", groups: ["A", "B"], baseline: "own rows" } as const;
    const compared = (await compare(frame, "tax", options)).toRecords();
    expect(compared.map(({ left_out }) => left_out)).toEqual([1, 1]);
    expect(compared[0]?.sentence).toContain("60 mentions of 60 speakers; 1 mention without a speaker is left out");
  });

  it("are as far apart as the speakers, however often each of them speaks", async () => {
    const thrice = mentions(passages.toRecords().flatMap(({ personid, text }) => Array(3).fill({ personid, text })));
    const [[once], [row]] = [await rowsOf(), await rowsOf({}, thrice)];
    for (const name of ["rate", "low", "high"]) expect(row?.[name]).toEqual(close(once?.[name] as number));
  });

  it("take the denominators of a baseline", async () => {
    const found = passages.filter(pl.col("text").str.contains("tax"));
    const [own] = await rowsOf({ by: "party" });
    const [row] = await rowsOf({ baseline: passages, by: "party" }, found);
    for (const name of ["rate", "low", "high"]) expect(row?.[name]).toEqual(close(own?.[name] as number));
  });

  it("have an interval of independent matches where nobody says it, and none below ten speakers", async () => {
    const [zebra] = await rowsOf({}, passages, "zebra");
    expect(zebra).toMatchObject({ rate: 0, low: 0, clusters: 60 });
    expect(zebra?.high).toBeGreaterThan(0);
    for (const [speakers, interval] of [
      [9, { low: null, high: null }],
      [10, { low: expect.any(Number), high: expect.any(Number) }],
    ] as const) {
      const few = passages.withColumns(pl.col("personid").ltEq(speakers).alias("few"));
      const [, row] = await rowsOf({ by: "few" }, few);
      expect(row).toMatchObject({ few: true, clusters: speakers, ...interval });
    }
  });

  it("are refused for fewer than five speakers, and warn below thirty", async () => {
    const of = (speakers: number) => passages.filter(pl.col("personid").ltEq(speakers));
    await expect(rowsOf({}, of(4))).rejects.toThrow('invalid cluster: "personid" has 4 values, too few');
    await expect(compare(of(9), "tax", { ...clustered, by: "party" })).rejects.toThrow("has 4 values in Democrat");
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    await rowsOf({}, of(5));
    await rowsOf({}, of(30));
    // These passages repeat one another, which a note says.
    const codes = warn.mock.calls.map(([, given]) => (given as { readonly code: string }).code);
    expect(codes.filter((code) => code !== "REPEATED_ROWS")).toEqual(["FEW_CLUSTERS"]);
  });
});

describe("terms by clusters", () => {
  it("have the log ratios of compare, whoever speaks in both groups", async () => {
    const word = fc.constantFrom("tax", "law", "tax law", ".", "vote");
    const row = fc.record({
      personid: fc.oneof(
        { weight: 1, arbitrary: fc.constant(null) },
        { weight: 20, arbitrary: fc.integer({ min: 1, max: 60 }) },
      ),
      party: fc.constantFrom("D", "R"),
      text: fc.array(word, { maxLength: 6 }).map((all) => `${all.join(" ")} and`),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 300, maxLength: 320 }), async (rows) => {
        const frame = mentions(rows);
        const given = { by: "party", cluster: "personid" } as const;
        const found = (await terms(frame, given)).toRecords();
        const words = [...new Set(found.map(({ term }) => String(term)))];
        const options = { ...given, per: 1, baseline: "own rows", groups: ["D", "R"] } as const;
        const compared = (await compare(frame, words, options)).toRecords().filter(({ p }) => p !== undefined);
        for (const { pattern, ratio, ratio_low, ratio_high, clusters, left_out } of compared) {
          const same = found.find(({ term, party }) => term === pattern && party === "D");
          if (same === undefined || ratio === null) continue;
          const logs = [ratio, ratio_low, ratio_high].map((value) => close(Math.log2(Number(value))));
          expect(same).toMatchObject({ clusters, left_out });
          expect([same.log_ratio, same.log_ratio_low, same.log_ratio_high]).toEqual(logs);
        }
      }),
      { seed: 11, numRuns: 6 },
    );
  });

  it("have no interval where no other group says it, and none for few speakers", async () => {
    const all = Array.from({ length: 32 }, (_, at) => ({
      personid: 1 + at,
      party: "AB"[at % 2],
      text: at % 2 ? "b" : "a b",
    }));
    const frame = mentions([
      ...all,
      { personid: 40, party: "C", text: "a b" },
      { personid: 999999, party: "A", text: "a" },
    ]);
    const found = (await terms(frame, { by: "party", cluster: "personid", min: 1 })).toRecords();
    const of = (party: string, term: string) => found.find((row) => row.party === party && row.term === term);
    const none = { log_ratio_low: null, log_ratio_high: null };
    const log_ratio = close(Math.log2(16 / 32 / (17 / 18)));
    expect(of("A", "b")).toMatchObject({ log_ratio, log_ratio_low: expect.any(Number) });
    expect(of("C", "b")).toMatchObject({ ...none, clusters: 1, left_out: 1 });
    const two = frame.filter(where({ party: ["A", "B"] }));
    const [alone] = (await terms(two, { by: "party", cluster: "personid" })).filter(where({ term: "a" })).toRecords();
    expect(alone).toMatchObject({ log_ratio: close(Math.log2(16 / 32 / (0.5 / 16))), ...none });
  });

  it("need groups, and five speakers", async () => {
    await expect(terms(passages, { cluster: "personid" })).rejects.toThrow('invalid cluster: "personid". Give by, too');
    const few = passages.filter(pl.col("personid").lt(5));
    const refusal = "has 4 values, too few for an interval";
    await expect(terms(few, { by: "party", cluster: "personid" })).rejects.toThrow(refusal);
  });
});

describe("compare", () => {
  it("says what it found in a sentence", async () => {
    const [first, second] = await comparison({ by: "party", per: "mention" });
    expect(first?.sentence).toBe(
      '"tax": Democrat 67.4% (95% interval 58.2 to 76.7), Republican 47.2% (35.8 to 58.7) of mentions. The difference is 20.2 percentage ' +
        "points (5.79 to 34.6), the ratio 1.43 (1.09 to 1.87), p = 0.0068. 613 mentions of 60 speakers.",
    );
    expect(second).toMatchObject({ party: "Republican", difference: null, sentence: null, clusters: 30, rows: 309 });
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
    const frame = await compare(passages, ["tax", "x"], { ...clustered, by: "party" });
    const p = frame.getColumn("p").toArray() as (number | null)[];
    expect(p.filter((value) => value !== null)).toHaveLength(2);
    expect(frame.getColumn("p_adjusted").toArray()).toEqual(adjusted(p, "holm"));
    expect(frame.getColumn("sentence").toArray()[0]).toContain("after Holm's adjustment for 2 tests");
  });

  it("compares the days before and after an event, for each group", async () => {
    const day = (offset: number) => new Date(Date.UTC(2022, 7, 16 + offset, 23, 59)).toISOString();
    // Only Democrats say it more often afterwards. Days -10 and 10 are outside the window.
    const frame = mentions(
      [-10, -9, -1, 0, 8, 9, 10].flatMap((offset) =>
        Array.from({ length: 12 }, (_, personid) => {
          const count = Math.abs(offset) > 9 ? 9 : offset >= 0 && personid < 6 ? 2 : 1;
          const party = personid < 6 ? "Democrat" : "Republican";
          return { personid: personid + 1, party, begintime: day(offset), text: said(count, 10) };
        }),
      ),
    );
    const design = { design: "before/after", date: "2022-08-16", window: 10, baseline: "own rows", per: 10 } as const;
    const found = (await compare(frame, "tax", { ...design, window: 9, by: "party" })).toRecords();
    const columns = ["party", "period", "count", "denominator", "difference"];
    expect(found.map((row) => columns.map((name) => row[name]))).toEqual([
      ["Democrat", "after", 24, 120, 1],
      ["Democrat", "before", 12, 120, null],
      ["Republican", "after", 12, 120, 0],
      ["Republican", "before", 12, 120, null],
    ]);
    expect(found[0]?.sentence).toContain("within 9 days of 2022-08-16");
    expect((await compare(frame, "tax", design)).getColumn("count").toArray()).toEqual([36 + 18, 24 + 108]);
    await expect(compare(frame, "tax", { ...design, date: "yesterday" })).rejects.toThrow("invalid date");
  });

  it.each<[CompareOptions, string]>([
    [{}, "invalid by"],
    [
      { by: "party", groups: ["Democrat", "Whig"] },
      'there is no group "Whig". Give values of party, for example groups: "Democrat", "Republican"',
    ],
    [{ by: "party", groups: ["Democrat"] }, "invalid groups"],
    [{ by: "year" }, '"year" has 3 groups'],
    [{ by: "party", adjust: "bonferroni" as "holm" }, "invalid adjust"],
    [{ by: "party", adjust: "bh" as "holm" }, "invalid adjust"],
    [{ by: "party", placebo: ["2022-10-01"] } as CompareOptions, 'invalid option of compare: "placebo"'],
    [{ design: "before/after" }, "invalid date"],
    [{ by: "party", cluster: "speaker" }, "missing columns speaker"],
  ])("refuses %j", async (given, message) => {
    await expect(comparison(given)).rejects.toThrow(message);
  });
});

it("compares the periods of a column by their names", async () => {
  const said = (year: number, speakers: number) =>
    Array.from({ length: speakers }, (_, at) => ({
      begintime: `${year}-03-0${1 + (at % 9)}T10:00:00Z`,
      personid: 1000 + year + 7 * at,
      text: at % 3 === 0 ? "a tax" : "no word",
    }));
  const frame = mentions([...said(2023, 80), ...said(2024, 35)]);
  const years = frame.withColumns(perPeriod("begintime", "year"));
  const options = { by: "year", groups: ["2024", "2023"], cluster: "personid", baseline: "own rows" } as const;
  const [row] = (await compare(years, "tax", options)).toRecords();
  expect(row?.sentence).toContain('"tax": 2024 ');
});
