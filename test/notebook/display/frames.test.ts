import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pl, toDataFrame } from "../../../src/index.js";
import type { DisplayOptions } from "../../../src/notebook.js";
import { displayBundle } from "../bundles.js";
import { frameParts, htmlOf } from "./frameParts.js";
import { provenance, setProvenance } from "./provenance.js";

const texts = (value: unknown, options?: DisplayOptions) =>
  frameParts(value, options).rows.map((row) => row.map(({ text }) => text));
const plain = (value: unknown, options?: DisplayOptions) => String(displayBundle(value, options)?.["text/plain"]);

const numbers = (length: number) => toDataFrame(Array.from({ length }, (_, n) => ({ n })));

describe("a frame is shown", () => {
  it("with its shape, the names and dtypes of its columns, and its values", () => {
    const frame = toDataFrame(
      [
        { id: "m1", begintime: "2024-04-27T02:35:35Z", personid: 6153, share: 0.5, live: true, tags: ["a", "b"] },
        { id: "m2", begintime: "2024-04-27T02:35:35.250Z", personid: null, share: 2, live: null, tags: null },
      ],
      { operation: "mentions" },
    ).select("id", "begintime", "personid", "share", "live", "tags");
    const { shape, names, dtypes, rows, note } = frameParts(frame);
    expect(shape).toBe("2 rows × 6 columns");
    expect(names).toEqual(["id", "begintime", "personid", "share", "live", "tags"]);
    expect(dtypes).toEqual(["str", "datetime[UTC]", "i64", "f64", "bool", "list[str]"]);
    expect(rows.map((row) => row.map(({ text }) => text))).toEqual([
      ["m1", "2024-04-27 02:35:35", "6153", "0.5", "true", '["a","b"]'],
      ["m2", "2024-04-27 02:35:35.250", "null", "2.0", "null", "null"],
    ]);
    expect(rows[1]?.map(({ isNull }) => isNull)).toEqual([false, false, true, false, true, true]);
    expect(rows[0]?.map(({ numeric }) => numeric)).toEqual([false, false, true, true, false, false]);
    expect(note).toBeUndefined();
  });

  it("with polars dtypes that the service does not use, durations as days and time", () => {
    const at = pl.Series("t", ["2024-04-27T02:35:35Z"]).str.strptime(pl.Datetime("ms"), "%+").cast(pl.Datetime("ms"));
    const frame = pl.DataFrame([
      at.cast(pl.Datetime("us", "Europe/Berlin")).rename("zone"),
      at.cast(pl.Date).rename("day"),
      pl.Series("long", ["9007199254740993"]).cast(pl.Int64).rename("long"),
      pl.Series("cat", ["a"]).cast(pl.Categorical).rename("cat"),
      pl.Series("d", [0.1]).cast(pl.Decimal(10, 2)).rename("d"),
      pl.Series("took", [-93_784_500], pl.Int64).cast(pl.Duration("ms")).rename("took"),
    ]);
    expect(frameParts(frame).dtypes).toEqual(["datetime[Europe/Berlin]", "date", "i64", "cat", "decimal", "duration"]);
    expect(texts(frame)).toEqual([
      ["2024-04-27 04:35:35", "2024-04-27", "9007199254740993", "a", "0.10", "-1 d 02:03:04.500"],
    ]);
  });

  it("with the floats of a column alike, and in full in the tooltip", () => {
    const cells = (x: Array<number | null>) =>
      frameParts(pl.DataFrame([pl.Series("x", x, pl.Float64)])).rows.map(([cell]) => cell);
    const shown = (x: Array<number | null>) => cells(x).map((cell) => cell?.text);
    expect(shown([237.4, 14, 600])).toEqual(["237.4", "14.0", "600.0"]);
    expect(shown([1 / 3, 2, -0.1, 0])).toEqual(["0.33", "2.00", "-0.10", "0.00"]);
    expect(cells([1 / 3, 2]).map((cell) => cell?.title)).toEqual(["0.3333333333333333", undefined]);
    expect(shown([35480, 0, null])).toEqual(["35480", "0", "null"]);
    expect(shown([1e20, 1.5e-7, Number.NaN, Number.POSITIVE_INFINITY])).toEqual(["1e+20", "1.5e-7", "NaN", "inf"]);
    // Whatever the column, a cell is the number to three digits, and not zero for another one.
    const floats = fc.array(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), { minLength: 1, maxLength: 20 });
    const property = fc.property(floats, (x) => {
      const largest = Math.max(...x.map(Math.abs).filter((size) => size < 1e15));
      cells(x).forEach((cell, at) => {
        const value = (x[at] as number) + 0;
        const [text, full] = [Number(cell?.text), Number(cell?.title ?? cell?.text)];
        expect(full + 0).toBe(value);
        expect(text === 0).toBe(value === 0);
        expect(Math.abs(text - value)).toBeLessThanOrEqual(0.006 * Math.max(Math.abs(value), largest));
      });
    });
    fc.assert(property);
  });

  it("with long texts truncated, and up to 2,000 characters in the tooltip", () => {
    const long = "word ".repeat(1000);
    const [cell] = frameParts(toDataFrame([{ text: long }])).rows[0] ?? [];
    expect(cell?.text).toBe(`${long.slice(0, 50)}…`);
    expect(cell?.title).toBe(`${long.slice(0, 2000)}…`);
    const [short] = frameParts(toDataFrame([{ text: "x".repeat(50) }])).rows[0] ?? [];
    expect(short).toMatchObject({ text: "x".repeat(50), title: undefined });
  });

  it("completely up to 20 rows, otherwise its first and last five", () => {
    expect(texts(numbers(20)).flat()).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
    expect(frameParts(numbers(1234)).shape).toBe("1,234 rows × 1 column");
    expect(texts(numbers(1234)).flat()).toEqual("0 1 2 3 4 … 1229 1230 1231 1232 1233".split(" "));
    expect(plain(numbers(21)).split("\n")).toHaveLength(3 + 11);
  });

  it("with at most 20 columns, from both ends", () => {
    const frame = pl.DataFrame(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`c${n}`, [n]])));
    const { shape, names } = frameParts(frame);
    expect([shape, ...names.slice(8, 13)]).toEqual(["1 row × 300 columns", "c8", "c9", "…", "c290", "c291"]);
  });

  it("as text without the columns that do not fit into a line, in the order of the frame", () => {
    // Names that a frame has, too.
    const names = "id link columns height getColumn head tail inner toString _df dtypes column10 column11".split(" ");
    const frame = pl.DataFrame(Object.fromEntries(names.map((name) => [name, ["x".repeat(14)]])));
    const lines = plain(frame).split("\n");
    expect(lines[1]?.trim().split(/\s+/)).toEqual("id link columns … dtypes column10 column11".split(" "));
    expect(lines.every((line) => line.length <= 100)).toBe(true);
    expect(plain(frame, { columns: names }).split("\n")[1]?.trim().split(/\s+/)).toEqual(names);
  });

  it("without rows, and without columns", () => {
    const { shape, rows } = frameParts(toDataFrame([], { operation: "bills" }));
    expect([shape, rows]).toEqual(["0 rows × 5 columns", []]);
    expect(frameParts(pl.DataFrame({}))).toMatchObject({ shape: "0 rows × 0 columns", names: [], rows: [] });
    expect(plain(pl.DataFrame({}))).toBe("0 rows × 0 columns");
  });

  it("in less than 1 MB, with fewer rows if need be", () => {
    const value = `<&"'漢`.repeat(200);
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`c${n}${value}`, new Array(40).fill(value)]));
    const bytes = (options?: DisplayOptions) => Buffer.byteLength(htmlOf(pl.DataFrame(wide), options));
    expect(bytes()).toBeLessThan(200_000);
    const large = bytes({ rows: 40, columns: 40, width: 1000 });
    expect([large < 1_000_000, large > 100_000]).toEqual([true, true]);
  });
});

it("display options apply to one display", () => {
  expect(texts(numbers(12), { rows: 3 }).flat()).toEqual(["0", "1", "…", "11"]);
  expect(texts(numbers(12), { rows: 0 }).flat()).toEqual(["…"]);
  expect(texts(numbers(300), { rows: 300 })).toHaveLength(300);
  expect(texts(toDataFrame([{ a: "abcdef", b: 1, c: 2 }]), { width: 3, columns: 2 })).toEqual([["abc…", "…", "2"]]);
});

it("the provenance of a frame is shown below it, with the rows shown and what they come from", () => {
  const frame = setProvenance(numbers(40), provenance({ verdict: "capped", reason: "maxItems", duplicates: 1 }));
  const { note } = frameParts(frame);
  expect(note).toBe(
    "mentions · 500 rows in 5 pages, 6 requests, 1 duplicate dropped · capped by maxItems · 2026-11-21 06:12 UTC · archive.example",
  );
  expect(plain(frame).endsWith(`\n${note}`)).toBe(true);
  expect(frameParts(frame.head(3)).note).toMatch(
    /^mentions &quot;climate&quot; · 3 rows from 500, capped by maxItems · /,
  );
  const url = "https://me:secret@archive.example/api";
  expect(frameParts(setProvenance(numbers(1), provenance({ baseUrl: url, source: url }))).note).not.toContain("secret");
});
