import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExact } from "../../src/frames/exactJson.js";
import { FrameBuilder } from "../../src/frames/frameBuilder.js";
import type { PolarsFrame } from "../../src/frames/polars.js";
import { toDataFrame } from "../../src/frames/toDataFrame.js";
import { operations } from "../../src/service/operations/operations.js";
import { rowShape } from "../../src/service/pages/rowShape.js";
import { scanPage } from "../../src/service/pages/scanPage.js";
import { bodyOf, frameOf, pagesOf, rowJson, splitRows } from "./pages.js";

/** Cases per law; more on demand: `FUZZ=20000 npm test -- test/frames`. */
const RUNS = Number(process.env.FUZZ ?? 300);

function expectEqual(actual: PolarsFrame, expected: PolarsFrame): void {
  expect(actual.columns).toEqual(expected.columns);
  expect(actual.dtypes.map(String)).toEqual(expected.dtypes.map(String));
  expect(actual.height).toBe(expected.height);
  if (!actual.frameEqual(expected, true)) expect(actual.toRecords()).toEqual(expected.toRecords());
}

describe("the laws of pages and frames", () => {
  it("any split into pages gives the frame of all rows at once", () => {
    fc.assert(
      fc.property(splitRows, ({ rows, cuts }) => expectEqual(frameOf(pagesOf(rows, cuts)), frameOf([bodyOf(rows)]))),
      { numRuns: RUNS },
    );
  });

  it("the bytes give the frame that JSON.parse gives", () => {
    fc.assert(
      fc.property(splitRows, ({ rows, cuts }) => {
        const parsed = parseExact(`[${rows.join(",")}]`);
        expectEqual(frameOf(pagesOf(rows, cuts)), toDataFrame(parsed, { operation: "mentions" }));
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
        expect(types(frameOf(pages.toReversed()))).toEqual(types(frameOf(pages)));
      }),
      { numRuns: RUNS / 3 },
    );
  });

  it("no value vanishes: every one that says something is in its cell", () => {
    fc.assert(
      fc.property(fc.array(rowJson, { maxLength: 8 }), (rows) => {
        const cells = frameOf([bodyOf(rows)]).toRecords() as Record<string, unknown>[];
        rows.forEach((json, at) => {
          for (const [name, value] of Object.entries(JSON.parse(json) as object)) {
            const silent = value === null || value === "" || (typeof value === "object" && !Array.isArray(value));
            if (silent || name.includes(".") || name.includes("\ud800")) continue;
            expect(Object.hasOwn(cells[at] as object, name) || name === "__proto__").toBe(true);
            if (name !== "__proto__") expect(cells[at]?.[name]).not.toBeNull();
          }
        });
      }),
      { numRuns: RUNS / 3 },
    );
  });
});

describe("the shape", () => {
  it("learns unknown members, so that later pages are plain", () => {
    const builder = new FrameBuilder(operations.mentions.columns);
    const bytes = Buffer.from(bodyOf([`{"id":"1","score":0.5,"seen":true,"note":"${"x".repeat(70_000)}"}`]));
    const first = scanPage(bytes, "mentions", builder.shape);
    expect(first.plain).toBe(false);
    builder.add({ bytes, ...first, spans: first.spans, plain: first.plain, broken: first.broken });
    expect(scanPage(bytes, "mentions", builder.shape).plain).toBe(true);
  });

  it("takes rows as they are where they fit, whatever the order of their members", () => {
    const shape = rowShape(Object.entries(operations.mentions.columns));
    const plain = (row: string) => scanPage(Buffer.from(bodyOf([row])), "mentions", shape).plain;
    expect(
      plain('{"length":5,"id":"1","begintime":"2024-02-29T23:59:59Z","text":"caf\\u00e9 \\ud83d\\ude00 \\"q\\""}'),
    ).toBe(true);
    expect(plain('{"begintime":"2023-02-29T00:00:00Z"}')).toBe(false);
    expect(plain('{"length":5.0}')).toBe(false);
    expect(plain('{"length":1234567890123456}')).toBe(false);
    expect(plain('{"id":"1","id":"2"}')).toBe(false);
    expect(plain('{"text":"\\ud83d"}')).toBe(false);
    expect(plain('{"unknown":1}')).toBe(false);
    expect(plain('{"text":{"a":1}}')).toBe(false);
  });
});

describe("columns of declared kinds", () => {
  const declared = Object.keys(operations.mentions.columns);
  const dtype = (frame: PolarsFrame, name: string) => String(frame.dtypes[frame.columns.indexOf(name)]);

  it("are there without any row, with the dtypes of a full result", () => {
    const empty = frameOf([]);
    const full = frameOf([bodyOf(['{"id":"1","begintime":"2024-01-01T00:00:00Z","length":3,"personid":4}'])]);
    expect(empty.columns).toEqual(declared);
    expect(empty.height).toBe(0);
    expect(empty.dtypes.map(String)).toEqual(full.dtypes.map(String));
    expect(dtype(empty, "begintime")).toBe("DataType(Datetime(us,UTC))");
    expect(dtype(empty, "personid")).toBe("DataType(Int64)");
    expect(dtype(empty, "id")).toBe("DataType(String)");
  });

  it("widen for a value that does not fit, also when it comes pages later", () => {
    const frame = frameOf([
      bodyOf(['{"personid":6153,"length":1}']),
      bodyOf(['{"personid":"senator-1","length":2.5}']),
    ]);
    expect(frame.getColumn("personid").toArray()).toEqual(["6153", "senator-1"]);
    expect(frame.getColumn("length").toArray()).toEqual([1, 2.5]);
    expect(dtype(frame, "length")).toBe("DataType(Float64)");
  });

  it("keep the text of moments that do not exist, and of all others beside them", () => {
    const frame = frameOf([
      bodyOf(['{"begintime":"2024-01-01T00:00:00Z"}']),
      bodyOf(['{"begintime":"2023-02-29T00:00:00Z"}']),
    ]);
    expect(frame.getColumn("begintime").toArray()).toEqual(["2024-01-01T00:00:00Z", "2023-02-29T00:00:00Z"]);
  });

  it("take moments with fractions, offsets and without a time", () => {
    const frame = frameOf([
      bodyOf(['{"begintime":"2024-01-01T01:00:00.5+01:00"}', '{"begintime":"2024-01-02"}', '{"begintime":""}']),
    ]);
    expect(dtype(frame, "begintime")).toBe("DataType(Datetime(us,UTC))");
    const moments = frame.getColumn("begintime").toArray() as unknown as Array<Date | null>;
    expect(moments.map((moment) => moment?.toISOString())).toEqual([
      "2024-01-01T00:00:00.500Z",
      "2024-01-02T00:00:00.000Z",
      undefined,
    ]);
  });

  it("hold whole numbers beyond 2^53 exactly", () => {
    const frame = frameOf([bodyOf(['{"personid":9007199254740993}'])]);
    expect(dtype(frame, "personid")).toBe("DataType(Int64)");
    expect(frame.getColumn("personid").cast(frame.getColumn("id").dtype).toArray()).toEqual(["9007199254740993"]);
  });
});

describe("further columns", () => {
  it("come from nested objects with dotted names, and from lists as lists", () => {
    const frame = frameOf([
      bodyOf(['{"by":{"name":"Ann","of":{"state":"CA"}}}']),
      bodyOf(['{"tags":["a","b"]}', '{"tags":[]}']),
    ]);
    expect(frame.columns.slice(-3)).toEqual(["by.name", "by.of.state", "tags"]);
    expect(frame.getColumn("tags").toArray()).toEqual([null, ["a", "b"], []]);
  });

  it("are joined whatever page they first appear on", () => {
    const late = frameOf([...Array(50).keys()].map((at) => bodyOf([at === 49 ? '{"late":7}' : '{"id":"x"}'])));
    expect(late.getColumn("late").sum()).toBe(7);
  });
});
