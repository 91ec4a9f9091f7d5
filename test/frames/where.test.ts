import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  type Condition,
  type Conditions,
  type FrameRow,
  openArchive,
  perPeriod,
  pl,
  toDataFrame,
  valuesOf,
  where,
} from "../../src/index.js";
import { FULL, runs } from "../scale.js";

const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-06-30", maxItems: 1000 });

interface Row {
  name: string | null;
  length: number | null;
  inferred: boolean | null;
  begintime: Date | null;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 5 });
const names = fc.constantFrom("a", "b", "A b", "c", "");
const lengths = fc.integer({ min: -3, max: 3 });
const days = fc.constantFrom("2022-02-28", "2022-03-01", "2022-12-31", "2023-01-01");
const times = fc
  .tuple(days, fc.constantFrom("00:00:00.000", "12:30:00.000", "23:59:59.999"))
  .map(([day, time]) => new Date(`${day}T${time}Z`));
const rows = fc.array(
  fc.record<Row>({
    name: maybe(names),
    length: maybe(lengths),
    inferred: maybe(fc.boolean()),
    begintime: maybe(times),
  }),
  { minLength: 25, maxLength: 40 },
);
const dates = fc.oneof(days, fc.constantFrom("2022", "2022-02", "2022-12"), times);

/** A condition, and what it means for a value that is not null. */
type Case = readonly [condition: unknown, meets: (value: never) => boolean];
const limit = fc.constantFrom("gt", "gtEq", "gte", "lt", "ltEq", "lte");
const compared = (name: string, a: number, b: number) =>
  name === "gt" ? a > b : /^gtE|gte/.test(name) ? a >= b : name === "lt" ? a < b : a <= b;
/** A date as text, at the precision in which it was given. */
const spelled = (value: Date, given: string | Date) =>
  typeof given === "string" ? value.toISOString().slice(0, given.length) : value.toISOString();
const spelledDate = (given: string | Date) => (typeof given === "string" ? given : given.toISOString());
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const cases: { [K in keyof Row]: fc.Arbitrary<Case> } = {
  name: fc.oneof(
    names.map((name): Case => [name, (value) => value === name]),
    fc.array(names, { minLength: 1 }).map((all): Case => [all, (value) => all.includes(value)]),
    fc.constant<Case>([/^a/i, (value: string) => /^a/i.test(value)]),
    names.map((name): Case => [{ not: name }, (value) => value !== name]),
  ),
  length: fc.oneof(
    lengths.map((length): Case => [length, (value) => value === length]),
    fc
      .tuple(limit, lengths)
      .map(([name, length]): Case => [{ [name]: length }, (value) => compared(name, value, length)]),
    fc.tuple(lengths, lengths).map(([a, b]): Case => [{ gtEq: a, lt: b }, (value) => value >= a && value < b]),
    fc.array(lengths, { minLength: 1 }).map((all): Case => [{ not: all }, (value) => !all.includes(value)]),
  ),
  inferred: fc.boolean().map((flag): Case => [flag, (value) => value === flag]),
  begintime: fc.oneof(
    dates.map((date): Case => [date, (value) => spelled(value, date) === spelledDate(date)]),
    fc
      .array(
        fc.oneof(
          days,
          times.map((time) => time.toISOString()),
        ),
        { minLength: 1 },
      )
      .map((all): Case => [all, (value) => all.some((date) => spelled(value, date) === date)]),
    fc
      .tuple(limit, dates)
      .map(
        ([name, date]): Case => [
          { [name]: date },
          (value) => compared(name, order(spelled(value, date), spelledDate(date)), 0),
        ],
      ),
    fc
      .tuple(dates, dates)
      .map(
        ([from, until]): Case => [
          { from, until },
          (value) => spelled(value, from) >= spelledDate(from) && spelled(value, until) <= spelledDate(until),
        ],
      ),
  ),
};
/** For any column: null, a list with null, and not null. */
const orNull = (arbitrary: fc.Arbitrary<Case>) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: arbitrary.map(
        ([condition, meets]) => [condition, (value: unknown) => value !== null && meets(value as never)] as const,
      ),
    },
    { weight: 1, arbitrary: fc.constant([null, (value: unknown) => value === null] as const) },
    { weight: 1, arbitrary: fc.constant([{ not: null }, (value: unknown) => value !== null] as const) },
  );
const conditions = fc.record(
  {
    name: orNull(cases.name),
    length: orNull(cases.length),
    inferred: orNull(cases.inferred),
    begintime: orNull(cases.begintime),
  },
  { requiredKeys: [] },
);

const frameOf = (all: readonly Row[]) => toDataFrame(all.map((each, row) => ({ ...each, row })));

describe("where", () => {
  it("chooses the rows that a plain comparison chooses", () => {
    fc.assert(
      fc.property(rows, conditions, (all, chosen) => {
        const given = Object.entries(chosen) as [keyof Row, readonly [unknown, (value: unknown) => boolean]][];
        fc.pre(given.length > 0 && given.length < 3);
        const expected = all.flatMap((row, at) => (given.every(([name, [, meets]]) => meets(row[name])) ? [at] : []));
        const expression = where(
          Object.fromEntries(given.map(([name, [condition]]) => [name, condition])) as Conditions,
        );
        expect(frameOf(all).filter(expression).getColumn("row").toArray()).toEqual(expected);
      }),
      { seed: 35, numRuns: runs(30, 1500) },
    );
  });

  it("finds null in lists, bigints, and times of any spelling", () => {
    const frame = frameOf([
      { name: "a", length: 1, inferred: true, begintime: new Date("2022-08-16T12:00:00Z") },
      { name: null, length: 2, inferred: null, begintime: null },
    ]);
    const height = (given: Conditions<Row>) => frame.filter(where<Row>(given)).height;
    expect(height({ name: ["a", null] })).toBe(2);
    expect(height({ name: { not: ["a", null] } })).toBe(0);
    expect(height({ length: 2n })).toBe(1);
    for (const time of ["2022-08-16 12:00", "2022-08-16T12:00:00Z", "2022-08-16T14:00:00+02:00", "2022-08"]) {
      expect(height({ begintime: time })).toBe(1);
    }
    expect(
      frame
        .lazy()
        .filter(where({ name: "a" }))
        .collectSync().height,
    ).toBe(1);
  });

  it.each<[unknown, string]>([
    [{}, "invalid conditions: {}. Give columns"],
    [{ party: undefined }, "invalid party: undefined. Give a value"],
    [{ length: { gt: Number.NaN } }, "invalid length: NaN"],
    [{ length: { above: 3 } }, 'invalid limit of length: "above"'],
    [{ personid: { in: [1, 2] } }, "a list for one of several values"],
    [{ begintime: { from: "tomorrow" } }, 'invalid begintime.from: "tomorrow". Give a date'],
    [{ begintime: { from: "2022-02-30" } }, "invalid begintime.from"],
    [{ begintime: "August" }, 'invalid begintime: "August". Give a date'],
    [{ length: [60, Number.NaN] }, "invalid length: NaN"],
    [{ party: [] }, "invalid party: []"],
    [{ party: ["A", 1] }, "invalid party"],
    [{ text: /a(?=b)/ }, "polars has no lookaround"],
    [{ id: 2n ** 63n }, "invalid id: 9223372036854775808n. Give an integer of 64 bits"],
    [pl.DataFrame({ a: [1] }), "invalid conditions: they are a frame"],
  ])("refuses what is no condition, case %#", (given, message) => {
    expect(() => where(given as Conditions)).toThrow(message);
  });
});

describe("of a frame of the archive", () => {
  it("names the nearest column instead of one that does not exist", async () => {
    expect(() => valuesOf(frame, "lenght")).toThrow('invalid column: "lenght". Did you mean "length"?');
    expect(() => valuesOf(frame, "videotype" as "id")).toThrow(/videotype/);
    const scan = archive.scan.mentions("climate").filter(where({ persn: "X" }));
    await expect(scan.head(1).collect()).rejects.toThrow(/"persn".* Did you mean "person"\?/);
  });

  it("is pushed down on a scan, and chooses the same rows", async () => {
    const wanted = where<FrameRow<"mentions">>({
      begintime: { from: "2024-02", until: "2024-03-15" },
      length: { gt: 60 },
    });
    const scan = archive.scan.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-06-30" });
    expect(scan.filter(wanted).explain()).toMatch(/pushed +mindate=2024-01-31 +maxdate=2024-03-16/);
    expect(scan.filter(where({ personid: 6153, begintime: "2024-02-03" })).explain()).toMatch(
      /pushed +personid=6153 +mindate=2024-02-02 +maxdate=2024-02-04/,
    );
    const rows = await scan.filter(wanted).collect();
    expect(rows.height).toBeGreaterThan(0);
    expect(valuesOf(rows, "id")).toEqual(valuesOf(frame.filter(wanted), "id"));
    // From a page on, which is another one in another search.
    const later = archive.scan.mentions("climate", { page: 2, limit: 100 });
    const byPolars = await later.filter(pl.col("personid").eq(6153)).collect();
    expect(valuesOf(await later.filter(where({ personid: 6153 })).collect(), "id")).toEqual(valuesOf(byPolars, "id"));
  });

  it("has typed values", () => {
    const lengths: (number | null)[] = valuesOf(frame, "length");
    const begins: (Date | null)[] = valuesOf(frame, "begintime");
    expect(lengths.length).toBe(frame.height);
    expect(begins[0]).toBeInstanceOf(Date);
    expect(valuesOf<number>(frame.groupBy("person").agg(pl.count("id").alias("n")), "n").length).toBeGreaterThan(1);
    expect(valuesOf(pl.DataFrame({ "^.*$": [null, "x"] }), "^.*$")).toEqual([null, "x"]);
  });

  it("has the periods that charts count by", () => {
    const begins = valuesOf(frame, "begintime") as Date[];
    const firstDays = {
      day: (time: Date) => time,
      week: (time: Date) => new Date(time.getTime() - ((time.getUTCDay() + 6) % 7) * 86_400_000),
      month: (time: Date) => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth())),
      year: (time: Date) => new Date(Date.UTC(time.getUTCFullYear(), 0)),
    };
    for (const period of ["day", "week", "month", "year"] as const) {
      const expected = begins.map((time) => firstDays[period](time).toISOString().slice(0, 10));
      const found = valuesOf(frame.select(perPeriod("begintime", period)), period);
      expect(found.map((date) => date?.toISOString().slice(0, 10))).toEqual(expected);
    }
    const turns = ["1935-01-03", "2023-01-02T23:59:59Z", "2023-01-03", "2026-05-01"].map((text) => new Date(text));
    const congresses = pl.DataFrame({ t: turns }).select(perPeriod("t", "congress"));
    expect(valuesOf(congresses, "congress")).toEqual([74, 117, 118, 119]);
    const dates = pl.DataFrame({ t: turns }).select(pl.col("t").cast(pl.Date)).select(perPeriod("t", "congress"));
    expect(valuesOf(dates, "congress")).toEqual([74, 117, 118, 119]);
    expect(() => perPeriod("t", "decade" as "year")).toThrow("invalid period");
    expect(() => frame.withColumns(perPeriod("text", "month"))).toThrow("invalid column: it holds str, not times");
  });
});

const around = (at: bigint) => fc.bigInt({ min: at - 3n, max: at + 3n });
const [MIN, MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
const values = fc.oneof(...[0n, 2n ** 53n, -(2n ** 53n), MAX, MIN].map(around)).filter((n) => n >= MIN && n <= MAX);

/** A frame whose `n` has integers that JavaScript numbers cannot hold. */
const integers = (all: readonly bigint[]) =>
  toDataFrame(all.map((n) => ({ t: String(n) }))).withColumns(pl.col("t").cast(pl.Int64).alias("n"));

const MEETS = {
  gt: (a: bigint, b: bigint) => a > b,
  gtEq: (a: bigint, b: bigint) => a >= b,
  lt: (a: bigint, b: bigint) => a < b,
  ltEq: (a: bigint, b: bigint) => a <= b,
  not: (a: bigint, b: bigint) => a !== b,
};

describe("integers", () => {
  it("are compared exactly, in frames and lazy frames", () => {
    const limits = fc.record({ gt: values, gtEq: values, lt: values, ltEq: values, not: values }, { requiredKeys: [] });
    const conditions = fc.oneof(values, fc.array(values, { minLength: 1, maxLength: 20 }), limits);
    fc.assert(
      fc.property(fc.array(values, { minLength: 5, maxLength: 30 }), conditions, (all, condition) => {
        fc.pre(typeof condition !== "object" || Object.keys(condition).length > 0);
        const meets = (n: bigint) => {
          if (typeof condition === "bigint") return n === condition;
          if (Array.isArray(condition)) return condition.includes(n);
          return Object.entries(condition).every(([name, limit]) => MEETS[name as "gt"](n, limit));
        };
        const frame = integers(all);
        const expected = all.filter(meets).map(String);
        const chosen = where({ n: condition });
        expect(valuesOf(frame.filter(chosen), "t")).toEqual(expected);
        expect(valuesOf(frame.lazy().filter(chosen).collectSync(), "t")).toEqual(expected);
      }),
      { seed: 53, numRuns: runs(24, 1000) },
    );
  });

  it("are compared with fractions and with numbers beyond 2^53", () => {
    const frame = integers([2n ** 53n, 2n ** 53n + 1n, -1n, 0n, 1n]);
    const found = (condition: Condition) => valuesOf(frame.filter(where({ n: condition })), "t");
    expect(found({ gt: 0.5 })).toEqual(["9007199254740992", "9007199254740993", "1"]);
    expect(found(0.5)).toEqual([]);
    expect(found(2 ** 53)).toEqual(["9007199254740992"]);
    expect(found({ lt: 1e300 })).toHaveLength(5);
  });
});

const UNITS = ["ms", "us", "ns"] as const;
const ZONES = [null, "UTC", "America/New_York"];

describe("a date", () => {
  const times = [
    "2022-08-15T23:59:59.999Z",
    "2022-08-16T00:00:00Z",
    "2022-08-16T23:59:59.999Z",
    "2022-08-17T00:00:00Z",
  ];
  const stamps = toDataFrame(times.map((time, row) => ({ row, begintime: new Date(time) }))).withColumns(
    pl.col("begintime").cast(pl.Datetime("us", "UTC")).alias("time"),
  );
  const columns = [
    ...UNITS.flatMap((unit) =>
      ZONES.map((zone) => [`${unit} in ${zone ?? "no zone"}`, pl.Datetime(unit, zone as string)] as const),
    ),
    ["Date", pl.Date] as const,
  ];

  it.each(columns.filter((_one, at) => FULL || at % 4 === 0 || at === 9))(
    "equals the timestamps on that day: %s",
    (_name, type) => {
      const typed = stamps.withColumns(pl.col("time").cast(type).alias("when"));
      const isDate = type === (pl.Date as unknown);
      const found = (condition: Condition, lazy = false) => {
        const chosen = where({ when: condition });
        return valuesOf(lazy ? typed.lazy().filter(chosen).collectSync() : typed.filter(chosen), "row");
      };
      for (const lazy of [false, true]) {
        expect(found("2022-08-16", lazy)).toEqual([1, 2]);
        expect(found(["2022-08-16", "2022-08-17"], lazy)).toEqual([1, 2, 3]);
        expect(found({ not: "2022-08-16" }, lazy)).toEqual([0, 3]);
        expect(found({ gt: "2022-08-16" }, lazy)).toEqual([3]);
        expect(found({ from: "2022-08-16", until: "2022-08-16" }, lazy)).toEqual([1, 2]);
        expect(found("2022-08", lazy)).toEqual([0, 1, 2, 3]);
        expect(found("0022-08", lazy)).toEqual([]);
        expect(found(new Date("2022-08-17"), lazy)).toEqual([3]);
        expect(found("2022-08-16T23:59:59.999Z", lazy)).toEqual(isDate ? [] : [2]);
      }
    },
  );

  it("equals the same text, and no number", () => {
    const frame = pl.DataFrame({ text: ["2022-08", "2022-08-16"], n: [2022, 1] });
    expect(valuesOf(frame.filter(where({ text: "2022-08" })), "n")).toEqual([2022]);
    expect(valuesOf(frame.filter(where({ text: ["2022-08-16", null] })), "n")).toEqual([1]);
    const years = pl.DataFrame({ year: ["2025", "2026", null] });
    expect(valuesOf(years.filter(where({ year: { not: "2026" } })), "year")).toEqual(["2025"]);
    expect(() => frame.filter(where({ n: { from: "1970" } }))).toThrow(/it holds (f64|i64), not times/);
    expect(() => frame.filter(where({ text: { until: "2023" } }))).toThrow("it holds str, not times");
  });
});

describe("conditions", () => {
  it("mean the same on either side of and, or and not, in frames, lazy frames and scans", async () => {
    const parts = () => [where({ begintime: "2024-03" }), pl.col("length").gt(30)] as const;
    const both = (flip: boolean) => {
      const [a, b] = parts();
      return flip ? b.and(a).or(b.not().and(a.not())) : a.and(b).or(a.not().and(b.not()));
    };
    const expected = valuesOf(frame.filter(both(false)), "id");
    expect(expected.length).toBeGreaterThan(0);
    expect(valuesOf(frame.filter(both(true)), "id")).toEqual(expected);
    expect(valuesOf(frame.lazy().filter(both(true)).collectSync(), "id")).toEqual(expected);
    const scan = archive.scan.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-06-30" });
    const late = pl
      .col("length")
      .gt(30)
      .and(where({ begintime: "2024-03" }));
    const scanned = await scan.filter(late).collect();
    expect(valuesOf(scanned, "id")).toEqual(valuesOf(frame.filter(late), "id"));
  });
});
