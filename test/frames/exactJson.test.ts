import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../scale.js";
import { parseExact } from "./expectedColumns.js";

const LONG = "1234567890123456";

/** Texts that are not JSON because of where their long number is. */
const MISPLACED = [
  ...[`{"a":-0${LONG}}`, `[0${LONG}]`, "[-000000000000000000000000]", `{${LONG}:1}`, `{"a":1,-${LONG} \n:1}`],
  ...[`{"a" ${LONG}}`, `[+${LONG}]`, `[--${LONG}]`, `[true${LONG}]`, `["a"${LONG}]`, `[${LONG}"a"]`, `${LONG}x`],
];

describe("parseExact", () => {
  it("accepts exactly the texts that JSON.parse accepts", () => {
    const part = fc.constantFrom(...'{}[]:,"\\ 0-+.eE\n', LONG, "0", "1", `"a"`, "null", "true", `9${LONG}`, '\\"');
    const broken = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    // JSON with one edit.
    const edited = fc
      .tuple(fc.json(), fc.nat(), part)
      .map(
        ([text, at, inserted]) =>
          `${text.slice(0, at % text.length)}${inserted}${text.slice((at % text.length) + (at % 2))}`,
      );
    fc.assert(
      fc.property(fc.oneof(broken, edited), (text) => {
        const accepts = (parse: (text: string) => unknown) => {
          try {
            parse(text);
            return true;
          } catch (error) {
            expect(error).toBeInstanceOf(SyntaxError);
            return false;
          }
        };
        expect(accepts(parseExact)).toBe(accepts(JSON.parse));
      }),
      { numRuns: runs(2000) + MISPLACED.length, examples: MISPLACED.map((text): [string] => [text]) },
    );
  });
});
