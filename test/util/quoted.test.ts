import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError } from "../../src/index.js";
import { escaped, escapedLines, quoted, quotedList } from "../../src/util/text.js";
import { HOSTILE, UNSAFE } from "../faults/hostileCharacters.js";

const text = fc.string({ unit: "binary", maxLength: 300 });
const hostile = fc.oneof(text, fc.array(fc.constantFrom(...HOSTILE, "\\", '"', "a"), { maxLength: 300 }).map(String));

describe("quoted", () => {
  it("is on one line, without control characters, and within the given length", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 400 }), (given, length) => {
        for (const shown of [quoted(given, length).slice(1, -1), escaped(given, length)]) {
          expect(shown).not.toMatch(UNSAFE);
          expect(shown.length).toBeLessThanOrEqual(length + 1);
        }
        expect(escapedLines(given).replace(/[\n\t]/g, "")).not.toMatch(UNSAFE);
      }),
    );
  });

  it("is JSON if nothing is clipped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), (given) => {
        expect(JSON.parse(quoted(given, 400))).toBe(given);
      }),
    );
  });

  it("leaves ordinary text of any script unchanged, and never splits an escape", () => {
    expect(quoted("Łódź 東京 😀")).toBe('"Łódź 東京 😀"');
    expect(escaped("C:\\data\\x.csv")).toBe("C:\\data\\x.csv");
    expect(quoted("\u001b\u001b", 8)).toBe('"\\u001b…"');
    expect(quotedList(["a", "b", "c"], 2)).toBe('"a", "b" and 1 more');
  });
});

describe("every ArchiveError", () => {
  it("has a message, hint, stack and causes without control characters", () => {
    fc.assert(
      fc.property(hostile, (given) => {
        const cause = new SyntaxError(given, { cause: new TypeError(given) });
        const error = new ArchiveError(`${given}.`, { code: "FILE_ERROR", hint: given, cause });
        error.advise(given);
        expect(`${error.message}${error.hint}`).not.toMatch(UNSAFE);
        expect(inspect(error).replaceAll("\n", "")).not.toMatch(UNSAFE);
        expect(JSON.stringify(error)).not.toMatch(UNSAFE);
      }),
    );
  });

  it("escapes its cause, and leaves the original unchanged", () => {
    const odd = Object.assign(new RangeError("\u001b]0;"), { code: "E_ODD" });
    const error = new ArchiveError("x.", { code: "FILE_ERROR", hint: "", cause: odd });
    expect(error.cause).toMatchObject({ name: "RangeError", message: "\\u001b]0;", code: "E_ODD" });
    expect(odd.message).toBe("\u001b]0;");
  });

  it("is clipped, whatever it quotes", () => {
    const error = new ArchiveError("x".repeat(1e6), { code: "FILE_ERROR", hint: "y".repeat(1e6) });
    expect(error.message.length).toBeLessThan(10_000);
  });
});
