import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSpeakers, pl, toDataFrame, toRecords } from "../../src/index.js";
import { runs } from "../scale.js";

const mention = (personid: number | null, person: string | null, length = 10, day = 1) => ({
  id: "m",
  personid,
  person,
  length,
  begintime: `2024-03-${String(day).padStart(2, "0")}T12:00:00Z`,
});
const COLUMNS = ["personid", "person", "passages", "seconds", "first", "last", "left_out"];

describe("countSpeakers", () => {
  it("counts by id, with the most frequent spelling, as loops do", () => {
    const row = fc.record({
      id: fc.constantFrom(1, 2, 3, 999_999, null),
      name: fc.constantFrom("a", "b", "c", null),
      seconds: fc.nat(500),
      day: fc.integer({ min: 1, max: 31 }),
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const counted = countSpeakers(
          toDataFrame(
            rows.map(({ id, name, seconds, day }) => mention(id, name, seconds, day)),
            { operation: "mentions" },
          ),
        );
        const expected = [1, 2, 3].flatMap((id) => {
          const own = rows.filter((each) => each.id === id);
          if (own.length === 0) return [];
          const uses = (text: string) => own.filter(({ name }) => name === text).length;
          const [most = ""] = ["a", "b", "c"].sort((a, b) => uses(b) - uses(a));
          const days = own.map(({ day }) => day).sort((a, b) => a - b);
          const seconds = own.reduce((sum, each) => sum + each.seconds, 0);
          const leftOut = rows.filter((each) => (each.id ?? 999_999) === 999_999).length;
          return [[id, uses(most) > 0 ? most : null, own.length, seconds, days[0], days.at(-1), leftOut]];
        });
        expected.sort((a, b) => Number(b[2]) - Number(a[2]));
        const dayOf = (value: unknown) => (value instanceof Date ? value.getUTCDate() : value);
        expect(counted.columns).toEqual(COLUMNS);
        expect(counted.rows().map((values: unknown[]) => values.map(dayOf))).toEqual(expected);
      }),
      { numRuns: runs(30) },
    );
  });

  it.each([
    [["6153", " 6153 ", "9007199254740993", "0", "0.0", "", " 999999", null], pl.Utf8, ["6153", "9007199254740993"], 5],
    [[6153n, 9007199254740993n, 0n, -1n, 999999n, null], pl.Int64, ["6153", "9007199254740993"], 4],
    [[6153, 1.5, Number.NaN, 0], pl.Float64, ["6153"], 3],
  ])("takes only ids of speakers for ids, in columns of any type: %#", (ids, dtype, speakers, leftOut) => {
    const frame = toDataFrame(Array(ids.length).fill(mention(1, "Bo")), { operation: "mentions" });
    const texts = ids.map((id) => (id === null ? null : String(id)));
    const column = pl.Series("personid", texts, pl.Utf8).cast(dtype);
    const counted = countSpeakers(frame.withColumns(column) as typeof frame);
    expect(toRecords(counted).map(({ personid }) => String(personid).trim())).toEqual(speakers);
    expect(toRecords(counted)[0]?.left_out).toBe(leftOut);
  });

  it("refuses other frames", () => {
    expect(() => countSpeakers(toDataFrame([{ personid: 1, person: "Bo" }]))).toThrow(
      "invalid frame: missing columns length, begintime. Give a frame of archive.mentions(…)",
    );
    expect(() => countSpeakers([] as never)).toThrow("invalid frame");
  });
});
