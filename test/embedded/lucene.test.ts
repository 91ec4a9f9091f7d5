import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasPhrase, luceneMatcher, phrasesOf, searchable, words } from "../../src/embedded/lucene.js";

const WORDS = ["a", "b", "c"] as const;
/** Document n has word i where bit i of n is set: every combination once. `category` has the others. */
const DOCUMENTS = Array.from({ length: 8 }, (_, n) => n);

function matches(query: string): number[] {
  const bit = (word: string) => 1 << "abc".indexOf(word.toLowerCase().replaceAll('"', ""));
  const termOf = (word: string, field?: string) => (n: number) => (n & bit(word)) > 0 !== (field === "category");
  return DOCUMENTS.filter(luceneMatcher(query, ["category", "text"], termOf));
}

const where = (accepts: (a: boolean, b: boolean, c: boolean) => boolean): number[] =>
  DOCUMENTS.filter((n) => accepts((n & 1) > 0, (n & 2) > 0, (n & 4) > 0));

describe("Lucene queries", () => {
  test.each([
    ["a b NOT c", where((a, b, c) => (a || b) && !c)],
    ["NOT a NOT b", where((a, b) => !a && !b)],
    ["a OR NOT b", where((a, b) => a && !b)],
    ["a OR b AND c", where((a, b, c) => a || (b && c))],
    ["a AND b c", where((a, b, c) => (a && b) || c)],
    ["a AND(b OR c)", where((a, b, c) => a && (b || c))],
    ['"a"AND"b"', where((a, b) => a && b)],
    ["category:(a AND text:b)", where((a, b) => !a && b)],
    ["category:(a AND (b OR c))", where((a, b, c) => !a && (!b || !c))],
    ["NOT category:a", where((a) => a)],
  ])("%s", (query, expected) => {
    expect(matches(query)).toEqual(expected);
  });

  type Tree = string | { not: Tree } | { and: readonly Tree[] } | { or: readonly Tree[] };
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Tree>(...WORDS),
      fc.record({ not: tie("tree") }),
      fc.record({ and: fc.array(tie("tree"), { minLength: 2, maxLength: 4 }) }),
      fc.record({ or: fc.array(tie("tree"), { minLength: 2, maxLength: 4 }) }),
    ),
  }));
  const write = (node: Tree): string => {
    if (typeof node === "string") return node;
    if ("not" in node) return `(NOT ${write(node.not)})`;
    return "and" in node ? `(${node.and.map(write).join(" AND ")})` : `(${node.or.map(write).join(" OR ")})`;
  };
  const holds = (node: Tree, n: number): boolean => {
    if (typeof node === "string") return ((n >> "abc".indexOf(node)) & 1) === 1;
    if ("not" in node) return !holds(node.not, n);
    return "and" in node ? node.and.every((part) => holds(part, n)) : node.or.some((part) => holds(part, n));
  };

  test("any formula has its logical meaning", () => {
    fc.assert(
      fc.property(tree, (node) => {
        expect(matches(write(node))).toEqual(DOCUMENTS.filter((n) => holds(node, n)));
      }),
    );
  });
});

test.each([
  ["(H.R. 5376), H.R.5376", ["h.r", "5376", "h.r", "5376"]],
  ["HR 5376 H R", ["hr", "5376", "h", "r"]],
  ["José’s 1,200.50 don't follow-up", ["jose", "1200.50", "don't", "follow", "up"]],
  ["Zoë ÁÓDŹ 𝒳 中文 😀", ["zoe", "aodz", "𝒳", "中文"]],
  ["... '' ,", []],
])("the words of %j", (text, expected) => {
  expect(words(text)).toEqual(expected);
});

test("the phrases of a plain search, and that no phrase spans two values", () => {
  expect(phrasesOf('green "new deal" "now')).toEqual([["green"], ["new", "deal"], ["now"]]);
  const text = searchable(["a b", "c d"]);
  const phrases = [["a"], ["c", "d"], ["b", "c"], []];
  expect(phrases.map((phrase) => hasPhrase(text, phrase))).toEqual([true, true, false, false]);
});
