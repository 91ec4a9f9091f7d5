import fc from "fast-check";
import { expect, it } from "vitest";
import { dtypeNames } from "../../src/frames/dtypes.js";
import { resultFrame, TIMESTAMP } from "../../src/frames/resultFrame.js";
import { pl } from "../../src/index.js";
import { runs } from "../scale.js";

const DAY = 86_400_000;
const integer = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const day = fc.integer({ min: -20_000, max: 60_000 }).map((days) => new Date(days * DAY).toISOString().slice(0, 10));
const KINDS = [
  [pl.String, fc.string({ unit: "grapheme" })],
  [pl.Float64, fc.double()],
  [pl.Int64, integer],
  [pl.Int32, fc.integer()],
  [pl.Bool, fc.boolean()],
  [pl.Date, day],
  [TIMESTAMP, fc.integer({ min: -1e12, max: 4e12 })],
] as const;

/** A value of a frame as it was given. */
function given(value: unknown, dtype: unknown): unknown {
  if (!(value instanceof Date)) return value;
  return dtype === pl.Date ? value.toISOString().slice(0, 10) : value.getTime();
}

it("a frame has the names, dtypes and values that it was made of", () => {
  const column = (height: number) =>
    fc.constantFrom(...KINDS).chain(([dtype, value]) =>
      fc.record({
        name: fc.oneof(fc.string(), fc.constantFrom("1", "0", "__proto__", "constructor")),
        values: fc.array(fc.option<unknown>(value), { minLength: height, maxLength: height }),
        dtype: fc.constant(dtype),
      }),
    );
  const columns = fc
    .nat({ max: 5 })
    .chain((height) => fc.uniqueArray(column(height), { maxLength: 6, selector: ({ name }) => name }));
  fc.assert(
    fc.property(columns, (made) => {
      const frame = resultFrame(made);
      expect(frame.columns).toEqual(made.map(({ name }) => name));
      expect(dtypeNames(frame)).toEqual(made.map(({ dtype }) => String(dtype).replace(/^DataType\((.*)\)$/, "$1")));
      for (const { name, values, dtype } of made) {
        // 64-bit integers come back as numbers.
        const expected = dtype === pl.Int64 ? values.map((value) => (value === null ? null : Number(value))) : values;
        expect([...frame.getColumn(name)].map((value) => given(value, dtype))).toEqual(expected);
      }
    }),
    { numRuns: runs(100, 2000) },
  );
});
