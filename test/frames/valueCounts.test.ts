import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { methodsOf, openArchive, pl, provenanceOf, toRecords, valueCounts } from "../../src/index.js";

const frame = pl.DataFrame({
  party: ["D", "R", null, "D", "I", "R"],
  year: [2023, 2023, 2024, 2024, 2024, 2023],
});

describe("valueCounts", () => {
  it("counts rows by value, the most frequent first, equal counts by value, nulls included", () => {
    expect(toRecords(valueCounts(frame, "party"))).toEqual([
      { party: "D", count: 2, share: 1 / 3 },
      { party: "R", count: 2, share: 1 / 3 },
      { party: null, count: 1, share: 1 / 6 },
      { party: "I", count: 1, share: 1 / 6 },
    ]);
    expect(valueCounts(frame, "party").dtypes.map(String)).toEqual([
      "DataType(String)",
      "DataType(Int64)",
      "DataType(Float64)",
    ]);
    expect(valueCounts(frame.head(0), ["party", "year"]).columns).toEqual(["party", "year", "count", "share"]);
  });

  it("counts combinations as a plain loop does", () => {
    const row = fc.record({ a: fc.constantFrom("x", "y", null), b: fc.constantFrom(1, 2, null) });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), (rows) => {
        const counts = new Map<string, number>();
        for (const { a, b } of rows) counts.set(JSON.stringify([a, b]), (counts.get(JSON.stringify([a, b])) ?? 0) + 1);
        const data = pl.DataFrame({
          a: pl.Series(
            "a",
            rows.map(({ a }) => a),
            pl.Utf8,
          ),
          b: pl.Series(
            "b",
            rows.map(({ b }) => b),
            pl.Float64,
          ),
        });
        const found = toRecords(valueCounts(data, ["a", "b"]));
        expect(new Map(found.map(({ a, b, count }) => [JSON.stringify([a, b]), count]))).toEqual(counts);
        for (const { count, share } of found) expect(share).toBeCloseTo((count as number) / rows.length, 12);
        const sizes = found.map(({ count }) => count as number);
        expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
      }),
    );
  });

  it("keeps the provenance, with a step", async () => {
    await using archive = await openArchive({ announce: false });
    const counted = valueCounts(await archive.mentions("climate", { limit: 50 }), ["person"]);
    expect(provenanceOf(counted)?.steps).toMatchObject([
      { verb: "valueCounts", rows: [expect.any(Number), counted.height] },
    ]);
    expect(methodsOf(counted)).toContain("counted by values of");
  });

  it.each([
    [undefined, "party", /^invalid frame: undefined\. Give a polars frame\.$/],
    [Promise.resolve(frame), "party", /^invalid frame: it is a promise\. Put await before it\.$/],
    [frame, "partei", /partei.*party/],
    [frame, [], /^invalid columns/],
    [frame, ["party", "party"], /Give each column once/],
    [frame.rename({ party: "count" }), "count", /already has columns count/],
  ])("refuses %o by %o", (given, columns, message) => {
    expect(() => valueCounts(given as never, columns)).toThrow(message);
  });
});
