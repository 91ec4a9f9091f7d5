import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError, pl, toCsv, toDataFrame, toJsonl, toRecords, ValidationError } from "../../src/index.js";
import { runs } from "../scale.js";

describe("toRecords", () => {
  const cases: Array<[string, unknown, object[]]> = [
    ["the items of a list are the rows", [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 2 }]],
    [
      "the items of the first list of objects are the rows",
      { cursor: "x", tags: ["a"], bills: [{ a: 1 }], more: [{ b: 1 }] },
      [{ a: 1 }],
    ],
    ["a cursor alone has no rows", { cursor: "VQAAeXUBKgA" }, []],
    ["cursors in any spelling have no rows", { NextCursor: "x", next_cursor: "y", Continuation: "z" }, []],
    ["an empty list and a cursor have no rows", { bills: [], cursor: "x" }, []],
    ["any other object is one row", { id: 683870, title: "House Session" }, [{ id: 683870, title: "House Session" }]],
    ["an object with a cursor and a number is one row", { cursor: "x", count: 0 }, [{ cursor: "x", count: 0 }]],
    ["a count alone is one row", { count: 5 }, [{ count: 5 }]],
    ["an object with an empty list and other members is one row", { id: 1, tags: [] }, [{ id: 1, tags: [] }]],
    ["an object with a cursor and other members is one row", { cursor: "x", id: 1 }, [{ cursor: "x", id: 1 }]],
    ["scalars in a list become { value } rows", ["a", 1, null], [{ value: "a" }, { value: 1 }, { value: null }]],
    ["undefined has no rows", undefined, []],
    ["an empty object has no rows", {}, []],
  ];
  it.each(cases)("%s", (_name, data, rows) => expect(toRecords(data)).toEqual(rows));
});

describe("values that JSON cannot write", () => {
  const circle: { self?: unknown } = {};
  circle.self = [circle];
  const deep = JSON.parse(`${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`) as object;
  const deepList = { list: JSON.parse(`${"[".repeat(9000)}${"]".repeat(9000)}`) as unknown };
  it.each([toDataFrame, toCsv, toJsonl])("are rejected by %o", (make) => {
    for (const row of [circle, { deep }, deepList]) expect(() => make([row])).toThrow(ValidationError);
  });
});

it("keeps integers beyond 2^53 exact", () => {
  const frame = toDataFrame([{ id: 9007199254740993n }, { id: null }]);
  expect(toRecords(frame)).toEqual([{ id: 9007199254740993n }, { id: null }]);
  expect(toCsv(frame)).toBe('id\r\n9007199254740993\r\n""\r\n');
  expect(toJsonl(frame)).toBe('{"id":9007199254740993}\n{"id":null}\n');
});

describe("toCsv", () => {
  it("is empty without rows, or only a header if columns are given", () => {
    expect(toCsv([])).toBe("");
    expect(toCsv({ cursor: "x" }, { columns: ["id"] })).toBe("id\r\n");
  });

  it("round-trips any text through polars", () => {
    // Lone surrogates are excluded, because UTF-8 cannot encode them.
    const word = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(
        fc.array(fc.record({ a: fc.string({ unit: "grapheme" }), b: word }), { minLength: 1, maxLength: 5 }),
        (rows) => {
          const read = pl.readCSV(Buffer.from(toCsv(rows)), {
            inferSchemaLength: 0,
            missingUtf8IsEmptyString: false,
          } as object);
          expect(read.toRecords()).toEqual(rows);
        },
      ),
      { numRuns: runs(200, 200) },
    );
  });
});

describe("toJsonl", () => {
  it("writes one line per record and round-trips any values", () => {
    expect(toJsonl({ bills: [{ id: 1 }, { id: 2 }], cursor: "x" })).toBe('{"id":1}\n{"id":2}\n');
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }), (rows) => {
        const lines = toJsonl(rows).split("\n").slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(rows)));
      }),
      { numRuns: runs(200, 200) },
    );
  });
});

describe("toDataFrame", () => {
  it("creates typed columns, lists, and JSON text of nested objects", () => {
    const frame = toDataFrame([
      { id: 1, by: { name: "Ann" } },
      { id: 2, tags: ["a"], score: 0.5, ok: true },
    ]);
    expect(frame.columns).toEqual(["id", "by", "tags", "score", "ok"]);
    expect(frame.getColumn("by").get(0)).toBe('{"name":"Ann"}');
    expect(frame.dtypes.map(String)).toEqual([
      "DataType(Int64)",
      "DataType(String)",
      "DataType(List(DataType(String)))",
      "DataType(Float64)",
      "DataType(Bool)",
    ]);
  });

  it("includes the declared columns of an operation", () => {
    const { columns } = toDataFrame({ cursor: "x" }, { operation: "bills" });
    expect(columns).toEqual(["id", "congress", "billnumber", "billtitle", "link"]);
  });

  it("converts dates to timestamps and invalid dates to null", () => {
    const frame = toDataFrame([{ at: new Date("2024-01-01T00:00:00.5Z") }, { at: new Date(Number.NaN) }]);
    expect(String(frame.dtypes[0])).toBe("DataType(Datetime(us,UTC))");
    expect(frame.getColumn("at").nullCount()).toBe(1);
    expect(toCsv([{ at: new Date(Number.NaN), b: new Date("2024-01-01") }])).toBe("at,b\r\n,2024-01-01T00:00:00Z\r\n");
    expect(toDataFrame([{ at: new Date("+012024-01-01T00:00:00Z") }]).rows()).toEqual([["+012024-01-01T00:00:00Z"]]);
  });

  it("rejects unknown engines and operations", () => {
    expect(() => toDataFrame([], { engine: "pandas" as never })).toThrow(ValidationError);
    expect(() => toDataFrame([], { operation: "bill" as never })).toThrow(/Did you mean "bills"\?/);
  });

  it("accepts any value or throws an ArchiveError", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (data) => {
        try {
          toCsv(data);
          toJsonl(data);
          const frame = toDataFrame(data);
          if (frame.width > 0) expect(frame.height).toBe(toRecords(data).length);
        } catch (error) {
          expect(error).toBeInstanceOf(ArchiveError);
        }
      }),
      { numRuns: runs(1000, 1000) },
    );
  });
});
