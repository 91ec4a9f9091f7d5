import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  nameList,
  nonEmptyString,
  nonNegativeInteger,
  nonNegativeNumber,
  oneOf,
  positiveInteger,
  positiveNumber,
  rejectUnknownKeys,
  show,
} from "../../src/errors/validators.js";
import { ValidationError } from "../../src/index.js";

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

describe("validators", () => {
  test("return a valid value", () => {
    expect(positiveInteger("limit", 1, 50)).toBe(1);
    expect(nonNegativeInteger("maxRetries", 0, 3)).toBe(0);
    expect(positiveNumber("timeout", 0.5, 30)).toBe(0.5);
    expect(nonNegativeNumber("backoffFactor", 0, 1)).toBe(0);
    expect(boolean("allowInsecure", false)).toBe(false);
    expect(oneOf("format", "csv", ["json", "csv"])).toBe("csv");
    expect(nonEmptyString("query", " a ")).toBe(" a ");
    expect(nameList("columns", ["person", ""], "text")).toEqual(["person", ""]);
    expect(rejectUnknownKeys({ timeout: 1 }, ["timeout"], "option")).toBeUndefined();
  });

  test("say what is wrong and what to give", () => {
    expect(messageOf(() => positiveInteger("limit", 0, 50))).toBe(
      "invalid limit: 0. Give a whole number from 1, for example limit: 50.",
    );
    expect(messageOf(() => nonNegativeInteger("maxRetries", 1.5, 5))).toBe(
      "invalid maxRetries: 1.5. Give a whole number from 0, for example maxRetries: 5.",
    );
    expect(messageOf(() => positiveNumber("timeout", 0, 30, "seconds"))).toBe(
      "invalid timeout: 0. Give a number of seconds above 0, for example timeout: 30.",
    );
    expect(messageOf(() => positiveNumber("timeout", 11, 5, "seconds", 10))).toContain("above 0 and up to 10,");
    expect(messageOf(() => nonNegativeNumber("backoffFactor", Number.NaN, 2))).toContain("backoffFactor: NaN. Give");
    expect(messageOf(() => boolean("allowInsecure", "yes"))).toContain('invalid allowInsecure: "yes".');
    expect(messageOf(() => oneOf("format", "cvs", ["json", "csv"]))).toBe(
      'invalid format: "cvs". Give one of "json", "csv". Did you mean "csv"?',
    );
    expect(messageOf(() => oneOf("format", 7, ["json", "csv"]))).not.toContain("Did you mean");
    expect(messageOf(() => nonEmptyString("query", "  ", "budget"))).toBe(
      'invalid query: "  ". Give a non-empty string, for example query: "budget".',
    );
    for (const columns of [[], "person", ["person", 1]])
      expect(messageOf(() => nameList("columns", columns, "person", "text"))).toMatch(
        /^invalid columns: .*\. Give a list of names, for example columns: \["person", "text"\]\.$/,
      );
  });

  test("name the parameter on the error", () => {
    try {
      positiveInteger("limit", "5", 50);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "INVALID_INPUT", parameter: "limit", hint: expect.stringContaining("Give") });
    }
  });

  test.each([
    ["max_retries", "maxRetries"],
    ["maxRetrys", "maxRetries"],
    ["api-key", "apiKey"],
    ["time_out", "timeout"],
    ["mindtae", "mindate"],
    ["key", "apiKey"],
  ])("%s is near %s", (typed, meant) => {
    const known = ["apiKey", "timeout", "maxRetries", "mindate"];
    expect(messageOf(() => rejectUnknownKeys({ [typed]: undefined }, known, "option"))).toBe(
      `invalid option: "${typed}". Did you mean ${meant}?`,
    );
  });

  test("an unknown name without a near match lists the valid ones", () => {
    expect(messageOf(() => rejectUnknownKeys({ zzzzz: 1 }, ["cursor", "sort"], "parameter of programsSearch"))).toBe(
      'invalid parameter of programsSearch: "zzzzz". Valid names are cursor, sort.',
    );
  });

  test("names of Object.prototype are unknown", () => {
    expect(() => rejectUnknownKeys({ constructor: 1 }, ["cursor"], "option")).toThrow(ValidationError);
    expect(() => rejectUnknownKeys(JSON.parse('{"__proto__": 1}'), ["cursor"], "option")).toThrow(ValidationError);
  });

  test("show is short, on one line, and never throws", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (value) => {
        const text = show(value);
        expect(text.length).toBeLessThan(600);
        expect(text).not.toMatch(/[\n\r]/);
      }),
    );
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(show(hostile)).not.toBe("");
    expect(
      show({
        [Symbol.for("nodejs.util.inspect.custom")]: () => {
          throw new Error("no");
        },
      }),
    ).toBe("a value of type object");
    expect(show("x".repeat(1000)).length).toBeLessThan(100);
  });
});
