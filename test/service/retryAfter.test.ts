import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRetryAfter } from "../../src/service/http/retryAfter.js";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("parseRetryAfter", () => {
  test.each([
    ["0", 0],
    ["12", 12],
    [" 12 ", 12],
    ["1.2", 2],
    ["007", 7],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["Sun, 06 Nov 1994 08:49:47 GMT", 10],
    ["Sun, 06 Nov 1994 08:49:36 GMT", 0],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 252_618_189_022],
  ])("%j is %d seconds", (value, seconds) => {
    expect(parseRetryAfter(value, NOW)).toBe(seconds);
  });

  test.each([
    undefined,
    "",
    "-5",
    "+5",
    "soon",
    "NaN",
    "Infinity",
    "1e3",
    "0x10",
    "5 seconds",
    "5, 10",
    "1.",
    ".5",
    "٣",
    "Sun, 06 Nov 1994 08:49:47",
    "Sun, 06 Nov 1994 08:49:47 CET",
    "Sun, 06 anF 1994 08:49:47 GMT",
    "Sun, 06 Nov 1994 25:49:47 GMT",
    "1994-11-06T08:49:47Z",
    "06 Nov 1994",
  ])("%j says nothing", (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });

  test("a date is rounded up to whole seconds", () => {
    expect(parseRetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", NOW + 1)).toBe(10);
    expect(parseRetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", NOW - 1)).toBe(11);
  });

  test("any text gives a whole number from 0 or undefined", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String)), fc.integer(), (text, now) => {
        const seconds = parseRetryAfter(text, now);
        if (seconds !== undefined) expect(Number.isSafeInteger(seconds) && seconds >= 0).toBe(true);
      }),
    );
  });

  test("every second of the calendar survives a round trip", () => {
    const range = { min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), fc.nat(1e9), (date, ahead) => {
        const whole = Math.floor(date.getTime() / 1000) * 1000;
        expect(parseRetryAfter(new Date(whole).toUTCString(), whole - ahead)).toBe(Math.ceil(ahead / 1000));
      }),
    );
  });
});
