import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSpeakers, pl, toDataFrame, toRecords } from "../../src/index.js";
import { runs } from "../scale.js";

const mention = (personid: number | null, person: string | null, length = 10, begintime = "2024-03-01T12:00:00Z") => ({
  id: "m",
  begintime,
  length,
  personid,
  person,
});

const ROWS = [
  mention(6153, "Maria Pelosi,U.S. Representative", 30, "2024-05-01T00:00:00Z"),
  mention(6153, "Maria Pelosi", 20, "2023-05-01T00:00:00Z"),
  mention(6153, "Maria Pelosi", 10),
  mention(7, "Bo"),
  mention(7, "B. O."),
  mention(3, null),
  mention(3, null),
  mention(999999, "Unidentified Speaker"),
  mention(null, "Nobody"),
];
const COUNTED = [
  [6153, "Maria Pelosi", 3, 60, "2023-05-01T00:00:00.000Z", "2024-05-01T00:00:00.000Z", 2],
  [3, null, 2, 20, "2024-03-01T12:00:00.000Z", "2024-03-01T12:00:00.000Z", 2],
  [7, "B. O.", 2, 20, "2024-03-01T12:00:00.000Z", "2024-03-01T12:00:00.000Z", 2],
];
const valuesOf = (frame: Parameters<typeof toRecords>[0]) =>
  toRecords(frame).map((row) =>
    Object.values(row).map((value) => (typeof value === "string" && /^\d{4}-/.test(value) ? new Date(value) : value)),
  );

describe("countSpeakers", () => {
  it("counts by id, with the most frequent spelling", () => {
    const counted = countSpeakers(toDataFrame(ROWS, { operation: "mentions" }));
    const columns = ["personid", "person", "passages", "seconds", "first", "last", "left_out"];
    expect(counted.columns).toEqual(columns);
    expect(JSON.parse(JSON.stringify(valuesOf(counted)))).toEqual(COUNTED);
  });

  it("agrees with polars on every passage", () => {
    const row = fc.record({
      id: fc.integer({ min: 1, max: 5 }),
      name: fc.constantFrom("a", "b", "c"),
      seconds: fc.nat(500),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const frame = toDataFrame(
          rows.map(({ id, name, seconds }) => mention(id, name, seconds)),
          { operation: "mentions" },
        );
        const expected = frame
          .groupBy("personid")
          .agg(pl.count("id").as("passages"), pl.col("length").sum().as("seconds"))
          .sort("personid")
          .sort({ by: "passages", descending: true, maintainOrder: true });
        const counted = countSpeakers(frame);
        expect(valuesOf(counted.select("personid", "passages", "seconds"))).toEqual(valuesOf(expected));
        for (const [id, name] of valuesOf(counted.select("personid", "person"))) {
          const uses = (text: unknown) => rows.filter((each) => each.id === id && each.name === text).length;
          expect(uses(name)).toBe(Math.max(...["a", "b", "c"].map(uses)));
        }
      }),
      { numRuns: runs(15) },
    );
  });

  it("returns an empty frame with its columns for an empty one", () => {
    const counted = countSpeakers(toDataFrame([], { operation: "mentions" }));
    expect([counted.height, counted.columns.length]).toEqual([0, 7]);
  });

  it("refuses other frames", () => {
    expect(() => countSpeakers(toDataFrame([{ personid: 1, person: "Bo" }]))).toThrow(
      "invalid frame: missing columns length, begintime. Give a frame of archive.mentions(…)",
    );
    expect(() => countSpeakers([] as never)).toThrow("invalid frame");
  });
});
