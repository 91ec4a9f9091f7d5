import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeyFilter } from "../../src/service/http/keyFilter.js";
import { KeyFinder } from "../../src/service/http/keyFinder.js";
import { runs } from "../scale.js";
import { decodesTo, hiddenKey } from "./keyOracle.js";

const LONG_KEY = "aB3xY7kQ9mZ2pL5wR8tN4vC6jH1sD0fGgE-uIoXq";
const SHORT_KEY = "budget-7";

/** Rows as the service sends them, with the escapes that JSON encoders write. */
function rowsOf(count: number): Buffer {
  const rows = Array.from({ length: count }, (_, at) => ({
    id: String(902_587_612_345 - at),
    link: `https://www.c-span.org/video/?${535_139 + at}-1/house-session&start=${at * 13}&live=1`,
    text: `THE NATION’S "CLIMATE" AND AT&T COMMITTEE ON INFRASTRUCTURE,\n>> 50% OF R&D ${at}: H.R. 5376; café/naïve`,
    programid: 683_870 + at,
  }));
  const json = JSON.stringify({ cursor: "bWVudGlvbnM6MDAwMDAwMDIw", mentions: rows });
  return Buffer.from(json.replaceAll("’", "\\u2019").replaceAll("ï", "\\u00ef"));
}

const filler = rowsOf(12);
const alphabet = [..."%&\\#;ux{}0123456789abcdefAB \nmp", "amp;", "\\u", "%u", "&#x", "\u00c3", "\u00e9"];

describe("the filter of bodies", () => {
  test("lets no key through, in whatever encoding and wherever it is", () => {
    let found = 0;
    const numRuns = runs(300);
    fc.assert(
      fc.property(hiddenKey(), fc.nat(filler.length), fc.nat(filler.length), ({ key, text }, before, after) => {
        const finder = new KeyFinder(key);
        for (const encoding of ["utf8", "latin1"] as const) {
          const written = Buffer.from(text, encoding);
          const body = Buffer.concat([filler.subarray(0, before), Buffer.from(" "), written, filler.subarray(after)]);
          if (decodesTo(key, written.toString(encoding), 2) && finder.occursIn(written.toString("latin1"))) {
            found++;
            expect(finder.occursInBytes(body)).toBe(true);
          }
        }
      }),
      { numRuns },
    );
    expect(found).toBeGreaterThan(numRuns);
  });

  test("agrees with a search of the whole text about any sequence of escapes", () => {
    let found = 0;
    const numRuns = runs(3000);
    const key = "ab%1\\2&c00ab";
    const finder = new KeyFinder(key);
    const pieces = fc.array(fc.oneof(fc.constantFrom(...alphabet), fc.constantFrom(...key, "00ab", "%1\\2")), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, pieces, fc.nat(key.length), (before, between, cut) => {
        const text = `${before.join("")}${key.slice(0, cut)}${between.join("")}${key.slice(cut)}`;
        const isIn = finder.find(text).length > 0;
        if (isIn) found++;
        if (isIn) expect(finder.occursInBytes(Buffer.from(text, "latin1"))).toBe(true);
      }),
      { numRuns },
    );
    expect(found).toBeGreaterThan(numRuns / 20);
  });

  test.each([LONG_KEY, SHORT_KEY])("finds %s where the blocks of a large body meet", (key) => {
    const finder = new KeyFinder(key);
    const large = Buffer.concat(Array(400).fill(filler), 2 ** 20 + 2 ** 17);
    expect(finder.occursInBytes(large)).toBe(false);
    const hidden = [
      key,
      key.toUpperCase(),
      [...key].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(""),
      [...key].map((char) => `&amp;#${char.charCodeAt(0)};`).join(""),
      Buffer.from(`user:${key}`).toString("base64"),
      encodeURIComponent(Buffer.from(Buffer.from(key).toString("base64")).toString("base64")),
    ];
    for (const text of hidden) {
      for (const at of [2 ** 20 - 2 ** 16, 2 ** 20, large.length]) {
        for (const before of [0, 1, Math.ceil(text.length / 2), text.length]) {
          const body = Buffer.from(large);
          body.write(` ${text} `, Math.max(0, Math.min(at - before, body.length - text.length - 2)), "latin1");
          expect(finder.occursInBytes(body), `${text} at ${at} - ${before}`).toBe(true);
        }
      }
    }
  });

  test("leaves almost nothing of an ordinary page to the exact search", () => {
    const page = rowsOf(1000);
    for (const [key, most] of [
      [LONG_KEY, 0],
      [SHORT_KEY, page.length / 20],
    ] as const) {
      let searched = 0;
      const traits = { run: key, keyLength: key.length, shortestRun: Math.ceil((key.length * 4) / 3), isAscii: true };
      const filter = new KeyFilter({ ...traits, reach: key.length * 512, overlap: 2 ** 16 });
      const isIn = filter.some(page, (text) => {
        searched += text.length;
        return false;
      });
      expect(isIn).toBe(false);
      expect(searched).toBeLessThanOrEqual(most);
    }
  });
});
