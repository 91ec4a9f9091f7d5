import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concat, type PolarsFrame, pl } from "../../src/index.js";
import { collocations, compare, keyness, kwic, rates, reairings, terms } from "../../src/text/index.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { provenance, setProvenance } from "../notebook/display/provenance.js";
import { runs, sampled } from "../scale.js";
import { fastRandom } from "../tools/fastRandom.js";
import { warningsOf } from "../util/warningsOf.js";
import { detours, mentions, mentionsOf, texts } from "./frames.js";

const newFolder = newFolders(temporaryFolder());

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
  const frame = mentions([
    { text: "tax tax tea", begintime: "2024-01-15T00:00:00Z", length: 1800, person: "A" },
    { text: "no such word at all in it", begintime: "2024-04-15T00:00:00Z", length: 3600, person: "B" },
  ]);
  const all = { cluster: false } as const;

  it.each([
    [1000, { count: 2, denominator: 10, rate: 200 }],
    ["hour", { count: 2, denominator: 1.5, rate: 2 / 1.5 }],
    ["mention", { count: 1, denominator: 2, rate: 0.5 }],
  ] as const)("per %s count words, seconds or rows", async (per, expected) => {
    expect((await rates(frame, "tax", { ...all, per })).toRecords()).toMatchObject([{ pattern: "tax", ...expected }]);
  });

  it("per hour leave out the matches of rows without a length", async () => {
    const open = concat([frame, mentions([{ id: "m2", text: "tax tax tax tax", person: "C" }])]);
    for (const source of [open, open.withColumns(pl.Series("length", ["1800", "3600", "unknown"], pl.Utf8))]) {
      const { result, warnings } = await warningsOf(() => rates(source, "tax", { ...all, per: "hour" }));
      expect(result.toRecords()).toMatchObject([{ count: 2, denominator: 1.5 }]);
      if (source === open)
        expect(warnings).toEqual([["NO_LENGTH", expect.stringContaining("1 of 3 rows have no length")]]);
    }
  });

  it("contain every period, those without speech without a rate", async () => {
    const result = await rates(frame, "tax", { ...all, by: "month", per: 10 });
    const months = result.getColumn("month").cast(pl.Utf8).toArray();
    expect(
      result.toRecords().map(({ count, denominator, rate }, at) => [months[at], count, denominator, rate]),
    ).toEqual([
      ["2024-01-01", 2, 3, expect.closeTo(6.667, 3)],
      ["2024-02-01", 0, 0, null],
      ["2024-03-01", 0, 0, null],
      ["2024-04-01", 0, 7, 0],
    ]);
    expect((await rates(frame, "tax", { ...all, by: ["person", "month"] })).height).toBe(8);
  });

  it("of the rows of a search need a baseline, which a message explains", async () => {
    const searched = setProvenance(mentions([{ text: "tax" }]), provenance({ parameters: { query: "tax" } }));
    await expect(rates(searched, "tax", all)).rejects.toThrow(
      'invalid baseline: there is none, and the rows were found by a search for "tax". With baseline: "own rows", rates are shares of the ' +
        "rows that this search found, not of all speech. For all speech, count a sample of it: rates(await archive.sample(",
    );
    const { result, warnings } = await warningsOf(() => rates(searched, "tax", { ...all, baseline: "own rows" }));
    expect(result.toRecords()).toMatchObject([{ count: 1, denominator: 1 }]);
    expect(warnings.map(([code]) => code)).toEqual(["CHOSEN_ROWS"]);
    const capped = setProvenance(
      frame,
      provenance({ parameters: { query: "the" }, verdict: "capped", reason: "maxItems" }),
    );
    const incomplete = await warningsOf(() => rates(capped, "tax", { ...all, baseline: "own rows" }));
    expect(incomplete.warnings).toEqual([
      ["INCOMPLETE_ROWS", expect.stringContaining("capped (maxItems): others are missing")],
    ]);
  });

  it.each([
    [{ per: 0 }, "invalid per: 0"],
    [{ per: "day" }, 'invalid per: "day"'],
    [{ confidence: 1 }, "invalid confidence: 1"],
    [{ baseline: "rows" }, 'invalid baseline: "rows". Give "own rows", and as the source all speech or a sample of it'],
    [{ baseline: frame }, 'Give "own rows", and as the source all speech or a sample of it'],
    [{ by: ["month", "month"] }, "Give every column once."],
  ])("refuse %j", async (options, message) => {
    await expect(rates(frame, "tax", { ...all, ...options } as never)).rejects.toThrow(message);
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
    const rows = (
      await rates(mentions(groups.flat()), "tax", { by: ["a", "b", "year"], per: "mention", cluster: false })
    ).toRecords();
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
    const work = {
      pattern: [rates, compare].map((of) => (source: PolarsFrame) => of(source, "tax", { by: "pattern" })),
      total: [(source: PolarsFrame) => terms(source, { by: "total" })],
      left: [(source: PolarsFrame) => kwic(source, "tax", { by: "left" })],
      sentence: [(source: PolarsFrame) => compare(source, "tax", { by: "sentence" })],
    };
    for (const [name, all] of Object.entries(work))
      for (const one of all as readonly ((source: PolarsFrame) => Promise<PolarsFrame>)[])
        await expect(one(of(name))).rejects.toThrow(`invalid by: "${name}". The result has a column of that name.`);
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

  it.each(
    Object.entries({
      rates: (of: PolarsFrame, once?: true) => rates(of, "tax", { once, per: "mention", cluster: false }),
      terms: (of: PolarsFrame, once?: true) => terms(of, { once }),
      keyness: (of: PolarsFrame, once?: true) => keyness(of, texts("tax and spend"), { once, min: 1 }),
      collocations: (of: PolarsFrame, once?: true) => collocations(of, { once, min: 1 }),
      compare: (of: PolarsFrame, once?: true) => compare(of, "tax", { by: "party", once, per: "mention" }),
    }),
  )("are noted in %s, and count once where that is asked", async (name, count) => {
    const of = async (rows: PolarsFrame, once?: true) => {
      const { result, warnings } = await warningsOf(() => count(rows, once));
      const isNote = ([code, text]: [unknown, string]) =>
        code === "REPEATED_ROWS" && text.startsWith(`${name}: 5 of 240 rows`);
      return { rows: result.toRecords(), noted: warnings.some(isNote) };
    };
    const first = (await reairings(frame)).filter(pl.col("first"));
    const [all, once, alone] = [await of(frame), await of(frame, true), await of(first)];
    expect([all.noted, once.noted, alone.noted]).toEqual([true, false, false]);
    expect(once.rows).toEqual(alone.rows);
    expect(once.rows).not.toEqual(all.rows);
  });
});
