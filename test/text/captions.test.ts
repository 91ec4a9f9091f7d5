import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spokenText } from "../../src/text/captions/spokenText.js";
import { BREAK, tokens } from "../../src/text/captions/tokens.js";
import { phrasePattern } from "../../src/text/patterns/phrase.js";
import { readCaption } from "../../src/util/captionText.js";
import { growth, LINEAR } from "../growth.js";
import { runs } from "../scale.js";

const segmenter = new Intl.Segmenter("en", { granularity: "word" });
const segmented = (text: string) =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
const wordsOf = (text: string) => tokens(spokenText(text)).filter((token) => token !== BREAK);

/** Characters that decide where words end, and some that do not. */
const edgy = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 30 });
const ascii = edgy("aBz019_'.,;:-@/ \n\t!?()<>[]\"&#");
const mixed = edgy("aB19'., -\n’é\u0301ñ日本สวัสดี👩‍⚖️🇺🇸\u200d\u00a0\u2028ß½٣x");

describe("words", () => {
  it.each([
    ["THE INFLA-\nTION ACT", ["the", "infla", "tion", "act"]],
    [">> MR. SMITH: I WON’T YIELD.", ["mr", "smith", "i", "won't", "yield"]],
    ["[APPLAUSE] Señor, 3,000 in the U.S. ♪ la la ♪", ["senor", "3,000", "in", "the", "u.s"]],
    ["", []],
    ["…!?", []],
  ])("of %j are %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("equal those of Intl.Segmenter, colons and underscores aside", () => {
    const check = (text: string) => {
      const spoken = spokenText(text);
      expect(tokens(spoken).filter((token) => token !== BREAK)).toEqual(segmented(spoken.replace(/[:_]/g, " ")));
    };
    fc.assert(fc.property(ascii, check), { numRuns: runs(2000, 100_000) });
    fc.assert(fc.property(mixed, check), { numRuns: runs(1000, 50_000) });
  });

  it("come with a break wherever a sentence, clause, turn or sound note ends", () => {
    expect(tokens("mr. smith of ohio, thank you. >> i yield -- for now")).toEqual(
      "mr smith of ohio||thank you||i yield||for now"
        .replaceAll(" ", "|")
        .split("|")
        .map((word) => word || BREAK),
    );
    expect(tokens(spokenText("climate [laughter] change"))).toEqual(["climate", BREAK, "change"]);
  });
});

describe("the spoken form of a caption", () => {
  it("has its length, so that offsets hold", () => {
    const anything = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    const text = fc.oneof(mixed, anything);
    fc.assert(
      fc.property(text, (caption) => {
        expect(spokenText(caption)).toHaveLength(caption.length);
      }),
      { numRuns: runs(200, 50_000) },
    );
  });

  it.each(["[", "♪", ">", "a'", "1,", "-\n", "\u0301", "👩‍", "a.", "é", " ", "][", "a-\n", "x"])(
    "takes time proportional to the length of %j repeated",
    async (piece) => {
      const work = (length: number) => {
        const text = piece.repeat(length / piece.length);
        return () =>
          tokens(spokenText(text)).length + (spokenText(text).match(phrasePattern("a a* 1,111"))?.length ?? 0);
      };
      expect(await growth(200_000, work)).toBeLessThan(LINEAR);
    },
  );
});

describe("a phrase", () => {
  const matches = (phrase: string, caption: string) => spokenText(caption).match(phrasePattern(phrase)) ?? [];

  it.each([
    ["climate change", "CLIMATE\nCHANGE, climate-change; Climate  change"],
    ["climate change", "CLI-\r\nMATE CHANGE and climate — no, climate/change and cli-\nmate change"],
    ["H.R. 5376", "H.R. 5376, H. R. 5,376 and HR 5376"],
    ["don't", "DON’T, dont and don't"],
    ["José Tuñón", "JOSE TUNON, josé tuñón, JOSE\u0301 TUN\u0303O\u0301N"],
    ["inflat*", "inflation, inflated and inflate"],
    ["research and development", "RESEARCH & DEVELOPMENT, research and development, Research and\nDevelopment"],
  ])("%j is found three times in %j", (phrase, caption) => {
    expect(matches(phrase, caption)).toHaveLength(3);
  });

  it.each([
    ["climate change", "climate. Change is"],
    ["climate change", "climate\n>> CHANGE"],
    ["climate change", "climate [LAUGHTER] change"],
    ["climate change", "climate -- change"],
    ["climate", "climate's acclimate climates"],
    ["applause", "[APPLAUSE]"],
    ["5376", "53761 15376 5376th"],
  ])("%j is not found in %j", (phrase, caption) => {
    expect(matches(phrase, caption)).toEqual([]);
  });

  it("is found where the words of the caption are its words, in one clause", () => {
    const word = fc.constantFrom("climate", "change", "Mr", "a", "No", "12", "act");
    const gap = fc.constantFrom(" ", "\n", "-", ", ", ". ", " >> ", "  ", "! ");
    const caption = fc.array(fc.tuple(word, gap), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), caption, (phrase, parts) => {
        const text = parts.flat().join("");
        expect(matches(phrase.join(" "), text).length > 0).toBe(isSaid(phrase.join(" "), text));
      }),
      { numRuns: runs(150, 20_000) },
    );
  });
});

/** Whether readCaption, which links bills to speeches, sees the words of a phrase in one clause. */
function isSaid(phrase: string, text: string): boolean {
  const wanted = readCaption(phrase).words.map((word) => word.text);
  const { words } = readCaption(text);
  return words.some((_word, start) =>
    wanted.every((word, at) => {
      const said = words[start + at];
      return said?.text === word && (at === 0 || said.gap === "space" || said.gap === "none");
    }),
  );
}
