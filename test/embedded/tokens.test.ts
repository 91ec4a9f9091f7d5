import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { searchTerms, TextIndex, tokens } from "../../src/embedded/search/textIndex.js";

describe("tokens", () => {
  test.each([
    ["H.R. 5376", ["h.r", "5376"]],
    ["(H.R. 5376),", ["h.r", "5376"]],
    ["H.R.5376", ["h.r", "5376"]],
    ["HR 5376", ["hr", "5376"]],
    ["H R 5376", ["h", "r", "5376"]],
    ["S. 1234", ["s", "1234"]],
    ["S.1234", ["s", "1234"]],
    ["U.S. SENATE.", ["u.s", "senate"]],
    ["José’s 1,200.50 café", ["jose", "1200.50", "cafe"]],
    ["don't follow-up", ["don't", "follow", "up"]],
    ["<b>AI</b>&amp;", ["b", "ai", "b", "amp"]],
    ["=1+1 @here -5", ["1", "1", "here", "5"]],
    ["😀 🇺🇸 ok", ["ok"]],
    ["Sørensen ŁÓDŹ 𝒳 中文", ["sorensen", "lodz", "𝒳", "中文"]],
    ["... '' ,", []],
    ["", []],
  ])("%j", (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });
});

describe("searchTerms", () => {
  test.each([
    ["climate change", [["climate"], ["change"]]],
    ['"climate change"', [["climate", "change"]]],
    ['green "new deal" now', [["green"], ["new", "deal"], ["now"]]],
    ['"green', [["green"]]],
    ['a "b c" "d', [["a"], ["b", "c"], ["d"]]],
    ['"" "!"', []],
  ])("%s", (query, expected) => {
    expect(searchTerms(query)).toEqual(expected);
  });
});

describe("TextIndex", () => {
  const word = fc.constantFrom("a", "b", "c", "d");
  const text = fc.array(word, { maxLength: 8 });

  test("finds what a plain search of every document finds", () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 30 }),
        fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        (documents, phrases) => {
          const index = new TextIndex(documents.map((words) => [words.join(" ")]));
          const holds = (words: readonly string[]) =>
            phrases.every((phrase) => ` ${words.join(" ")} `.includes(` ${phrase.join(" ")} `));
          const expected = documents.flatMap((words, document) => (holds(words) ? [document] : []));
          const query = phrases.map((phrase) => `"${phrase.join(" ")}"`).join(" ");
          expect(index.search(query)).toEqual(expected);
        },
      ),
    );
  });

  test("a phrase does not span two texts of a document", () => {
    const index = new TextIndex([["a b", "c d"]]);
    expect([...index.phrase(["b", "c"])]).toEqual([]);
    expect([...index.phrase(["c", "d"])]).toEqual([0]);
  });

  test("a text in pieces is found like a whole text", () => {
    const index = new TextIndex([[["a ", "b", " c"], "d a"], ["a b c"]]);
    expect([...index.phrase(["a", "b", "c"])]).toEqual([0, 1]);
    expect([...index.phrase(["c", "d"])]).toEqual([]);
    expect([...index.phrase(["a"])]).toEqual([0, 1]);
  });
});
