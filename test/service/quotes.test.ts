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
/** The quotation marks of German, French, Swedish, Polish, Chinese, Japanese, mathematics and word processors, in pairs. */
const PAIRS = [
  ..."“” „“ ”” «» »« ‹› „” 「」 『』 〝〟 ＂＂ ｢｣ ❝❞ ‟”".split(" ").map((pair) => [...pair]),
  ["``", "''"],
];

describe("quotation marks in a query", () => {
  it.each(PAIRS)("%s and %s are refused, with a phrase to type", (open, close) => {
    const refusal = mentions(`warming ${open}climate change${close}`);
    expect(refusal).toMatch(
      /Only straight double quotes make a phrase, not .+\. Type a phrase as query: '"climate change"'\./,
    );
    expect(mentions(`"climate ${open}change${close}"`)).toBeDefined();
  });

  it.each([
    ['"climate change', "is not closed"],
    ['climate change"', "is not closed"],
    ['6" pipe', "is not closed"],
    ['""climate change""', "has no words"],
    ['climate ""', "has no words"],
    ['"climate change”', "not ”"],
    ["‘climate change’", "not ‘"],
    ["‚climate change‘", "not ‚"],
    ["'climate change'", "not '"],
    ["the ‘green new deal’ bill", "not ‘"],
    ["« climate change »", "not «"],
  ])("%s is refused: %s", (query, problem) => {
    expect(mentions(query)).toContain(problem);
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

  it("take time that is linear in the length: a megabyte takes no minute", () => {
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
    () => archive.count("mentions", query, { by: "month", congress: 117 }),
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
