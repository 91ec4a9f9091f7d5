import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PolarsFrame, pl, toDataFrame } from "../../src/index.js";
import { runs } from "../scale.js";
import { operations } from "../service/operations.js";
import { expectedColumns, parseExact } from "./expectedColumns.js";
import { expectSameFrame } from "./expectSameFrame.js";
import { frameOf, mentionsBuilder, pagesOf, rowJson, scanRows, splitRows, UnusablePageError } from "./pages.js";

/** Cases per invariant. For more: `FUZZ=20000 npm test -- test/frames`. */
const RUNS = runs(36, 480);

describe("invariants of pages and frames", () => {
  it("the frame does not depend on how the rows are split into pages", () => {
    fc.assert(
      fc.property(splitRows, ({ rows, cuts }) => expectSameFrame(frameOf(...pagesOf(rows, cuts)), frameOf(rows))),
      { numRuns: RUNS },
    );
  });

  it("parsing bytes gives the same frame as JSON.parse", () => {
    fc.assert(
      fc.property(splitRows, ({ rows, cuts }) => {
        const parsed = parseExact(`[${rows.join(",")}]`);
        expectSameFrame(frameOf(...pagesOf(rows, cuts)), toDataFrame(parsed, { operation: "mentions" }));
      }),
      { numRuns: RUNS },
    );
  });

  it("columns and dtypes do not depend on the order of the pages", () => {
    fc.assert(
      fc.property(splitRows, ({ rows, cuts }) => {
        const pages = pagesOf(rows, cuts);
        const types = (frame: PolarsFrame) =>
          Object.fromEntries(frame.columns.map((name, at) => [name, String(frame.dtypes[at])]));
        expect(types(frameOf(...pages.toReversed()))).toEqual(types(frameOf(...pages)));
      }),
      { numRuns: runs(12, 160) },
    );
  });

  it("no value is lost: every non-empty value is in its cell", () => {
    fc.assert(
      fc.property(fc.array(rowJson, { maxLength: 8 }), (rows) => {
        const cells = frameOf(rows).toRecords() as Record<string, unknown>[];
        rows.forEach((json, at) => {
          for (const [name, value] of Object.entries(JSON.parse(json) as object)) {
            if (value === null || value === "") continue;
            const [column = ""] = expectedColumns({ [name]: value }).keys();
            expect(Object.hasOwn(cells[at] as object, column) || column === "__proto__").toBe(true);
            if (column !== "__proto__") expect(cells[at]?.[column]).not.toBeNull();
          }
        });
      }),
      { numRuns: runs(12, 160) },
    );
  });
});

describe("large pages", () => {
  const page = (from: number, odd?: string) =>
    [...Array(1000).keys()].map((at) =>
      at === 500 && odd !== undefined
        ? odd
        : `{"id":"${from + at}","text":"${"word ".repeat(60)}${from + at}","length":${at},"begintime":"2024-01-01T00:00:${String(at % 60).padStart(2, "0")}Z"}`,
    );
  const expected = (pages: readonly string[][]) =>
    toDataFrame(
      pages.flat().map((row) => JSON.parse(row) as object),
      { operation: "mentions" },
    );

  it("give the same frame in whatever order they are scanned and added", () => {
    const pages = [page(0), page(1000), page(2000)];
    const builders = [mentionsBuilder(), mentionsBuilder()];
    for (const rows of pages) {
      // Two searches at once: each page is scanned before that of the other is added.
      const scans = builders.map(({ schema }) => scanRows(rows, schema));
      for (const [at, scan] of scans.entries()) builders[at]?.add(scan);
    }
    for (const builder of builders) expectSameFrame(builder.take(), expected(pages));
    expectSameFrame(frameOf(...pages), expected(pages));
  });
});

describe("rows with very many members", () => {
  const wide = (members: number, value: (at: number) => unknown = (at) => at) =>
    JSON.stringify(Object.fromEntries([...Array(members).keys()].map((at) => [`m${at}`, value(at)])));

  it("are read from several pages", () => {
    const frame = frameOf(...Array(3).fill([wide(1800), wide(1800)]));
    expect(frame.shape).toEqual({ height: 6, width: 1800 + Object.keys(operations.mentions.columns).length });
    expect(frame.getColumn("m1799").toArray()).toEqual(Array(6).fill(1799));
  });

  it("are refused above 2,000, and the pages before stay", () => {
    const ragged = (rows: number) => [...Array(rows).keys()].map((at) => `{"m${at}":1}`);
    expect(frameOf(ragged(2000)).height).toBe(2000);
    expect(() => frameOf(ragged(2001))).toThrow(UnusablePageError);
    const error = /^The rows have more than 2,000 undeclared members/;
    expect(() => toDataFrame(ragged(2001).map((row) => JSON.parse(row) as object))).toThrow(error);
    const builder = mentionsBuilder();
    const add = (rows: readonly string[]) => builder.add(scanRows(rows, builder.schema));
    add(["{}"]);
    expect(() => add([wide(2001)])).toThrow(UnusablePageError);
    expect(builder.take().height).toBe(1);
  });
});

describe("declared columns", () => {
  const declared = Object.keys(operations.mentions.columns);
  const dtype = (frame: PolarsFrame, name: string) => String(frame.dtypes[frame.columns.indexOf(name)]);

  it("exist without any rows, with the dtypes of a full result", () => {
    const empty = frameOf();
    const full = frameOf(['{"id":"1","begintime":"2024-01-01T00:00:00Z","length":3,"personid":4}']);
    expect(empty.columns).toEqual(declared);
    expect(empty.height).toBe(0);
    expect(empty.dtypes.map(String)).toEqual(full.dtypes.map(String));
    expect(dtype(empty, "begintime")).toBe("DataType(Datetime(us,UTC))");
    expect(dtype(empty, "personid")).toBe("DataType(Int64)");
    expect(dtype(empty, "id")).toBe("DataType(String)");
  });

  it("accept timestamps with fractions, with offsets and without a time", () => {
    const frame = frameOf([
      '{"begintime":"2024-01-01T01:00:00.5+01:00"}',
      '{"begintime":"2024-01-02"}',
      '{"begintime":""}',
    ]);
    expect(dtype(frame, "begintime")).toBe("DataType(Datetime(us,UTC))");
    const timestamps = frame.getColumn("begintime").toArray() as unknown as Array<Date | null>;
    expect(timestamps.map((timestamp) => timestamp?.toISOString())).toEqual([
      "2024-01-01T00:00:00.500Z",
      "2024-01-02T00:00:00.000Z",
      undefined,
    ]);
  });

  it("become text if a timestamp is finer than a microsecond, unless the extra digits are zeros", () => {
    const frameWith = (text: string) => frameOf([`{"begintime":"${text}"}`, '{"begintime":"2024-01-01T00:00:00Z"}']);
    const fine = frameWith("2024-01-01T00:00:00.1234567Z");
    expect(fine.getColumn("begintime").toArray()).toEqual(["2024-01-01T00:00:00.1234567Z", "2024-01-01T00:00:00Z"]);
    expect(dtype(fine, "begintime")).toBe("DataType(String)");
    for (const zeros of ["", "0", "000", "000000000000"]) {
      const exact = frameWith(`2024-01-01T00:00:00.123456${zeros}Z`);
      expect(dtype(exact, "begintime")).toBe("DataType(Datetime(us,UTC))");
      expect(exact.getColumn("begintime").cast(pl.Int64).toArray()[0]).toBe(1_704_067_200_123_456);
    }
    for (const invalid of [
      "2024-01-01T00:00:000Z",
      "2024-01-01T00:000Z",
      "2024-01-01T00:00:00.Z",
      "2024-01-01T00:00:00.12300000x",
    ]) {
      expect(frameWith(invalid).getColumn("begintime").get(0)).toBe(invalid);
    }
  });
});
