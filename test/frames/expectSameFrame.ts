import { expect } from "vitest";
import type { PolarsFrame } from "../../src/index.js";

/** Checks that a frame has the columns, types and rows of another. */
export function expectSameFrame(actual: PolarsFrame, expected: PolarsFrame): void {
  expect(actual.columns).toEqual(expected.columns);
  expect(actual.dtypes.map(String)).toEqual(expected.dtypes.map(String));
  expect(actual.height).toBe(expected.height);
  // For polars, NaN is not equal to itself.
  if (!actual.frameEqual(expected, true)) expect(actual.toRecords()).toEqual(expected.toRecords());
}
