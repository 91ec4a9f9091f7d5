import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NumberTable } from "../../../src/service/paging/numberTable.js";

const MAX = 2 ** 53 - 1;

/** How keys of an archive follow each other: counted up, in steps that share their low bits, at the ends, and at random. */
const keys = fc.record({ from: fc.nat(MAX), step: fc.constantFrom(1, 2, 4096, 2 ** 32, 2 ** 32 + 1, 999_983) });

describe("NumberTable", () => {
  it("agrees with a Map while it grows", () => {
    fc.assert(
      fc.property(fc.array(keys, { minLength: 1, maxLength: 3 }), fc.nat(20_000), (series, count) => {
        const [table, map] = [new NumberTable(), new Map<number, number>()];
        const all = series.flatMap(({ from, step }) => [...Array(count).keys()].map((at) => (from + at * step) % MAX));
        const differing = [...all, 0, MAX, ...all].filter((key, at) => {
          const value = (at * 2_654_435_761) >>> 0;
          const known = map.get(key);
          if (known === undefined) map.set(key, value);
          return table.getOrSet(key, value) !== known;
        });
        expect(differing).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
