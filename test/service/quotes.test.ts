import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openArchive, ValidationError } from "../../src/index.js";
import { buildRequest } from "../../src/service/operations/request.js";

const refusal = (operation: "bills" | "mentions" | "people" | "programsSearch", parameters: object) => {
  try {
    buildRequest(operation, { ...parameters });
    return undefined;
  } catch (error) {
    return (error as ValidationError).message;
  }
};
const mentions = (query: string) => refusal("mentions", { query });
const typed = (query: string) => /Type query: (.*)\.$/.exec(mentions(query) ?? "")?.[1];

/** The quotation marks of German, French, Swedish, Polish, Chinese, Japanese, mathematics and word processors, in pairs. */
const PAIRS = [
  ..."“” „“ ”” «» »« ‹› „” 「」 『』 〝〟 ＂＂ ｢｣ ❝❞ ‟”".split(" ").map((pair) => [...pair]),
  ["``", "''"],
];

describe("quotation marks in a query", () => {
  it.each(PAIRS)("%s and %s are refused, with straight ones to type", (open, close) => {
    expect(mentions(`${open}climate change${close}`)).toContain("Only straight double quotes make a phrase, not");
    expect(typed(`${open}climate change${close}`)).toBe(`'"climate change"'`);
    expect(typed(`warming ${open}climate change${close}`)).toBe(`'warming "climate change"'`);
    expect(mentions(`"climate ${open}change${close}"`)).toBeDefined();
  });

  it.each([
    ['"climate change', `'"climate change"'`],
    ['climate change"', `'"climate change"'`],
    ['climate "green new deal', `'climate "green new deal"'`],
    ['"climate change”', `'"climate change"'`],
    ['""climate change""', `'"climate change"'`],
    ["‘climate change’", `'"climate change"'`],
    ["‚climate change‘", `'"climate change"'`],
    ["'climate change'", `'"climate change"'`],
    ["’climate change’", `'"climate change"'`],
    ["the ‘green new deal’ bill", `'the "green new deal" bill'`],
    ["« climate change »", `'"climate change"'`],
    ["“don’t ask”", `'"don’t ask"'`],
    ["“don't ask”", JSON.stringify(`"don't ask"`)],
    ['""', `'"climate change"'`],
    ['climate ""', `'"climate change"'`],
    ['6" pipe', `'6" pipe"'`],
  ])("%s: type %s", (query, instead) => {
    expect(typed(query)).toBe(instead);
  });

  it.each([
    "don’t ask",
    "don't ask, don't tell",
    "the senators’ bill",
    "the senators' bill",
    "‘90s",
    "rock ’n’ roll",
    "O‘Connor",
    '"the senators’ bill"',
    '"‘Buy American’ Act"',
    '"climate""change"',
    '"climate change" "carbon tax"',
    "6′ 2″",
  ])("%s is searched", (query) => {
    expect(mentions(query)).toBeUndefined();
  });

  it("are sent anyway with unchecked", () => {
    expect(buildRequest("mentions", { query: "“climate”", unchecked: true }).query).toEqual([["query", "“climate”"]]);
  });

  it("never refuse what they suggest, at any length", () => {
    const piece = fc.constantFrom(..."“”„«»‘’'\"` a\\é9".split(""), "climate", "''");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const said = typed(`x${pieces.join("")}`);
        if (said === undefined) return;
        const text = said.startsWith('"') ? JSON.parse(said) : said.slice(1, -1);
        expect(mentions(text)).toBeUndefined();
      }),
    );
    // Linear in the length: a query of a megabyte takes no minute.
    for (const mark of ["‘a", '"a', "“ ", "'", "` "]) mentions(mark.repeat(500_000));
  });
});

it("no call, count, sample, scan, save or search of speeches sends such a query", async () => {
  await using archive = await openArchive({ announce: false });
  const query = "“climate change”";
  const calls: Array<() => unknown> = [
    () => archive.bills(query),
    () => archive.mentions(query, { maxItems: 10 }),
    () => archive.people(query),
    () => archive.programsSearch(query),
    () => archive.count("mentions", query),
    () => archive.count("mentions", query, { by: "personid", groups: [1] }),
    () => archive.sample("mentions", query, { rows: 5 }),
    () => archive.scan.mentions(query).collect(),
    () => archive.scan.programsSearch(query).explain(),
    () => archive.save("mentions", "nowhere.csv", { query }),
    () => archive.iterRecords("mentions", { query }).next(),
    () => archive.speechesOnBill({ title: "Inflation Reduction Act", variants: [query] } as never),
    () => archive.speechesOnBill({ title: "The «Inflation» Reduction Act" }),
  ];
  for (const call of calls) {
    const error = await (async () => call())().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error, String(call)).toBeInstanceOf(ValidationError);
  }
  // The title of a row, which nobody typed, may have any.
  const row = { billtitle: "The “Inflation” Reduction «Act»", billnumber: "5376", congress: 117, id: 1, link: "" };
  expect(archive.explainSpeechesOnBill(row)).toContain("Inflation Reduction Act");
});
