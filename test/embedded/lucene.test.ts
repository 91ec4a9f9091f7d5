import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluateLucene, type Searchable } from "../../src/embedded/search/lucene.js";
import { TextIndex } from "../../src/embedded/search/textIndex.js";
import { runs } from "../scale.js";

const WORDS = ["a", "b", "c"] as const;
/** Document n holds word i where bit i of n is set: every combination once. */
const combinations = Array.from({ length: 8 }, (_, n) => [WORDS.filter((_word, bit) => (n >> bit) & 1).join(" ")]);
const all = over(combinations);

/** Text is the given documents; category says the opposite words; the rest is empty. */
function over(documents: string[][]): Searchable {
  const named: Record<string, TextIndex> = {
    text: new TextIndex(documents),
    category: new TextIndex([...documents].reverse()),
    personid: new TextIndex(documents, (value) => [value]),
  };
  const nothing = new TextIndex([]);
  return {
    size: documents.length,
    fields: ["abstract", "category", "personid", "text"],
    indexes: (field = "text") => [named[field] ?? nothing],
  };
}

function matches(query: string, fields = all): number[] {
  return [...evaluateLucene(query, fields)].flatMap((bit, document) => (bit === 1 ? [document] : []));
}

const where = (accepts: (a: boolean, b: boolean, c: boolean) => boolean): number[] =>
  Array.from({ length: 8 }, (_, n) => n).filter((n) => accepts((n & 1) > 0, (n & 2) > 0, (n & 4) > 0));

describe("Lucene operators", () => {
  test.each([
    ["a && b", where((a, b) => a && b)],
    ["a || b", where((a, b) => a || b)],
    ["a b", where((a, b) => a || b)],
    ["!a", where((a) => !a)],
    ["-a", where((a) => !a)],
    ["a NOT b", where((a, b) => a && !b)],
    ["a AND !b", where((a, b) => a && !b)],
    ["a OR b AND c", where((a, b, c) => a || (b && c))],
    ["a AND b OR c", where((a, b, c) => (a && b) || c)],
    ["a AND b c", where((a, b, c) => (a && b) || c)],
    ["a AND(b OR c)", where((a, b, c) => a && (b || c))],
    ["+a b", where((a) => a)],
    ["+a +b", where((a, b) => a && b)],
    ["+a -b", where((a, b) => a && !b)],
    ["a -b", where((a, b) => a && !b)],
    ["a b -c", where((a, b, c) => (a || b) && !c)],
    ["-a -b", where((a, b) => !a && !b)],
    ["+(a b) -c", where((a, b, c) => (a || b) && !c)],
    ["a -(b c)", where((a, b, c) => a && !(b || c))],
    ["!(a b)", where((a, b) => !(a || b))],
    ["+(a b) +(b c)", where((a, b, c) => (a || b) && (b || c))],
    ["a^2 AND b^0.5", where((a, b) => a && b)],
    ["*:*", where(() => true)],
    ["-*:*", where(() => false)],
    ["*:* AND NOT a", where((a) => !a)],
    ["*:* -a", where((a) => !a)],
    ["+(*:*) +b", where((_a, b) => b)],
  ])("%s", (query, expected) => {
    expect(matches(query)).toEqual(expected);
  });

  test.each([
    ["text:a", where((a) => a)],
    ["category:a", where((a) => !a)],
    ["text:(a OR b)", where((a, b) => a || b)],
    ["text:(a AND NOT b)", where((a, b) => a && !b)],
    ["category:(a AND b)", where((a, b) => !a && !b)],
    ["category:(a AND text:b)", where((a, b) => !a && b)],
    ["category:(a AND (b OR c))", where((a, b, c) => !a && (!b || !c))],
    ["category:(+a -b)", where((a, b) => !a && b)],
    ["+category:a +text:b", where((a, b) => !a && b)],
    ["-category:a", where((a) => a)],
    ["!text:a", where((a) => !a)],
    ["text:-a", where((a) => !a)],
    ["-category:(a b)", where((a, b) => a && b)],
    ["b -category:(a)", where((a, b) => b && a)],
    ["abstract:a", []],
  ])("fields and field groups: %s", (query, expected) => {
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
  const holds = (node: Tree, document: number): boolean => {
    if (typeof node === "string") return combinations[document]?.[0]?.split(" ").includes(node) === true;
    if ("not" in node) return !holds(node.not, document);
    return "and" in node
      ? node.and.every((part) => holds(part, document))
      : node.or.some((part) => holds(part, document));
  };

  test("any formula has its logical meaning", () => {
    fc.assert(
      fc.property(tree, (node) => {
        expect(matches(write(node))).toEqual(combinations.map((_, n) => n).filter((n) => holds(node, n)));
      }),
    );
  });

  test("any text is either parsed or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab"()[]{}\\:+-!*?~^/&| ANDORNOT') }), (query) => {
        try {
          matches(query);
        } catch (error) {
          expect((error as Error).name).toBe("LuceneError");
        }
      }),
      { numRuns: runs(150, 500) },
    );
  });
});

describe("Lucene terms", () => {
  const documents = over([
    ["Climate change in the U.S. Senate"],
    ["change of climate"],
    ["acclimatise: follow-up question"],
    ["C*L and what? José"],
    ["Inflation Reduction Act, H.R. 5376"],
  ]);

  test.each([
    ["climate", [0, 1]],
    ["CLIMATE", [0, 1]],
    ['"climate change"', [0]],
    ['text:"change climate"', []],
    ['-"climate change" AND climate', [1]],
    ["clim*", [0, 1]],
    ["*clim*", [0, 1, 2]],
    ["c?imate", [0, 1]],
    ["c?mate", []],
    ["*", [0, 1, 2, 3, 4]],
    ["CLIM*", [0, 1]],
    ["jos?", [3]],
    ["JOSÉ", [3]],
    ["jos\u00e9*", [3]],
    ['"clim*"', []],
    ["clim\\*", []],
    ["c\\*l", [3]],
    ["follow-up", [2]],
    ["up-follow", []],
    ["U.S.", [0]],
    ['"H.R. 5376"', [4]],
    ["acclimatise\\:", [2]],
    ["climate\\ change", [0]],
    ['"climate \\"change\\""', [0]],
    ["\\AND", [3]],
    ["and", [3]],
  ])("%s", (query, expected) => {
    expect(matches(query, documents)).toEqual(expected);
  });

  test("a field of exact values matches values, not words", () => {
    const people = over([["6153"], ["61530"], ["6153", "7"]]);
    expect(matches("personid:6153", people)).toEqual([0, 2]);
    expect(matches("personid:6153*", people)).toEqual([0, 1, 2]);
    expect(matches("personid:(7 OR 61530)", people)).toEqual([1, 2]);
  });

  test("wildcards agree with a regular expression", () => {
    const part = fc.constantFrom("a", "b", "?", "*");
    const token = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), token, (pattern, word) => {
        const source = pattern.join("").replaceAll("?", ".").replaceAll("*", ".*");
        expect(matches(pattern.join(""), over([[word]]))).toEqual(new RegExp(`^${source}$`).test(word) ? [0] : []);
      }),
      { numRuns: runs(300, 1000) },
    );
  });
});
