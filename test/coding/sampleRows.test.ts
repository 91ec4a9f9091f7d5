import fc from "fast-check";
import { expect, it } from "vitest";
import { sampleRows } from "../../src/coding/index.js";
import { pl } from "../../src/index.js";

it("draws different rows in the order of the frame, the same ones for the same seed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 80 }), fc.nat(99), (height, rows, seed) => {
      const frame = pl.DataFrame({ at: Array.from({ length: height }, (_, at) => at) });
      const drawn = sampleRows(frame, { rows, seed }).getColumn("at").toArray() as number[];
      expect(drawn).toHaveLength(Math.min(rows, height));
      expect(drawn).toEqual([...new Set(drawn)].sort((a, b) => a - b));
      expect(sampleRows(frame, { rows, seed }).getColumn("at").toArray()).toEqual(drawn);
    }),
    { seed: 5 },
  );
});

it("draws each row equally often", () => {
  const frame = pl.DataFrame({ at: Array.from({ length: 20 }, (_, at) => at) });
  const times = new Array<number>(20).fill(0);
  for (let seed = 0; seed < 300; seed++)
    for (const at of sampleRows(frame, { rows: 5, seed }).getColumn("at").toArray() as number[])
      times[at] = (times[at] as number) + 1;
  // Each is drawn 75 times, with a standard deviation of 7.5.
  for (const count of times) expect(Math.abs(count - 75)).toBeLessThan(35);
});

it.each([
  [{}, "invalid rows"],
  [{ rows: 0 }, "invalid rows: 0"],
  [{ rows: 5, seed: -1 }, "invalid seed: -1"],
  [{ rows: 5, strata: "year" }, 'invalid option of sampleRows: "strata"'],
])("refuses %j", (options, message) => {
  expect(() => sampleRows(pl.DataFrame({ a: [1] }), options as { rows: number })).toThrow(message);
});
