import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCaption } from "../../src/speeches/judge/captionLine.js";
import { spokenText, visibleText } from "../../src/text/read/captions.js";
import { Phrase } from "../../src/text/read/pattern.js";
import { BREAK, spokenTokens } from "../../src/text/read/tokens.js";
import { growth, LINEAR } from "../growth.js";
import { runs } from "../scale.js";

const segmenter = new Intl.Segmenter("en", { granularity: "word" });
const segmented = (text: string) =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
const wordsOf = (text: string) => spokenTokens(spokenText(text)).filter((token) => token !== BREAK);

/** Characters that decide where words end, and some that do not. */
const edgy = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 30 });
const ascii = edgy("aBz019_'.,;:-@/ \n\t!?()<>[]\"&#");
const mixed = edgy("aB19'., -\n’é\u0301ñ日本สวัสดี👩‍⚖️🇺🇸\u200d\u00a0\u2028ß½٣x");

describe("words", () => {
  it.each([
    ["THE INFLA-\nTION ACT", ["the", "infla", "tion", "act"]],
    [">> MR. SMITH: I WON’T YIELD.", ["i", "won't", "yield"]],
    ["[APPLAUSE] Señor, 3,000 in the U.S. ♪ la la ♪", ["senor", "3,000", "in", "the", "u.s"]],
  ])("of %j are %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("equal those of Intl.Segmenter, colons and underscores aside", () => {
    const check = (text: string) => {
      const spoken = spokenText(text);
      expect(spokenTokens(spoken).filter((token) => token !== BREAK)).toEqual(segmented(spoken.replace(/[:_]/g, " ")));
    };
    fc.assert(fc.property(ascii, check), { numRuns: runs(2000, 100_000) });
    fc.assert(fc.property(mixed, check), { numRuns: runs(1000, 50_000) });
  });

  it("come with a break wherever a sentence, clause, turn or sound note ends", () => {
    expect(spokenTokens("mr. smith of ohio, thank you. >> i yield -- for now")).toEqual(
      "mr smith of ohio||thank you||i yield||for now"
        .replaceAll(" ", "|")
        .split("|")
        .map((word) => word || BREAK),
    );
    expect(spokenTokens(spokenText("climate [laughter] change"))).toEqual(["climate", BREAK, "change"]);
    expect(spokenTokens(spokenText("climate (upbeat music) change"))).toEqual(["climate", BREAK, "change"]);
    expect(spokenTokens(spokenText("a 501(C)(3), (D-NY)"))).toEqual(spokenTokens("a 501(c)(3), (d-ny)"));
  });

  it.each([
    ["PRES. TRUMP: WE WILL SEE", ["we", "will", "see"]],
    [">> REPORTER: Will you?", ["will", "you"]],
    ["SMITH: We will.", ["we", "will"]],
    ["REMEMBER: VOTE", ["remember", BREAK, "vote"]],
    ["so: yes", ["so", BREAK, "yes"]],
  ])("leaves out the label of the speaker in %j", (caption, words) => {
    expect(spokenTokens(spokenText(caption))).toEqual(words);
  });

  it.each(["cli\u00admate", "cli\u200bmate", "\ufeffcli\u2060mate", "\u202ecli\u200emate\u202c"])(
    "finds climate in %j",
    (text) => {
      expect(spokenTokens(spokenText(visibleText(text)))).toEqual(["climate"]);
      expect(readCaption(text).letters).toBe("climate");
    },
  );

  it("finds words with ligatures", () => {
    const found: number[] = [];
    new Phrase("\ufb01re").find(spokenText(visibleText("\ufb01re")), (start) => found.push(start));
    expect(found).toEqual([0]);
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
        return () => new Phrase("a a* 1,111").find(spokenText(text), () => undefined);
      };
      expect(await growth(200_000, work)).toBeLessThan(LINEAR);
    },
  );
});
