import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError, pl, toCsv, toDataFrame, toJsonl, toRecords, ValidationError } from "../../src/index.js";

describe("toRecords", () => {
  const cases: Array<[string, unknown, object[]]> = [
    ["a list is the rows", [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 2 }]],
    [
      "the first list of objects is the rows",
      { cursor: "x", tags: ["a"], bills: [{ a: 1 }], more: [{ b: 1 }] },
      [{ a: 1 }],
    ],
    ["a cursor alone is empty", { cursor: "VQAAeXUBKgA" }, []],
    ["in any spelling", { NextCursor: "x", next_cursor: "y", Continuation: "z" }, []],
    ["an empty list beside a cursor is empty", { bills: [], cursor: "x" }, []],
    [
      "otherwise the object is one row",
      { id: 683870, title: "House Session" },
      [{ id: 683870, title: "House Session" }],
    ],
    ["a cursor with a number is one row", { cursor: "x", count: 0 }, [{ cursor: "x", count: 0 }]],
    ["a count alone is a row", { count: 5 }, [{ count: 5 }]],
    ["an empty list among other members is one of them", { id: 1, tags: [] }, [{ id: 1, tags: [] }]],
    ["an object with a cursor and more is one row", { cursor: "x", id: 1 }, [{ cursor: "x", id: 1 }]],
    ["a list of scalars becomes value rows", ["a", 1, null], [{ value: "a" }, { value: 1 }, { value: null }]],
    ["nothing is no rows", undefined, []],
    ["an empty object is no rows", {}, []],
  ];
  it.each(cases)("%s", (_name, data, rows) => expect(toRecords(data)).toEqual(rows));

  it("takes frames of both engines", () => {
    const rows = [{ id: 1, name: "Ann" }];
    expect(toRecords(toDataFrame(rows))).toEqual(rows);
    expect(toRecords(toDataFrame(rows, { engine: "danfo" }))).toEqual(rows);
  });
});

describe("names that every object has", () => {
  it("are columns in the rows that have them, and in no other", () => {
    const rows = JSON.parse('[{"constructor":"c","__proto__":"p","toString":1,"then":2},{"then":3}]') as object[];
    expect(toCsv(rows)).toBe("constructor,__proto__,toString,then\r\nc,p,1,2\r\n,,,3\r\n");
    expect(toDataFrame(rows).getColumn("constructor").toArray()).toEqual(["c", null]);
  });
});

describe("values that JSON cannot write", () => {
  const circle: { self?: unknown } = {};
  circle.self = [circle];
  const deep = JSON.parse(`${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`) as object;
  const deepList = { list: JSON.parse(`${"[".repeat(9000)}${"]".repeat(9000)}`) as unknown };
  it.each([toDataFrame, toCsv, toJsonl])("are refused by %o", (make) => {
    for (const row of [circle, { deep }, deepList]) expect(() => make([row])).toThrow(ValidationError);
  });
});

it("a row may have thousands of columns, and is refused where polars would take seconds to make them", () => {
  const rowOf = (columns: number) => Object.fromEntries([...Array(columns).keys()].map((at) => [`c${at}`, at]));
  expect(toDataFrame([rowOf(9_900)]).width).toBe(9_900);
  expect(() => toDataFrame([rowOf(20_000)])).toThrow(expect.objectContaining({ code: "TOO_MANY_CELLS" }));
});

it("whole numbers beyond 2^53 of a frame stay exact", () => {
  const frame = toDataFrame([{ id: 9007199254740993n }, { id: null }]);
  expect(toRecords(frame)).toEqual([{ id: 9007199254740993n }, { id: null }]);
  expect(toCsv(frame)).toBe('id\r\n9007199254740993\r\n""\r\n');
  expect(toJsonl(frame)).toBe('{"id":9007199254740993}\n{"id":null}\n');
});

it("a member whose name is that of a nested one takes nothing from it", () => {
  const frame = toDataFrame([{ "a.b": 1, a: { b: 2 } }, { a: { b: 3 } }]);
  expect(frame.columns).toEqual(["a\\.b", "a.b"]);
  expect(frame.rows()).toEqual([
    [1, 2],
    [null, 3],
  ]);
});

describe("toCsv", () => {
  it("quotes what needs it, and writes nested values as JSON", () => {
    const rows = [
      { id: 1, text: 'say "hi", ok', nested: { a: [1] } },
      { id: 2, text: "two\nlines", late: true },
    ];
    expect(toCsv(rows)).toBe('id,text,nested,late\r\n1,"say ""hi"", ok","{""a"":[1]}",\r\n2,"two\nlines",,true\r\n');
  });

  it("refuses rows that would be nothing but commas", () => {
    const ragged = [...Array(3000).keys()].map((at) => ({ [`m${at}`]: at }));
    expect(() => toCsv(ragged)).toThrow(/^3,000 rows have 3,000 different members/);
    expect(toCsv(ragged.slice(0, 1000)).split("\r\n")).toHaveLength(1002);
  });

  it("keeps an empty text and a missing one apart", () => {
    expect(toCsv([{ a: "", b: null, c: 0, d: false }])).toBe('a,b,c,d\r\n"",,0,false\r\n');
  });

  it("keeps a row whose only field is missing, which would be a blank line", () => {
    expect(toCsv([{ a: "x" }, { a: null }])).toBe('a\r\nx\r\n""\r\n');
  });

  it("of nothing is empty, with columns a header", () => {
    expect(toCsv([])).toBe("");
    expect(toCsv({ cursor: "x" }, { columns: ["id"] })).toBe("id\r\n");
  });

  it("reads back equal in polars, whatever the text", () => {
    // A lone half of a surrogate pair is no text; polars takes a quoted header and field as they stand.
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
      { numRuns: 200 },
    );
  });
});

describe("toJsonl", () => {
  it("is a line per record, and reads back equal", () => {
    expect(toJsonl({ bills: [{ id: 1 }, { id: 2 }], cursor: "x" })).toBe('{"id":1}\n{"id":2}\n');
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }), (rows) => {
        const lines = toJsonl(rows).split("\n").slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(rows)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("toDataFrame", () => {
  it("gives typed columns, nested ones dotted, lists as lists", () => {
    const frame = toDataFrame([
      { id: 1, by: { name: "Ann" } },
      { id: 2, tags: ["a"], score: 0.5, ok: true },
    ]);
    expect(frame.columns).toEqual(["id", "by.name", "tags", "score", "ok"]);
    expect(frame.dtypes.map(String)).toEqual([
      "DataType(Int64)",
      "DataType(String)",
      "DataType(List(DataType(String)))",
      "DataType(Float64)",
      "DataType(Bool)",
    ]);
  });

  it("has the declared columns of an operation", () => {
    expect(toDataFrame({ cursor: "x" }, { operation: "bills" }).columns).toEqual([
      "id",
      "congress",
      "billnumber",
      "billtitle",
      "link",
    ]);
  });

  it("takes dates as moments, and invalid ones as no value", () => {
    const frame = toDataFrame([{ at: new Date("2024-01-01T00:00:00.5Z") }, { at: new Date(Number.NaN) }]);
    expect(String(frame.dtypes[0])).toBe("DataType(Datetime(us,UTC))");
    expect(frame.getColumn("at").nullCount()).toBe(1);
    expect(toCsv([{ at: new Date(Number.NaN), b: new Date("2024-01-01") }])).toBe("at,b\r\n,2024-01-01T00:00:00Z\r\n");
    expect(toDataFrame([{ at: new Date("+012024-01-01T00:00:00Z") }]).rows()).toEqual([["+012024-01-01T00:00:00Z"]]);
  });

  it("refuses what it does not know", () => {
    expect(() => toDataFrame([], { engine: "pandas" as never })).toThrow(ValidationError);
    expect(() => toDataFrame([], { operation: "bill" as never })).toThrow(/Did you mean "bills"\?/);
  });

  it("takes anything, or says why not", () => {
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
      { numRuns: 1000 },
    );
  });
});

describe("names that polars has a use for", () => {
  it("are given another one, and the frame stays one", () => {
    for (const name of [
      "height",
      "columns",
      "slice",
      "getColumn",
      "withColumns",
      "filter",
      "toRecords",
      "schema",
      "_df",
    ]) {
      const frame = toDataFrame([
        { id: 1, [name]: 5 },
        { id: 2, [name]: "x", late: [1] },
      ]);
      expect(frame.height).toBe(2);
      expect(frame.columns).toEqual(["id", `${name}_`, "late"]);
      expect(toRecords(frame)).toEqual([
        { id: 1, [`${name}_`]: "5", late: null },
        { id: 2, [`${name}_`]: "x", late: [1] },
      ]);
    }
  });

  it("are few", () => {
    for (const name of ["", "0", "length", "date", "constructor", "__proto__", "toString2", "count", "name"]) {
      expect(toDataFrame([JSON.parse(`{"${name}":1,"id":2}`)]).columns).toContain(name);
    }
  });
});
