import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openArchive, pl, where } from "../../src/index.js";
import { type CompareOptions, compare, type RatesOptions, rates, terms } from "../../src/text/index.js";
import { holmAdjust, tBound, tProbability } from "../../src/text/interval.js";
import { warningsOf } from "../util/warningsOf.js";
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
    expect(holmAdjust(p)).toEqual([close(0.03), close(0.06), null, close(0.06), close(0.02)]);
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

  it("are as far apart as the speakers, however often each of them speaks", async () => {
    const thrice = mentions(passages.toRecords().flatMap(({ personid, text }) => Array(3).fill({ personid, text })));
    const [[once], [row]] = [await rowsOf(), await rowsOf({}, thrice)];
    for (const name of ["rate", "low", "high"]) expect(row?.[name]).toEqual(close(once?.[name] as number));
  });

  it.each([
    [9, null, "only 9 speakers, too few for an interval"],
    [10, expect.any(Number), "only 10 speakers, so the interval tends to be too narrow"],
    [29, expect.any(Number), "only 29 speakers, so the interval tends to be too narrow"],
    [30, expect.any(Number), null],
  ])("of %i speakers have the bounds %j and the note %j", async (speakers, bound, note) => {
    const few = passages.withColumns(pl.col("personid").ltEq(speakers).alias("few"));
    const { result, warnings } = await warningsOf(() => rowsOf({ by: "few" }, few));
    expect(result[1]).toMatchObject({ few: true, clusters: speakers, low: bound, high: bound, note });
    const text = "rates: fewer than 30 speakers in 1 of 2 groups, see the column note.";
    const counted = warnings.filter(([code]) => code === "FEW_CLUSTERS").map(([, what]) => what);
    expect(counted).toEqual(speakers === 9 ? [text] : []);
  });

  it("have no interval where nothing varies, and none without clusters", async () => {
    const note = "no interval, because nobody says it";
    const none = { low: null, high: null };
    expect(await rowsOf({}, passages, "zebra")).toMatchObject([{ rate: 0, ...none, clusters: 60, note }]);
    const [row, ...others] = await rowsOf({ cluster: false });
    expect([row, others]).toEqual([
      expect.objectContaining({ rate: close(REFERENCE.rates[0]?.[1] as number), ...none }),
      [],
    ]);
    expect(row).not.toHaveProperty("clusters");
  });

  it("are refused where nobody is known, and say what to do", async () => {
    const nobody = mentions([{ text: "tax", personid: 999_999, programid: 1 }]);
    const refusal = 'invalid cluster: no row has a "personid". Give a column that says whose rows resemble each other';
    for (const frame of [nobody, nobody.drop("personid")]) {
      await expect(rates(frame, "tax")).rejects.toThrow(refusal);
      await expect(compare(frame, "tax", { by: "programid" })).rejects.toThrow(refusal);
    }
    await expect(rates(nobody, "tax", { cluster: "speaker" })).rejects.toThrow("missing columns speaker");
  });

  it("of a sample by pages are as uncertain as its pages", async () => {
    const archive = await openArchive({ pageSize: 100, announce: false });
    onTestFinished(() => archive.close());
    const sample = await archive.sample("mentions", "the", { rows: 400, pages: 20 });
    const pages = sample.getColumn("page").toArray();
    const said = pages.map((page) => (Number(page) % 2 ? "tax" : "x"));
    const alike = sample.withColumns(
      pl.Series("text", said),
      pl.Series(
        "side",
        pages.map((_, at) => (at % 2 ? "a" : "b")),
      ),
    );
    const share = { per: "mention", baseline: "own rows" } as const;
    const width = ({ low, high }: Record<string, unknown> = {}) => Number(high) - Number(low);
    const [byPage] = (await rates(alike, "tax", share)).toRecords();
    const [bySpeaker] = (await rates(alike, "tax", { ...share, cluster: "personid" })).toRecords();
    expect(byPage?.clusters).toBe(new Set(pages).size);
    expect(width(byPage)).toBeGreaterThan(2 * width(bySpeaker));
    const [compared] = (await compare(alike, "tax", { by: "side", ...share })).toRecords();
    expect(compared?.sentence).toMatch(/mentions of \d+ pages\./);
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
        const compared = (await compare(frame, words, options)).toRecords();
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

  it("need groups", async () => {
    await expect(terms(passages, { cluster: "personid" })).rejects.toThrow('invalid cluster: "personid". Give by, too');
  });
});
