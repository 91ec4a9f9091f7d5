import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kwic, terms } from "../../src/text/index.js";
import { runs } from "../scale.js";
import { texts } from "./frames.js";

/** What a phrase finds in captions. */
async function found(phrase: string, ...captions: string[]): Promise<string[]> {
  return [...(await kwic(texts(...captions), phrase)).getColumn("keyword").toArray()] as string[];
}

describe("a phrase", () => {
  it.each([
    ["climate change", "CLIMATE\nCHANGE, climate-change; Climate  change"],
    ["climate change", "CLI-\r\nMATE CHANGE and climate — no, climate/change and cli-\nmate change"],
    ["H.R. 5376", "H.R. 5376, H. R. 5,376 and HR 5376"],
    ["H. R. 5,376", "H.R. 5376, H. R. 5,376 and HR 5376"],
    ["don't", "DON’T, dont and don't"],
    ["José Tuñón", "JOSE TUNON, josé tuñón, JOSE\u0301 TUN\u0303O\u0301N"],
    ["CAFE\u0301S", "cafés, CAFE\u0301S, cafes"],
    ["inflat*", "inflation, inflated and infla-\ntion"],
    ["research and development", "RESEARCH & DEVELOPMENT, research and development, Research and\nDevelopment"],
    ["Mr. Smith", "MR. SMITH, Mr Smith, >> MR.\nSMITH"],
    ["2.1 trillion", "$2.1 TRILLION, 2.1-trillion, 2.1\ntrillion"],
  ])("%j is found three times in %j", async (phrase, caption) => {
    expect(await found(phrase, caption)).toHaveLength(3);
  });

  it.each([
    ["climate change", "climate. Change is"],
    ["climate change", "climate\n>> CHANGE"],
    ["climate change", "climate [LAUGHTER] change"],
    ["climate change", "climate -- change"],
    ["climate", "climate's acclimate climates"],
    ["applause", "[APPLAUSE]"],
    ["5376", "53761 15376 5376th"],
    ["1 trillion", "$2.1 TRILLION"],
    ["H.R. 5", "H.R. 5,376"],
    ["section 3", "section 3.5"],
    ["000 people", "10,000 PEOPLE"],
    ["U.S.", "U.S.A."],
    ["cafe", "CAFE\u0301S"],
    ["us", "the U.S. House"],
    ["climate*", "acclimate"],
  ])("%j is not found in %j", async (phrase, caption) => {
    expect(await found(phrase, caption)).toEqual([]);
  });

  it("is found where the words that a caption was made of are its words", async () => {
    const said = fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...GAPS));
    const caption = fc.array(said, { maxLength: 14 });
    const phrase = fc.tuple(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(phrase, fc.array(caption, { minLength: 1, maxLength: 8 }), async ([words, star], captions) => {
        const wanted = words.map(([written]) => written).join(" ") + (star ? "*" : "");
        const written = captions.map((parts) => parts.map(([[word], gap]) => word + gap).join(""));
        const lines = (await kwic(texts(...written), wanted)).toRecords();
        expect(
          lines.map(({ id, offset }) => [id, offset]),
          JSON.stringify([wanted, written]),
        ).toEqual(captions.flatMap((parts, row) => startsOf(words, star, parts).map((start) => [`m${row}`, start])));
      }),
      { seed: 7, numRuns: runs(150, 20_000) },
    );
  });

  it("with several asterisks takes steps in proportion to the caption", async () => {
    const stars = "a* a* a* a* a* a* z*";
    expect(await found(stars, "a".repeat(400), "a ".repeat(400), "a. ".repeat(400), "a.".repeat(400))).toEqual([]);
    expect(await found(stars, `${"a ".repeat(100_000)}zoo`)).toHaveLength(1);
  });

  it("finds a word as often as terms counts it", async () => {
    const source = texts("CAFE\u0301S, cafés, $2.1 TRILLION on 3.5", "10,000 PEOPLE in the u.s. don't");
    for (const { term, count } of (await terms(source)).toRecords()) {
      expect([term, (await kwic(source, term as string)).height]).toEqual([term, count]);
    }
  });
});

// What the generated captions are made of, with what it means: nothing here is taken from the package.

/** A word as written, and as compared: one entry for each word that `terms` has. */
type Word = readonly [written: string, key: string];

const WORDS: readonly Word[] = [
  ["tax", "tax"],
  ["TAXES", "taxes"],
  ["ta", "ta"],
  ["2.1", "2.1"],
  ["1", "1"],
  ["3,000", "3000"],
  ["3000", "3000"],
  ["000", "000"],
  ["3.5", "3.5"],
  ["5", "5"],
  ["3", "3"],
  ["don't", "dont"],
  ["DON’T", "dont"],
  ["dont", "dont"],
  ["café", "cafe"],
  ["CAFE\u0301", "cafe"],
  ["cafe", "cafe"],
  ["CAFE\u0301S", "cafes"],
  ["и\u0306", "и"],
];

/** What stands between words, all without a period; those of punctuation end a clause. */
const GAPS = [" ", "\n", "-", "/", "  ", " ' ", ", ", " >> ", " -- ", "! ", "; ", ": ", " — "];
const BREAKER = /[.,:;!?()[\]"“”–—>|]|--/;

/** Where a phrase of some words begins in the text of others. */
function startsOf(phrase: readonly Word[], star: boolean, parts: readonly (readonly [Word, string])[]): number[] {
  const starts: number[] = [];
  const offsets: number[] = [];
  let length = 0;
  for (const [[written], gap] of parts) {
    offsets.push(length);
    length += written.normalize("NFC").length + gap.length;
  }
  const isAt = (first: number) =>
    phrase.every(([, key], nth) => {
      const said = parts[first + nth]?.[0][1] ?? "";
      const isLast = nth === phrase.length - 1;
      const crosses = nth > 0 && BREAKER.test(parts[first + nth - 1]?.[1] ?? "");
      return !crosses && (star && isLast ? said.startsWith(key) : said === key);
    });
  // Matches do not overlap.
  for (let at = 0; at < parts.length; at++) {
    if (!isAt(at)) continue;
    starts.push(offsets[at] as number);
    at += phrase.length - 1;
  }
  return starts;
}
