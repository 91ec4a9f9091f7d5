import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { dtypeNamed, dtypeNames } from "../../src/frames/dtypes.js";
import { pl, readFrame, saveFrame, toRecords } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { runs } from "../scale.js";

const root = temporaryFolder();

/** Values of each dtype: of numbers and text as they are, of the others as integers that polars casts. */
const VALUES: Readonly<Record<string, fc.Arbitrary<number | bigint | string | boolean>>> = {
  Int8: fc.integer({ min: -128, max: 127 }),
  Int16: fc.integer({ min: -32_768, max: 32_767 }),
  Int32: fc.integer(),
  Int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  UInt8: fc.nat({ max: 255 }),
  UInt16: fc.nat({ max: 65_535 }),
  UInt32: fc.nat(),
  UInt64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  Float32: fc.float().map(Math.fround),
  Float64: fc.oneof(fc.double(), fc.integer()),
  Bool: fc.boolean(),
  String: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.constantFrom(...'¦1¦007¦true¦2024-01-01¦a,b¦a"b¦a;b¦a\nb¦a\r\nb¦a\0b¦ a ¦NaN¦null¦=1+1'.split("¦")),
  ),
  Categorical: fc.constantFrom("a", "b", "1"),
  Date: fc.integer({ min: -20_000, max: 60_000 }),
  Time: fc.nat({ max: 86_399_999 }).map((ms) => BigInt(ms) * 1_000_000n),
  "Datetime(ms,)": fc.integer({ min: -1_000_000, max: 4e12 }),
  "Datetime(us,)": fc.integer({ min: 0, max: 4e15 }),
  "Datetime(ns,)": fc.bigInt({ min: 0n, max: 4n * 10n ** 18n }),
  "Datetime(us,UTC)": fc.integer({ min: 0, max: 4e15 }),
  "Datetime(us,America/New_York)": fc.integer({ min: 0, max: 4e15 }),
  "List(Int64)": fc.array(fc.integer(), { maxLength: 3 }).map((list) => JSON.stringify(list)),
  "List(Float64)": fc.array(fc.constantFrom(1.5, 2, 0.1), { maxLength: 3 }).map((list) => JSON.stringify(list)),
  "List(String)": fc.array(fc.constantFrom("a", 'b"', "c,d"), { maxLength: 3 }).map((list) => JSON.stringify(list)),
};

const NAMES = ["id", "ID", "a b", "a,b", 'a"b', "a;b", "é", "x.y", "sum", "a'b", "*", "^a$", "c0"];

const column = (name: string, height: number) =>
  fc
    .constantFrom(...Object.keys(VALUES))
    .chain((dtype) =>
      fc
        .array(fc.option(VALUES[dtype] as fc.Arbitrary<unknown>, { freq: 4 }), { minLength: height, maxLength: height })
        .map((values) => seriesOf(name, dtype, values)),
    );

function seriesOf(name: string, dtype: string, values: readonly unknown[]): pl.Series {
  const text = pl.Series(
    name,
    values.map((value) => (value === null ? null : String(value))),
    pl.Utf8,
  );
  const type = dtypeNamed(dtype);
  if (type === undefined) throw new Error(dtype);
  if (dtype === "Bool") return pl.Series(name, values as boolean[], pl.Bool);
  if (dtype.startsWith("List")) {
    const frame = pl.DataFrame([text.rename("c")]).select(pl.col("c").str.jsonDecode(type));
    return frame.getColumn("c").rename(name);
  }
  const isCounted = /^(?:Date|Time|Datetime)/.test(dtype);
  const base = isCounted ? text.cast(dtype === "Date" ? pl.Int32 : pl.Int64, true) : text;
  return base.cast(type, true).rename(name);
}

const frame = fc
  .tuple(fc.shuffledSubarray(NAMES, { minLength: 2, maxLength: 6 }), fc.nat({ max: 5 }))
  .chain(([names, height]) =>
    fc.tuple(...names.map((name) => column(name, height))).map((columns) => pl.DataFrame(columns)),
  );

/** JSON has no NaN and no infinities. */
const text = (value: unknown, isJson = false) =>
  JSON.stringify(value, (_name, part) => {
    if (typeof part === "bigint") return `${part}n`;
    return typeof part === "number" && !Number.isFinite(part) && !isJson ? String(part) : part;
  });

const FORMATS = ["csv", "json", "jsonl", "parquet", "arrow"];

it.each([
  ...FORMATS.map((format) => ({ format, dataPackage: true })),
  // Without datapackage.json, the types of text are unknown.
  { format: "parquet", dataPackage: false },
])("a frame comes back from $format as it was, datapackage.json: $dataPackage", async ({ format, dataPackage }) => {
  const path = join(root, `frame-${dataPackage}.${format}`);
  await fc.assert(
    fc.asyncProperty(frame, async (saved) => {
      const again = await readFrame(await saveFrame(saved, path, { dataPackage }));
      expect(again.columns).toEqual(saved.columns);
      expect(dtypeNames(again)).toEqual(dtypeNames(saved));
      const isJson = format.startsWith("json");
      expect(text(toRecords(again), isJson)).toBe(text(toRecords(saved), isJson));
    }),
    { numRuns: runs(12, 1000) },
  );
});

it.each(["parquet", "arrow"])("durations come back from %s", async (format) => {
  const spans = ["ms", "us"].map((unit) =>
    pl
      .lit(1500)
      .cast(pl.Duration(unit as "ms"))
      .alias(unit),
  );
  const saved = pl.DataFrame({ id: [1] }).withColumns(...spans);
  const again = await readFrame(await saveFrame(saved, join(root, `spans.${format}`)));
  expect(dtypeNames(again)).toEqual(["Float64", "Duration(ms)", "Duration(us)"]);
  expect(toRecords(again)).toEqual(toRecords(saved));
});

it.each(FORMATS)("a column of lists, and of structs, comes back from %s", async (format) => {
  const path = join(root, `nested.${format}`);
  const list = pl.DataFrame({ l: [["a", null], [], null] });
  expect(toRecords(await readFrame(await saveFrame(list, path)))).toEqual(toRecords(list));
  const struct = pl.DataFrame({
    id: [1, 2],
    s: [
      { a: 1, b: "x" },
      { a: 2.5, b: null },
    ],
  });
  const [first] = toRecords(await readFrame(await saveFrame(struct, path)));
  expect(first).toEqual({ id: 1, s: '{"a":1.0,"b":"x"}' });
});

/** Dtypes that the text of a value implies. */
const IMPLIED = ["Int64", "Float64", "Bool", "Date", "Datetime(us,UTC)"];

it.each(["csv", "json", "jsonl"])("types of text come back from %s without datapackage.json", async (format) => {
  const path = join(root, `typed.${format}`);
  const typed = fc
    .nat({ max: 5 })
    .chain((height) =>
      fc.tuple(
        ...IMPLIED.map((dtype) =>
          fc
            .array(VALUES[dtype] as fc.Arbitrary<unknown>, { minLength: height + 1, maxLength: height + 1 })
            .map((values) => seriesOf(dtype.replace(/\W/g, ""), dtype, values)),
        ),
      ),
    );
  await fc.assert(
    fc.asyncProperty(typed, async (columns) => {
      const saved = pl.DataFrame(columns);
      await saveFrame(saved, path, { dataPackage: false });
      const again = await readFrame(path);
      expect(dtypeNames(again)).toEqual(IMPLIED);
      expect(text(toRecords(again), format !== "csv")).toBe(text(toRecords(saved), format !== "csv"));
    }),
    { numRuns: runs(10, 1000) },
  );
});

it("files under one name always give their present rows", async () => {
  for (let number = 0; number < runs(90, 500); number++) {
    const path = join(root, `again.${["parquet", "csv", "jsonl"][number % 3]}`);
    const rows = Array.from({ length: 1 + (number % 7) }, (_, at) => ({ n: number, at }));
    expect(toRecords(await readFrame(await saveFrame(pl.DataFrame(rows), path, { dataPackage: false })))).toEqual(rows);
  }
});
