import fc from "fast-check";
import { expect, it } from "vitest";
import { congressDates, congressNumber, congressOn, ordinal } from "../../src/util/congress.js";

/** First days, from the Biographical Directory of Congress. */
const FIRST_DAYS = [
  [1, "1789-03-04"],
  [2, "1791-03-04"],
  [73, "1933-03-04"],
  [74, "1935-01-03"],
  [107, "2001-01-03"],
  [112, "2011-01-03"],
  [119, "2025-01-03"],
] as const;

it.each(FIRST_DAYS)("Congress %i begins on %s", (congress, day) => {
  const dayBefore = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  expect(congressDates(congress).mindate).toBe(day);
  expect(congressOn(day)).toBe(congress);
  expect(congressOn(dayBefore)).toBe(congress - 1);
  expect(congressDates(congress - 1).maxdate).toBe(dayBefore);
});

it("every day is in the Congress whose dates include it", () => {
  const day = fc.date({ min: new Date("1789-03-04"), max: new Date("2180-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(day, (date) => {
      const text = date.toISOString().slice(0, 10);
      const { mindate, maxdate } = congressDates(congressOn(text));
      expect(mindate <= text && text <= maxdate).toBe(true);
    }),
  );
});

it("a Congress is a number or its ordinal", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), (congress) => {
      for (const value of [congress, String(congress), ordinal(congress), `${ordinal(congress)} Congress`])
        expect(congressNumber(value)).toBe(congress);
    }),
  );
  for (const value of [0, 201, 1.5, "112nd", "12th-13th", "", null, {}]) expect(congressNumber(value)).toBeUndefined();
});
