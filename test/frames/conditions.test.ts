import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { provenanceOf, setProvenance } from "../../src/frames/provenanceOf.js";
import {
  type Condition,
  type Conditions,
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
const mentions = await archive.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-06-30", maxItems: 200 });

/** A frame whose verbs are ours. */
const ours = (frame: pl.DataFrame) => setProvenance(frame, provenanceOf(mentions));

const around = (at: bigint) => fc.bigInt({ min: at - 3n, max: at + 3n });
const EDGES = [0n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n];
const values = fc.oneof(...EDGES.map(around));
const [MIN, MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
const fits = { Int64: (n: bigint) => n >= MIN && n <= MAX, UInt64: (n: bigint) => n >= 0n && n < 2n ** 64n } as const;

/** A frame of the package, whose verbs know conditions; `n` has integers that JavaScript numbers cannot hold. */
function integers(all: readonly bigint[], type: "Int64" | "UInt64") {
  return ours(toDataFrame(all.map((n) => ({ n: String(n) })))).withColumns(
    pl.col("n").cast(pl[type]).alias("n"),
    pl.col("n").alias("t"),
  );
}

const MEETS = {
  gt: (a: bigint, b: bigint) => a > b,
  gtEq: (a: bigint, b: bigint) => a >= b,
  lt: (a: bigint, b: bigint) => a < b,
  ltEq: (a: bigint, b: bigint) => a <= b,
  not: (a: bigint, b: bigint) => a !== b,
};

describe("integers", () => {
  it.each(["Int64", "UInt64"] as const)("of %s are compared exactly, in frames and lazy frames", (type) => {
    const limits = fc.record({ gt: values, gtEq: values, lt: values, ltEq: values, not: values }, { requiredKeys: [] });
    const conditions = fc.oneof(values, fc.array(values, { minLength: 1, maxLength: 20 }), limits);
    fc.assert(
      fc.property(fc.array(values, { minLength: 5, maxLength: 30 }), conditions, (all, condition) => {
        const own = all.filter(fits[type]);
        fc.pre(own.length > 0 && (typeof condition !== "object" || Object.keys(condition).length > 0));
        const meets = (n: bigint) => {
          if (typeof condition === "bigint") return n === condition;
          if (Array.isArray(condition)) return condition.includes(n);
          return Object.entries(condition).every(([name, limit]) => MEETS[name as "gt"](n, limit));
        };
        const frame = integers(own, type);
        const expected = own.filter(meets).map(String);
        const chosen = where({ n: condition });
        expect(valuesOf(frame.filter(chosen), "t")).toEqual(expected);
        expect(valuesOf(frame.lazy().filter(chosen).collectSync(), "t")).toEqual(expected);
      }),
      { seed: 53, numRuns: runs(24, 1000) },
    );
  });

  it("are compared with fractions and with numbers beyond 2^53", () => {
    const frame = integers([2n ** 53n, 2n ** 53n + 1n, -1n, 0n, 1n], "Int64");
    const found = (condition: Condition) => valuesOf(frame.filter(where({ n: condition })), "t");
    expect(found({ gt: 0.5 })).toEqual(["9007199254740992", "9007199254740993", "1"]);
    expect(found(0.5)).toEqual([]);
    expect(found(2 ** 53)).toEqual(["9007199254740992"]);
    expect(found({ lt: 1e300 })).toHaveLength(5);
    expect(found({ gt: 1e300 })).toEqual([]);
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
  const frame = ours(toDataFrame(times.map((time, row) => ({ row, begintime: new Date(time) })))).withColumns(
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
      const typed = frame.withColumns(pl.col("time").cast(type).alias("when"));
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
        expect(found(new Date("2022-08-17"), lazy)).toEqual([3]);
        expect(found("2022-08-16T23:59:59.999Z", lazy)).toEqual(isDate ? [] : [2]);
      }
    },
  );

  it("means the same for renamed columns, periods, and joined ones", () => {
    const day = valuesOf(mentions, "begintime")[0]?.toISOString().slice(0, 10) as string;
    const expected = valuesOf(mentions.filter(where({ begintime: day })), "id");
    expect(expected.length).toBeGreaterThan(0);
    const renamed = mentions.rename({ begintime: "program_date" });
    expect(valuesOf(renamed.filter(where({ program_date: day })), "id")).toEqual(expected);
    const periods = mentions.withColumns(perPeriod("begintime", "day"));
    expect(valuesOf(periods.filter(where({ day })), "id")).toEqual(expected);
    expect(valuesOf(periods.filter(where({ day: { gtEq: day, ltEq: day } })), "id")).toEqual(expected);
  });

  it("means the same on a scan, also after a rename", async () => {
    const scan = archive.scan.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-06-30" });
    const expected = valuesOf(mentions.filter(where({ begintime: "2024-03" })), "id");
    const found = await scan
      .rename({ begintime: "time" })
      .filter(where({ time: "2024-03" }))
      .collect();
    const plain = await scan.filter(where({ begintime: "2024-03" })).collect();
    expect(valuesOf(found, "id")).toEqual(valuesOf(plain, "id"));
    expect(valuesOf(plain, "id")).toEqual(expect.arrayContaining(expected));
  });
});

describe("a value of another type", () => {
  const long = pl.col("length").gt(60).alias("long");
  const wrong: ReadonlyArray<readonly [Conditions, RegExp]> = [
    [
      { id: 4032536 },
      /invalid id: 4032536\. The column holds text \(String\), and this is a number: type id: "4032536"/,
    ],
    [{ id: [4032536] }, /text \(String\), and this is a number/],
    [{ id: { not: 4032536n } }, /text \(String\), and this is an integer \(bigint\)/],
    [{ length: "60" }, /integers \(Int\), and this is text \(String\)/],
    [{ length: { gt: "60" } }, /integers \(Int\), and this is text \(String\)/],
    [{ length: /6/ }, /integers \(Int\), and this is a regular expression/],
    [{ length: true }, /integers \(Int\), and this is true or false/],
    [{ length: new Date(0) }, /integers \(Int\), and this is a time/],
    [{ long: 1 }, /true or false \(Bool\), and this is a number/],
    [{ text: { from: "2024" } }, /text \(String\), and this is a time/],
    [{ begintime: 20240101 }, /times \(Datetime\), and this is a number/],
  ];

  it.each(wrong)("is refused: %o", async (conditions, message) => {
    const frame = mentions.withColumns(long);
    expect(() => frame.filter(where(conditions))).toThrow(message);
    expect(() => frame.lazy().filter(where(conditions))).toThrow(message);
    expect(() => frame.filter(where(conditions).and(pl.col("id").isNotNull()))).toThrow(message);
    const scan = archive.scan.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-06-30" });
    const scanned = async () => await scan.withColumns(long).filter(where(conditions)).head(1).collect();
    await expect(scanned()).rejects.toThrow(message);
  });

  it("is no matter for null, and for a column of nothing", () => {
    expect(
      mentions.filter(where({ length: null })).height + mentions.filter(where({ length: { not: null } })).height,
    ).toBe(mentions.height);
    const nothing = mentions.withColumns(pl.lit(null).alias("nothing"));
    expect(nothing.filter(where({ nothing: "x" })).height).toBe(0);
    expect(nothing.filter(where({ nothing: { not: 3 } })).height).toBe(0);
    expect(nothing.filter(where({ nothing: null })).height).toBe(nothing.height);
  });
});
