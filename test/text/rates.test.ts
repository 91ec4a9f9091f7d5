import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleRows } from "../../src/coding/index.js";
import { setProvenance } from "../../src/frames/provenanceOf.js";
import { concat, openArchive, type PolarsFrame, pl } from "../../src/index.js";
import { compare, keyness, kwic, rates, reairings, terms } from "../../src/text/index.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { provenance } from "../notebook/display/provenance.js";
import { runs, sampled } from "../scale.js";
import { fastRandom } from "../tools/fastRandom.js";
import { warningsOf } from "../util/warningsOf.js";
import { detours, mentions, mentionsOf } from "./frames.js";

const newFolder = newFolders(temporaryFolder());

const said = (count: number, words: number) => "tax ".repeat(count) + "x ".repeat(words - count);
const close = (value: number) => expect.closeTo(value, 9);

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
    (frame) => rates(frame, "tax", { cluster: "programid", by: "month", per: "mention" }),
    (frame) => rates(frame, "tax", { cluster: false, per: "mention" }),
    (frame) => compare(frame, "tax", { by: "party", groups: ["D", "R"] }),
    (frame) => terms(frame, { by: "party", ngrams: [1, 2], cluster: "personid" }),
    (frame) => kwic(frame, "tax", { by: ["month", "personid"] }),
    (frame) => keyness(frame, frame.filter(pl.col("programid").eq(pl.lit(1))), { min: 1 }),
    async (frame) => (await reairings(frame)).select("id", "cluster", "first"),
  ];

  it("have the same numbers, whatever their texts", async () => {
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
      call: fc.constantFrom(...CALLS),
      detour: fc.constantFrom(...ways),
    });
    const [, , independent, compared] = CALLS as [unknown, unknown, (typeof CALLS)[0], (typeof CALLS)[0]];
    const rotated = ways[2] as (typeof ways)[0];
    const examples = [independent, compared].map((call) => ({ seed: 0, call, detour: rotated }));
    const check = fc.asyncProperty(cases, async ({ seed, call, detour }) => {
      const random = fastRandom(seed);
      const oneOf = <T>(...values: T[]) => values[Math.floor(random() * values.length)] as T;
      const frame = mentionsOf(200, (at) => ({
        text: oneOf(null, `${oneOf(...WORDS)} ${oneOf(...WORDS)} ${at % 20}`),
        personid: oneOf(999_999, ...Array.from({ length: 24 }, (_, nth) => nth + 1)),
        party: oneOf(null, "D", "R"),
        programid: at % 9,
        begintime: `2024-0${oneOf(1, 2, 4)}-1${at % 9}T00:00:00Z`,
        length: oneOf(null, 5, 50),
      }));
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
    // Of few large pages, all would be fetched.
    const archive = await openArchive({ pageSize: 100 });
    const sample = await archive.sample("mentions", "the", { rows: 400, pages: 20 });
    const page = sample.getColumn("page").toArray();
    // Alike within pages.
    const alike = sample.drop("personid").withColumns(
      pl.Series(
        "text",
        page.map((number) => (Number(number) % 2 ? "tax" : "x")),
      ),
    );
    const own = { per: "mention", baseline: "own rows" } as const;
    const [row] = (await rates(alike, "tax", own)).toRecords();
    expect(Number(row?.deff)).toBeGreaterThan(10);
    const [flat] = (await rates(alike, "tax", { ...own, cluster: false })).toRecords();
    expect(Number(row?.high) - Number(row?.low)).toBeGreaterThan(3 * (Number(flat?.high) - Number(flat?.low)));
    // Pages are the clusters, also of a part of the sample and in compare, unless others are given.
    const spoken = (await rates(sample.filter(pl.col("personid").isNotNull()), "tax", own)).toRecords()[0];
    expect(spoken?.clusters).toBe(new Set(page).size);
    const sides = alike.withColumns(
      pl.Series(
        "side",
        page.map((_, at) => (at % 2 ? "a" : "b")),
      ),
    );
    const [compared] = (await compare(sides, "tax", { by: "side", ...own })).toRecords();
    expect(compared?.sentence).toContain("values of page");
    const bySpeaker = (await rates(sample, "tax", { ...own, cluster: "personid" })).toRecords()[0];
    expect(bySpeaker?.clusters).not.toBe(spoken?.clusters);
  });

  it("of a sample count within it: with all speech as the baseline, or a sampled one, they are refused", async () => {
    const all = mentionsOf(100, (at) => ({ personid: 1 + (at % 20), text: said(at % 2, 5) }));
    const sample = sampleRows(setProvenance(all, provenance({ operation: "corpus" })), { rows: 40 });
    for (const [source, baseline] of [
      [sample, all],
      [all, sample],
    ] as const)
      await expect(rates(source, "tax", { baseline })).rejects.toThrow(
        'Count within the sample: rates(sample, patterns, { baseline: "own rows" })',
      );
    const spoken = sample.filter(pl.col("text").str.contains("tax"));
    const [row] = (await rates(spoken, "tax", { per: "mention", baseline: sample })).toRecords();
    expect(row).toMatchObject({ count: spoken.height, denominator: 40 });
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
      const differences = first.map(({ difference, p }) => [difference, p]);
      const counted = [await rates(source, "tax", given), await terms(source, { by: "side" })];
      const numbers = counted.map((table) => table.drop("side").toRecords());
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
    const rows = (await rates(mentions(groups.flat()), "tax", { by: ["a", "b", "year"], per: "mention" })).toRecords();
    expect(rows).toHaveLength(12);
    const counts = new Map<unknown, number>();
    for (const { a, count } of rows) counts.set(a, (counts.get(a) ?? 0) + Number(count));
    expect(counts).toEqual(
      new Map<unknown, unknown>([
        ["null", 1],
        ["x", 3],
        ['x\0"y', 2],
        [null, 0],
      ]),
    );
  });

  it("are refused in a column with the name of a result's", async () => {
    const of = (name: string) => frame.withColumns(frame.getColumn("side").rename(name));
    const event = { design: "before/after", date: "2022-08-16", window: 8 } as const;
    const work = {
      pattern: [rates, compare].map((of) => (source: PolarsFrame) => of(source, "tax", { by: "pattern" })),
      total: [(source: PolarsFrame) => terms(source, { by: "total" })],
      left: [(source: PolarsFrame) => kwic(source, "tax", { by: "left" })],
      period: [(source: PolarsFrame) => compare(source, "tax", { by: "period", ...event })],
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

describe("compare", () => {
  it.each([
    [9, null],
    [10, expect.any(Number)],
  ])("with %i speakers on one side has an interval of %j, and says so", async (few, interval) => {
    const frame = mentionsOf(600, (at) => {
      const [party, personid] = at % 3 === 0 ? ["I", (at / 3) % few] : ["D", 100 + (at % 120)];
      return { personid: personid + 1, party, text: said(Math.imul(at + 1, 2654435761) >>> 30, 20) };
    });
    const { result, warnings } = await warningsOf(() => compare(frame, "tax", { by: "party", groups: ["I", "D"] }));
    const [row, other] = result.toRecords();
    const names = ["low", "difference_low", "difference_high", "ratio_low", "ratio_high", "p", "p_adjusted"];
    expect(row).toMatchObject({ ...Object.fromEntries(names.map((name) => [name, interval])), clusters: few });
    expect(other).toMatchObject({ low: expect.any(Number) });
    const sentence = `I has only ${few} speakers, too few for an interval.`;
    expect(String(row?.sentence).includes(sentence)).toBe(interval === null);
    expect(warnings).toContainEqual(["FEW_CLUSTERS", expect.stringContaining(`"personid" has ${few} values in I`)]);
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

  it("count once in terms, too", async () => {
    const of = async (rows: PolarsFrame, once?: true) => {
      const { result, warnings } = await warningsOf(() => terms(rows, { once }));
      const noted = warnings.some(
        ([code, text]) => code === "REPEATED_ROWS" && text.startsWith("terms: 5 of 240 rows"),
      );
      return { rows: result.toRecords(), noted };
    };
    const kept = (await reairings(frame)).filter(pl.col("first"));
    const [all, once, alone] = [await of(frame), await of(frame, true), await of(kept)];
    expect([all.noted, once.noted, alone.noted]).toEqual([true, false, false]);
    expect(once.rows).toEqual(alone.rows);
    expect(once.rows).not.toEqual(all.rows);
  });
});
