import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleRows } from "../../src/coding/index.js";
import { concat, openArchive, type PolarsFrame, pl } from "../../src/index.js";
import { compare, dispersion, keyness, kwic, rates, reairings, robustness, terms } from "../../src/text/index.js";
import { tBound, wilsonInterval } from "../../src/text/statistics.js";
import { fastRandom } from "../../src/util/seededRandom.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { runs, sampled } from "../scale.js";
import { warningsOf } from "../util/warningsOf.js";
import { detours, mentions, mentionsOf } from "./frames.js";

const newFolder = newFolders(temporaryFolder());

const said = (count: number, words: number) => "tax ".repeat(count) + "x ".repeat(words - count);
const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const close = (value: number) => expect.closeTo(value, 9);

describe("a sample with strata of different probability", () => {
  // 900 rows of 2021 never say it, 100 of 2022 always: R's svymean with probs is 0.1.
  const all = mentionsOf(1000, (at) => ({
    personid: 1 + (at % 100),
    party: at % 2 ? "D" : "R",
    programid: at % 50,
    text: said(at < 900 ? 0 : 1, 10),
    begintime: at < 900 ? "2021-05-01T00:00:00Z" : "2022-05-01T00:00:00Z",
  }));
  const sample = sampleRows(all, { rows: 100, strata: "year", allocation: "equal" });
  const given = { per: "mention", cluster: "personid" } as const;
  const rateOf = async (frame: PolarsFrame, more: object = {}) =>
    (await rates(frame, "tax", { ...given, ...more })).toRecords()[0];

  it("has the rate of all rows, in rates and compare, also after verbs", async () => {
    expect(await rateOf(sample)).toMatchObject({ rate: close(0.1), count: 10, denominator: close(100) });
    expect(await rateOf(sample, { weights: false })).toMatchObject({ rate: 0.5 });
    const parties = pl.DataFrame({ party: ["D", "R"], side: ["left", "right"] }) as unknown as PolarsFrame;
    for (const frame of [
      sample.sort("id"),
      sample.select("text", "personid", "stratum", "probability"),
      sample.join(parties, { on: "party" }),
      concat([sample.head(40), sample.tail(60)]),
    ])
      expect(await rateOf(frame)).toMatchObject({ rate: close(0.1) });
    const years = (await compare(sample, "tax", { by: "party", ...given })).toRecords();
    const both = years.map(({ rate, denominator }) => Number(rate) * Number(denominator));
    expect((both[0] as number) + (both[1] as number)).toBeCloseTo(10, 9);
  });

  it("has it from a lazy frame and from batches, and where no row has a speaker", async () => {
    expect(await rateOf(sample.lazy() as never)).toMatchObject({ rate: close(0.1) });
    expect(await rateOf([sample.head(30), sample.tail(70)] as never)).toMatchObject({ rate: close(0.1) });
    const nobody = sample.drop("personid");
    const [row] = (await rates(nobody, "tax", { per: "mention" })).toRecords();
    // Strata do not vary within themselves, so the error is that of independent mentions.
    expect(row).toMatchObject({ rate: close(0.1), low: expect.any(Number), high: expect.any(Number) });
  });

  it("weighs terms, dispersion and keyness", async () => {
    const tax = (await terms(sample)).filter(pl.col("term").eq(pl.lit("tax"))).toRecords()[0];
    expect(tax).toMatchObject({ count: 10, total: 1000 });
    expect((await dispersion(sample, "tax")).toRecords()[0]).toMatchObject({ count: 10 });
    const against = (await keyness(sample, all, { min: 1 })).toRecords().find(({ term }) => term === "tax");
    expect(against).toMatchObject({ rate_a: close(100), rate_b: close(100) });
  });

  it("counts nothing more than its rows if all have the same probability", async () => {
    const equal = sampleRows(all, { rows: 100 });
    const plain = equal.drop("probability").drop("stratum").drop("drawn");
    expect((await terms(equal)).toRecords()).toEqual((await terms(plain as PolarsFrame)).toRecords());
    const [a] = (await rates(equal, "tax", { cluster: "personid" })).toRecords();
    const [b] = (await rates(plain as PolarsFrame, "tax", { cluster: "personid" })).toRecords();
    expect(a).toEqual(b);
  });

  it("is a baseline for all speech", async () => {
    const found = all.filter(pl.col("text").str.contains("tax"));
    const [row] = (await rates(found, "tax", { ...given, baseline: sample })).toRecords();
    expect(row).toMatchObject({ rate: close(0.1), count: 100, denominator: close(1000) });
  });

  it("takes weights of its own", async () => {
    const weighted = all.withColumns(
      pl.when(pl.col("text").str.contains("tax")).then(pl.lit(9)).otherwise(pl.lit(1)).alias("w"),
    );
    expect(await rateOf(weighted, { weights: "w" })).toMatchObject({ rate: close(0.5) });
    await expect(rateOf(weighted, { weights: "v" })).rejects.toThrow("missing columns v");
    await expect(rateOf(all.withColumns(pl.lit(0).alias("w")), { weights: "w" })).rejects.toThrow("none above 0");
  });
});

describe("frames that were sorted, split, narrowed or saved", () => {
  const WORDS = [
    "tax",
    "TAX\u0301",
    "\u202etax\u202c",
    "t\u200bax",
    "tax\0cut",
    "“tax”",
    "𝕥𝕒𝕩",
    "",
    "[TAX]",
    "null",
    "007",
    "税 tax",
  ];
  const CALLS: readonly ((frame: PolarsFrame) => Promise<PolarsFrame>)[] = [
    (frame) => rates(frame, ["tax", /tax\S/i], { by: ["month", "party"], per: "hour" }),
    (frame) => rates(frame, "tax", { cluster: "programid", by: "month", per: "mention", trend: true }),
    (frame) => rates(frame, "tax", { cluster: false, per: "mention" }),
    (frame) => compare(frame, "tax", { by: "party", groups: ["D", "R"], bootstrap: { rounds: 50, seed: 1 } }),
    (frame) => terms(frame, { by: "party", ngrams: [1, 2], cluster: "personid" }),
    (frame) => dispersion(frame, "tax", { parts: "month" }),
    (frame) => kwic(frame, "tax", { by: ["month", "personid"] }),
    (frame) => keyness(frame, frame.filter(pl.col("programid").eq(pl.lit(1))), { min: 1 }),
    async (frame) => (await reairings(frame)).select("id", "cluster", "first"),
  ];

  it("have the same numbers, whatever their texts and weights", async () => {
    const of = async (call: (typeof CALLS)[0], frame: PolarsFrame) => {
      const { result } = await warningsOf(() => call(frame));
      const digits = (_name: string, value: unknown) => (typeof value === "number" ? value.toPrecision(9) : value);
      return result
        .toRecords()
        .map((row) => JSON.stringify(row, digits))
        .sort();
    };
    const ways = detours(newFolder);
    const cases = fc.record({
      seed: fc.nat(1000),
      isSample: fc.boolean(),
      call: fc.constantFrom(...CALLS),
      detour: fc.constantFrom(...ways),
    });
    const [, , ofStrata, compared] = CALLS as [unknown, unknown, (typeof CALLS)[0], (typeof CALLS)[0]];
    const rotated = ways[2] as (typeof ways)[0];
    const examples = [ofStrata, compared].map((call) => ({ seed: 0, isSample: true, call, detour: rotated }));
    const check = fc.asyncProperty(cases, async ({ seed, isSample, call, detour }) => {
      const random = fastRandom(seed);
      const oneOf = <T>(...values: T[]) => values[Math.floor(random() * values.length)] as T;
      const all = mentionsOf(200, (at) => ({
        text: oneOf(null, `${oneOf(...WORDS)} ${oneOf(...WORDS)} ${at % 20}`),
        personid: oneOf(999_999, ...Array.from({ length: 24 }, (_, nth) => nth + 1)),
        // A stratum of one row is joined with another one.
        party: at === 150 ? "I" : oneOf(null, "D", "R"),
        programid: at % 9,
        begintime: `2024-0${oneOf(1, 2, 4)}-1${at % 9}T00:00:00Z`,
        length: oneOf(null, 5, 50),
      }));
      const frame = isSample ? sampleRows(all, { rows: 120, strata: "party", allocation: "equal" }) : all;
      expect(await of(call, await detour(frame))).toEqual(await of(call, frame));
    });
    await fc.assert(check, { numRuns: runs(60) + examples.length, seed: 3, examples: examples.map((one) => [one]) });
  });
});

describe("rates", () => {
  it("cluster by speaker where rows have one", async () => {
    const rows = Array.from({ length: 400 }, (_, at) => ({
      personid: 1 + (at % 20),
      text: said(at % 20 < 8 ? 1 : 0, 5),
    }));
    const [byDefault, asked, independent] = await Promise.all(
      [undefined, "personid", false as const].map(
        async (cluster) => (await rates(mentions(rows), "tax", { per: "mention", cluster })).toRecords()[0],
      ),
    );
    expect(byDefault).toEqual(asked);
    const width = (row: typeof asked) => Number(row?.high) - Number(row?.low);
    expect(width(byDefault)).toBeGreaterThan(4 * width(independent));
    expect(byDefault).toMatchObject({ clusters: 20, deff: expect.closeTo(400 / 19, 6), effective_clusters: close(8) });
    const nobody = mentions(rows.map(({ text }) => ({ text, personid: 999_999 })));
    expect((await rates(nobody, "tax", { per: "mention" })).columns).not.toContain("clusters");
  });

  it("leave out rows that are not in the baseline, and say how many", async () => {
    const base = mentionsOf(400, (at) => ({ personid: 1 + (at % 40), text: said(at < 100 ? 1 : 0, 5) }));
    const more = mentionsOf(3, (at) => ({ id: `other${at}`, personid: 1, text: "tax" }));
    const source = concat([base.head(100), more]);
    const { result, warnings } = await warningsOf(() => rates(source, "tax", { per: "mention", baseline: base }));
    expect(result.toRecords()[0]).toMatchObject({ count: 100, rate: 0.25, not_in_baseline: 3 });
    expect(warnings).toContainEqual([
      "NOT_IN_BASELINE",
      expect.stringContaining("3 of 103 rows are not in the baseline"),
    ]);
    await expect(rates(more, "tax", { baseline: base })).rejects.toThrow("it has none of the rows of the source");
  });

  it("have an interval for a share of 1, as for one of 0", async () => {
    const frame = mentionsOf(200, (at) => ({ personid: 1 + (at % 40), text: "tax cut" }));
    const [all, none] = (await rates(frame, ["tax", "zebra"], { per: "mention" })).toRecords();
    expect(all).toMatchObject({ rate: 1, high: 1 });
    expect(1 - Number(all?.low)).toBeCloseTo(Number(none?.high), 12);
    expect(Number(all?.low)).toBeLessThan(0.99);
  });

  it("of a sample by pages are as uncertain as its pages", async () => {
    const archive = await openArchive();
    const sample = await archive.sample("mentions", "the", { rows: 200, pages: 10 });
    const page = sample.getColumn("page").toArray();
    // Alike within pages.
    const alike = sample.drop("personid").withColumns(
      pl.Series(
        "text",
        page.map((number) => (Number(number) % 2 ? "tax" : "x")),
      ),
    );
    const [row] = (await rates(alike, "tax", { per: "mention", baseline: "own rows" })).toRecords();
    expect(Number(row?.deff)).toBeGreaterThan(10);
    const [flat] = (await rates(alike, "tax", { per: "mention", baseline: "own rows", weights: false })).toRecords();
    expect(Number(row?.high) - Number(row?.low)).toBeGreaterThan(3 * (Number(flat?.high) - Number(flat?.low)));
  });
});

describe("groups of any type", () => {
  const rows = Array.from({ length: 120 }, (_, at) => ({
    personid: 1 + at,
    side: at % 3 === 0 ? null : at % 3 === 1 ? "one" : "two",
    text: at % 5 < 2 + (at % 3) ? "tax" : "x",
    length: 60,
    begintime: at % 3 === 1 ? "2021-05-01T00:00:00Z" : "2023-05-01T00:00:00Z",
  }));
  const sides = rows.map(({ side }) => side);
  const typed = <T>(one: T, two: T) => sides.map((side) => (side === null ? null : side === "one" ? one : two));
  const frame = mentions(rows);
  const numbers = pl.Series("side", typed(1, 2), pl.Int64);
  const days = typed(new Date("2021-01-01"), new Date("2022-06-01"));
  const times = pl.Series("side", days, pl.Datetime("us", "UTC"));
  const COLUMNS: [readonly (string | number | boolean)[], pl.Series][] = [
    ...[pl.Int64, pl.Int8, pl.UInt32, pl.Float32].map((type): [number[], pl.Series] => [[1, 2], numbers.cast(type)]),
    [["1", "2"], numbers.cast(pl.UInt64)],
    [["1.0", "2.0"], numbers.cast(pl.Decimal(9, 1))],
    // Where there is none, NaN is what pandas has.
    [
      [1.5, 2.5],
      pl.Series(
        "side",
        typed(1.5, 2.5).map((value) => value ?? Number.NaN),
        pl.Float64,
      ),
    ],
    [[false, true], pl.Series("side", typed(false, true), pl.Bool)],
    [["2021-01-01", "2022-06-01"], times.cast(pl.Date)],
    [["2021-01-01T00:00:00Z", "2022-06-01T00:00:00Z"], times],
    [["2021-01-01T00:00:00Z", "2022-06-01T00:00:00Z"], times.cast(pl.Datetime("ms", "America/New_York"))],
    [["a", "b"], pl.Series("side", typed("a", "b"), pl.Utf8).cast(pl.Categorical)],
    [['["a"]', '["b","c"]'], pl.Series("side", typed(["a"], ["b", "c"]), pl.List(pl.Utf8))],
  ];

  const examples = sampled(COLUMNS, 4).map(([groups, column]) => [String(column.dtype), groups, column] as const);

  it.each(examples)("are counted and compared like texts: %s", async (_type, groups, column) => {
    const given = { by: "side", per: "mention", baseline: "own rows" } as const;
    const of = async (source: PolarsFrame, chosen: readonly (string | number | boolean)[]) => {
      const first = (await compare(source, "tax", { ...given, groups: chosen })).toRecords();
      const table = await robustness(source, "tax", { ...given, groups: chosen });
      const differences = [...first, ...table.toRecords()].map(({ difference, p }) => [difference, p]);
      const counted = [await rates(source, "tax", given), await terms(source, { by: "side" })];
      const spread = await dispersion(source, "tax", { parts: "side" });
      const numbers = [...counted.map((table) => table.drop("side")), spread].map((table) => table.toRecords());
      const labels = [first, ...counted.map((table) => table.toRecords())].map((rows) => rows.map(({ side }) => side));
      return [[differences, numbers], labels] as const;
    };
    const [expected, names] = await of(frame, ["one", "two"]);
    const other = frame.withColumns(column.rename("side"));
    const inType = (name: unknown) => (name === null ? null : groups[name === "one" ? 0 : 1]);
    expect(await of(other, groups)).toEqual([expected, names.map((some) => some.map(inType))]);
    expect((await of(other, groups.map(String)))[0]).toEqual(expected);
  });

  it("differ for none and the text null, and wherever their texts have a NUL", async () => {
    const of = (a: string | null, b: string, first: number) =>
      [0, 1, 2].map((at) => ({ a, b, begintime: `${2020 + at}-05-01T00:00:00Z`, text: at < first ? "tax" : "x" }));
    const groups = [of(null, "c", 0), of("null", "c", 1), of('x\0"y', "z", 2), of("x", 'y\0"z', 3)];
    const given = { by: ["a", "b", "year"], trend: true, per: "mention", baseline: "own rows" } as const;
    const rows = (await rates(mentions(groups.flat()), "tax", given)).toRecords();
    const slopes = rows.filter(({ year }) => String(year).includes("2020")).map(({ a, slope }) => [a, slope]);
    expect(rows).toHaveLength(12);
    expect(new Map(slopes as [unknown, number][])).toEqual(
      new Map<unknown, unknown>([
        ["null", -0.5],
        ["x", 0],
        ['x\0"y', -0.5],
        [null, 0],
      ]),
    );
  });

  it("are refused in a column with the name of a result's", async () => {
    const of = (name: string) => frame.withColumns(frame.getColumn("side").rename(name));
    const event = { design: "before/after", date: "2022-08-16", window: 8, placebo: ["2022-10-01"] } as const;
    const work = {
      pattern: [rates, compare].map((of) => (source: PolarsFrame) => of(source, "tax", { by: "pattern" })),
      total: [(source: PolarsFrame) => terms(source, { by: "total" })],
      left: [(source: PolarsFrame) => kwic(source, "tax", { by: "left" })],
      variant: [(source: PolarsFrame) => robustness(source, "tax", { by: "variant" })],
      ...Object.fromEntries(
        ["date", "placebo", "period"].map((by) => [by, [(of: PolarsFrame) => compare(of, "tax", { by, ...event })]]),
      ),
    };
    for (const [name, all] of Object.entries(work))
      for (const one of all as readonly ((source: PolarsFrame) => Promise<PolarsFrame>)[])
        await expect(one(of(name))).rejects.toThrow(`invalid by: "${name}". The result has a column of that name.`);
  });

  it("are Congresses, too", async () => {
    const given = { by: "congress", per: "mention", baseline: "own rows" } as const;
    const found = await compare(frame, "tax", { ...given, groups: [118, 117] });
    expect(found.getColumn("congress").toArray()).toEqual([118, 117]);
  });
});

describe("trends", () => {
  it("leave out 0 as often as they should in trendless years with news of their own, and none for a word that nobody says", async () => {
    const random = fastRandom(3);
    const TRENDS = runs(40, 40);
    let out = 0;
    for (let run = 0; run < TRENDS; run++) {
      const rows = Array.from({ length: 13 }, (_, year) => {
        const share = 0.15 * Math.exp(0.4 * normal(random));
        return Array.from({ length: 60 }, (_, at) => {
          return {
            personid: 1 + at,
            begintime: `${2010 + year}-05-01T00:00:00Z`,
            text: random() < share ? "tax" : "x",
          };
        });
      }).flat();
      const found = await rates(mentions(rows), ["tax", "zebra"], { per: "mention", by: "year", trend: true });
      const [tax] = found.toRecords();
      if (Number(tax?.slope_low) > 0 || Number(tax?.slope_high) < 0) out++;
      expect(Number(tax?.slope_low)).toBeLessThan(Number(tax?.slope));
      expect(found.toRecords().at(-1)).toMatchObject({ slope: 0, slope_low: null, slope_high: null });
    }
    expect(out).toBeLessThanOrEqual(TRENDS / 10);
  });

  it("take Congresses in the order of their numbers, before the 100th, too", async () => {
    const rows = [99, 100, 101, 102, 103].flatMap((congress, nth) =>
      Array.from({ length: 20 }, (_, at) => ({
        personid: 1 + at,
        begintime: `${2 * congress + 1788}-05-01T00:00:00Z`,
        text: at < 2 + 2 * nth ? "tax" : "x",
      })),
    );
    const found = await rates(mentions(rows), "tax", {
      per: "mention",
      by: "congress",
      baseline: "own rows",
      trend: true,
    });
    expect(found.toRecords()[0]?.slope).toBeCloseTo(0.1, 12);
  });
});

describe("compare of few speakers", () => {
  const SAMPLES = runs(60, 60);

  /** Speakers who say it more or less often, without a difference between the groups. */
  function groups(random: () => number, sizes: readonly (readonly [name: string, speakers: number])[]) {
    return mentions(
      sizes.flatMap(([party, speakers], side) =>
        Array.from({ length: speakers }, (_, at) => {
          const rows = Math.min(25, 1 + Math.floor(Math.exp(0.9 * normal(random) + 0.7)));
          const taste = Math.exp(0.8 * normal(random) - 0.32) / 20;
          return Array.from({ length: rows }, () => {
            const count = Array.from({ length: 20 }, () => random() < taste).filter(Boolean).length;
            return { personid: 1000 * side + at + 1, party, text: said(count, 20) };
          });
        }).flat(),
      ),
    );
  }

  it.each([5, 15])("finds a difference between %i and 120 where there is none as rarely as it says", async (few) => {
    const random = fastRandom(few);
    let [rejected, covered] = [0, 0];
    for (let run = 0; run < SAMPLES; run++) {
      const frame = groups(random, [
        ["I", few],
        ["D", 120],
      ]);
      const { result } = await warningsOf(() => compare(frame, "tax", { by: "party", groups: ["I", "D"], per: 1 }));
      const [row] = result.toRecords();
      if (Number(row?.p) < 0.05) rejected++;
      if (Number(row?.ratio_low) <= 1 && Number(row?.ratio_high) >= 1) covered++;
      expect(row?.sentence).toContain(`I has only ${few} speakers: p is from permutations of the speakers`);
      if (few < 15) expect(row).toMatchObject({ difference_low: null, ratio_low: expect.any(Number) });
      else {
        expect(row?.difference_low).toEqual(expect.any(Number));
        // What the test rejects is outside of the interval.
        const isOut = Number(row?.difference_low) > 0 || Number(row?.difference_high) < 0;
        if (Math.abs(Number(row?.p) - 0.05) > 0.001) expect(isOut).toBe(Number(row?.p) < 0.05);
      }
    }
    // Of 60, 7 and 53: two standard deviations and a half from one in twenty.
    const most = 0.05 * SAMPLES + 2.5 * Math.sqrt(0.05 * 0.95 * SAMPLES);
    expect(rejected).toBeLessThanOrEqual(most);
    expect(SAMPLES - covered).toBeLessThanOrEqual(most);
  });

  it("has the p value of all permutations of the difference by its error", async () => {
    // Speakers of one side speak much more: the difference alone would have p = 0.008.
    const spoken = [
      [12, 200],
      [18, 240],
      [11, 180],
      [20, 220],
      [14, 210],
      [0, 20],
      [3, 20],
      [0, 20],
      [1, 40],
      [0, 20],
    ] as const;
    const frame = mentions(
      spoken.map(([count, words], at) => ({ personid: 1 + at, party: at < 5 ? "I" : "D", text: said(count, words) })),
    );
    const { result } = await warningsOf(() => compare(frame, "tax", { by: "party", groups: ["I", "D"], per: 1 }));
    const statistic = (isA: (at: number) => boolean) => {
      const sides = [true, false].map((side) => {
        const own = spoken.filter((_one, at) => isA(at) === side);
        const rate = (all: readonly (readonly [number, number])[]) =>
          all.reduce((sum, [count]) => sum + count, 0) / all.reduce((sum, [, words]) => sum + words, 0);
        const left = own.map((one) => rate(own.filter((other) => other !== one)) - rate(own));
        return { rate: rate(own), variance: left.reduce((sum, value) => sum + value * value, 0) };
      });
      const [a, b] = sides as [(typeof sides)[0], (typeof sides)[0]];
      return (a.rate - b.rate) / Math.sqrt(a.variance + b.variance);
    };
    const sets = Array.from({ length: 1 << 10 }, (_, bits) => (at: number) => ((bits >> at) & 1) === 1);
    const fives = sets.filter((isA) => spoken.filter((_one, at) => isA(at)).length === 5).map(statistic);
    const found = statistic((at) => at < 5);
    const tails = [1, -1].map((side) => fives.filter((value) => side * value >= side * found - 1e-9).length);
    expect(fives.length).toBe(252);
    expect(result.toRecords()[0]?.p).toBeCloseTo((2 * Math.min(...tails)) / 252, 1.5);
  });

  it("names the speaker who says most of it, and words that were searched", async () => {
    const archive = await openArchive();
    const found = await archive.mentions("climate", { maxItems: 300 });
    const frame = found.withColumns(
      pl.Series(
        "personid",
        Array.from({ length: found.height }, (_, at) => 1 + (at % 60)),
      ),
      pl.Series(
        "party",
        Array.from({ length: found.height }, (_, at) => (at % 2 ? "D" : "R")),
      ),
    );
    const given = { by: "party", per: "mention", baseline: "own rows" } as const;
    const { warnings } = await warningsOf(() => compare(frame, "climate", given));
    expect(warnings).toContainEqual([
      "CHOSEN_ROWS",
      expect.stringContaining('compare counts the rows of a search for "climate"'),
    ]);
    const one = mentionsOf(300, (at) => {
      return {
        personid: 1 + (at % 60),
        party: at % 2 ? "D" : "R",
        text: at % 60 === 0 ? said(9, 10) : said(at % 7 === 0 ? 1 : 0, 10),
      };
    });
    const [row] = (await compare(one, "tax", { by: "party", per: 1 })).toRecords();
    expect(row?.sentence).toMatch(/One of the speakers has \d+(\.\d)?% of the matches of R\./);
  });

  it("names a searched word behind a wildcard or an expression", async () => {
    const archive = await openArchive();
    for (const [query, pattern] of [
      ["budget", "budg*"],
      ["infrastructure", /infra[a-z]+/i],
    ] as const) {
      const found = await archive.mentions(query, { maxItems: 40 });
      const given = { per: "mention", baseline: "own rows" } as const;
      const noted = async (of: typeof pattern | "zebra*") =>
        (await warningsOf(() => rates(found, of, given))).warnings.map(([code]) => code).includes("CHOSEN_ROWS");
      expect([await noted("zebra*"), await noted(pattern)]).toEqual([false, true]);
    }
  });
});

describe("few speakers", () => {
  it("have the interval of a jackknife, on the logarithmic scale of a rate and by Wilson's of a share", async () => {
    const rows = Array.from({ length: 8 }, (_, speaker) =>
      Array.from({ length: 3 + ((speaker * 5) % 7) }, (_row, at) => ({
        personid: 1 + speaker,
        text: said((speaker + at) % 3 === 0 ? 2 : 0, 10),
      })),
    );
    for (const per of ["mention", 1] as const) {
      const rateOf = async (speakers: typeof rows) =>
        (await rates(mentions(speakers.flat()), "tax", { per })).toRecords()[0] as Record<string, number>;
      const found = await rateOf(rows);
      const rate = found.rate as number;
      const left = await Promise.all(rows.map(async (own) => (await rateOf(rows.filter((one) => one !== own))).rate));
      const error = Math.sqrt((8 / 7) * left.map(Number).reduce((sum, other) => sum + (other - rate) ** 2, 0));
      const sizes = rows.map((own) => own.length);
      const all = sizes.reduce((a, b) => a + b, 0);
      const effective = all ** 2 / sizes.reduce((a, b) => a + b * b, 0);
      // With as many degrees of freedom as the speakers are worth.
      const bound = tBound(0.95, effective - 1);
      const independent = (rate * (1 - rate)) / error ** 2;
      const expected =
        per === 1
          ? { low: rate * Math.exp((-bound * error) / rate), high: rate * Math.exp((bound * error) / rate) }
          : wilsonInterval(rate * independent, independent, 0.95, bound);
      expect(found.low).toBeCloseTo(expected.low, 6);
      expect(found.high).toBeCloseTo(expected.high, 6);
    }
  });

  it("are those of whom one says most, too", async () => {
    const of = (passages: number) =>
      mentions(
        Array.from({ length: 40 }, (_, speaker) =>
          Array.from({ length: speaker === 0 ? passages : 2 }, (_row, at) => ({
            personid: 1 + speaker,
            text: said((speaker + at) % 3 === 0 ? 1 : 0, 10),
          })),
        ).flat(),
      );
    const isEven = async (passages: number) => {
      const [{ rate, low, high }] = (await rates(of(passages), "tax")).toRecords() as [Record<string, number>];
      return Math.abs((low as number) + (high as number) - 2 * (rate as number)) < 1e-9;
    };
    expect([await isEven(2), await isEven(60)]).toEqual([true, false]);
  });
});

describe("a sampled baseline", () => {
  it("of all speech stands for it", async () => {
    const archive = await openArchive();
    const days = { mindate: "2022-01-01", maxdate: "2022-12-31" };
    const found = await archive.mentions("climate", { ...days, maxItems: 5000 });
    const all = await archive.mentions("the", { ...days, maxItems: 5000 });
    const sample = await archive.sample("mentions", "the", { ...days, rows: 600, pages: 100 });
    const [[whole], [sampled]] = [
      (await rates(found, "climate", { per: "mention", baseline: all })).toRecords(),
      (await rates(found, "climate", { per: "mention", baseline: sample })).toRecords(),
    ];
    expect(sampled?.denominator).toBeCloseTo(Number(whole?.denominator), -2);
    expect(Number(sampled?.rate) / Number(whole?.rate)).toBeCloseTo(1, 1);
  });
});

describe("re-airings in rates", () => {
  const words = "we cannot pay this tax on roads and bridges any longer my friends";
  const rows = Array.from({ length: 240 }, (_, at) => ({
    id: `${at}`,
    begintime: new Date(Date.UTC(2024, 0, 1 + at)).toISOString(),
    personid: 1 + (at % 40),
    party: at % 2 ? "D" : "R",
    length: 30 + (at % 7),
    text:
      at % 40 === 1
        ? `${words} said speaker one`
        : `${words} ${"abcdefgh".repeat(1 + (at % 5))} number ${at} ${at * 7919} ${at * 104729} ${at ** 3} ${at * 31}`,
  }));
  const frame = mentions(rows);

  it("are noted with their number, and count once where that is asked", async () => {
    const { result, warnings } = await warningsOf(() => rates(frame, "tax", { per: "mention", cluster: false }));
    expect(result.toRecords()[0]).toMatchObject({ count: 240, denominator: 240 });
    expect(warnings).toContainEqual([
      "REPEATED_ROWS",
      expect.stringMatching(/^rates: 5 of 240 rows repeat .* once: true/),
    ]);
    const once = await warningsOf(() => rates(frame, "tax", { per: "mention", cluster: false, once: true }));
    const kept = (await reairings(frame)).filter(pl.col("first")).height;
    expect(kept).toBeLessThanOrEqual(235);
    expect(once.result.toRecords()[0]).toMatchObject({ count: kept, denominator: kept });
    expect(once.warnings.filter(([code]) => code === "REPEATED_ROWS")).toEqual([]);
  });

  it.each(["terms", "dispersion"] as const)("count once in %s, too", async (name) => {
    const of = async (rows: PolarsFrame, once?: true) => {
      const { result, warnings } = await warningsOf(() =>
        name === "terms" ? terms(rows, { once }) : dispersion(rows, "tax", { parts: "personid", once }),
      );
      const noted = warnings.some(
        ([code, text]) => code === "REPEATED_ROWS" && text.startsWith(`${name}: 5 of 240 rows`),
      );
      return { rows: result.toRecords(), noted };
    };
    const kept = (await reairings(frame)).filter(pl.col("first"));
    const [all, once, alone] = [await of(frame), await of(frame, true), await of(kept)];
    expect([all.noted, once.noted, alone.noted]).toEqual([true, false, false]);
    expect(once.rows).toEqual(alone.rows);
    expect(once.rows).not.toEqual(all.rows);
  });

  it("are one of the decisions that robustness repeats a comparison under", async () => {
    const parties = rows.map(({ party }, at) => (at % 40 < 4 ? null : party));
    const open = frame.withColumns(pl.Series("party", parties, pl.Utf8));
    const given = { by: "party", groups: ["D", "R"] };
    const table = await robustness(open, ["tax", "number"], given);
    const variants = [...new Set(table.getColumn("variant").toArray().map(String))];
    expect(variants).toEqual([
      "as given",
      "each speech once",
      "share of mentions",
      "per hour",
      "without party: all to D",
      "without party: all to R",
    ]);
    expect(table.height).toBe(12);
    for (const variant of variants) {
      const [changed, of] = (
        {
          "as given": [{}, open],
          "each speech once": [{ once: true }, open],
          "share of mentions": [{ per: "mention" }, open],
          "per hour": [{ per: "hour" }, open],
          "without party: all to D": [{}, open.withColumns(pl.col("party").fillNull(pl.lit("D")))],
          "without party: all to R": [{}, open.withColumns(pl.col("party").fillNull(pl.lit("R")))],
        } as const
      )[variant as "as given"];
      const [expected] = (await compare(of, "number", { ...given, ...changed })).toRecords();
      const own = table.toRecords().find((row) => row.variant === variant && row.pattern === "number");
      expect(own?.difference, variant).toBeCloseTo(Number(expected?.difference), 12);
    }
    await expect(robustness(open, "tax", { by: "month" })).rejects.toThrow("missing columns month");
    for (const none of [undefined, null, {}, { by: ["party"] }])
      await expect(robustness(open, "tax", none as never)).rejects.toThrow("invalid by");
    const changed = await robustness(open, "tax", {
      ...given,
      design: "before/after",
      date: "2024-05-01",
      window: 100,
    });
    expect([...new Set(changed.getColumn("variant").toArray())]).toEqual(variants);
  });
});
