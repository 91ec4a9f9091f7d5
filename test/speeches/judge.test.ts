import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { BillQuery, BillRow } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { speech, startSpeechServer } from "./speechServer.js";

let texts: readonly string[] = [];
const server = await startSpeechServer({ found: () => texts.map((text, at) => speech(at, 7, { text })) });
const archive = clientTo(server);
afterAll(async () => {
  await archive.close();
  await server.close();
});

/** How each of some texts, which every search finds, is judged for a bill. */
async function judged(passages: readonly string[], bill: BillQuery | BillRow = WATER) {
  texts = passages;
  const options = { chamber: "any", minConfidence: 0, videotypes: ["Speech"], format: "records" } as const;
  const rows = await archive.speechesOnBill(bill, options);
  return passages.map((text, at) => {
    const row = rows.find(({ id }) => id === String(at));
    if (row === undefined) throw new Error(`nothing about ${text}`);
    const { matched_by, match_text, snippet, confidence, conflicts } = row;
    return { matched_by, match_text, snippet, confidence, conflicts };
  });
}

const WATER = { title: "Water Infrastructure Act of 2021", number: "H.R. 7", congress: 117 };
const PREFIXES = ["H.R.", "S.", "H. Res.", "S. Res.", "H.J. Res.", "S.J. Res.", "H. Con. Res.", "S. Con. Res."];
const AMENDMENTS = ["H. Amdt.", "S. Amdt."];

it("any form of any number counts for a bill of that kind and number, and for no other; a text without one does not count", async () => {
  const prefix = fc.constantFrom(...PREFIXES, ...AMENDMENTS);
  const number = fc.integer({ min: 1, max: 9999 });
  const filler = fc.array(fc.constantFrom("WE", "DEBATE", "TODAY,", "AND", "PASSED.", "COLLEAGUES", ">>"), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(prefix, number, prefix, number, filler, async (of, digits, otherPrefix, otherNumber, words) => {
      const bill = { number: `${of} ${digits}` };
      const queries = archive.explainSpeechesOnBill(bill).match(/(?<=^").*(?="$)/gm) ?? [];
      // Digits or number words alone are a number of anything.
      const forms = queries.filter((query) => /^(?:[A-Z]|amend)/.test(query));
      fc.pre(forms.length > 0);
      const passages = forms.map((form) => `${words.join(" ")}; I RISE ON ${form}, MR. PRESIDENT. ${words.join(" ")}`);
      for (const { confidence } of await judged(passages, bill)) expect(confidence).toBeGreaterThanOrEqual(0.5);
      const isShared = AMENDMENTS.includes(of) && AMENDMENTS.includes(otherPrefix);
      const others = [
        ...(otherNumber === digits ? [] : [`${of} ${otherNumber}`]),
        ...(otherPrefix === of || isShared ? [] : [`${otherPrefix} ${digits}`]),
      ];
      for (const other of others)
        for (const { confidence } of await judged(passages, { number: other })) expect(confidence, other).toBe(0);
      expect(await judged([`${words.join(" ")} A`], bill)).toMatchObject([{ matched_by: null, confidence: 0 }]);
    }),
    { numRuns: runs(15, 300) },
  );
});

it("a title is found whatever stands between its words, but not across a full stop", async () => {
  const gaps = [" ", "\n", "\r\n", "  ", "-", " - ", "\u2028", "\t"];
  const pairs = gaps.flatMap((one) => gaps.map((other) => [one, other] as const));
  const titles = pairs.map(([one, other]) => `WE PASSED, the Water${one}Infrastructure${other}Act`);
  const capitals = titles.map((text) => text.toUpperCase());
  for (const found of await judged([...titles, ...capitals]))
    expect(found).toMatchObject({ matched_by: "title", confidence: 0.95, conflicts: [] });
  for (const found of await judged(gaps.map((gap) => `THE WATER${gap}INFRASTRUCTURE. ACT`)))
    expect(found).toMatchObject({ confidence: 0.19, conflicts: ["phrase across a full stop"] });
});

it("a title counts by the words around it", async () => {
  const cases: Array<[text: string, confidence: number, conflicts: string[]]> = [
    ["THE WATER INFRASTRUCTURE ACT OF 2021", 0.95, []],
    ["WATER INFRASTRUCTURE ACT", 0.95, []],
    ["THE WATER INFRASTRUCTURE ACT'S SPONSOR", 0.95, []],
    ["SENATOR SMITH'S WATER INFRASTRUCTURE ACT", 0.95, []],
    ["THE WATER & INFRASTRUCTURE ACT", 0, ["not in the text"]],
    ["OUR SPLENDID WATER INFRASTRUCTURE ACT", 0.71, ["unclear beginning"]],
    ["AMERICA'S WATER INFRASTRUCTURE ACT", 0.19, ["longer title"]],
    ["THE CLEAN AIR AND WATER INFRASTRUCTURE ACT", 0.19, ["longer title"]],
    ["THE WATER INFRASTRUCTURE ACT REAUTHORIZATION ACT", 0.19, ["longer title"]],
    ["THE ROAD ACT AND WATER INFRASTRUCTURE ACT", 0.71, ["unclear beginning"]],
    ["THE WATER INFRASTRUCTURE ACT OF 1996", 0.19, ["another year"]],
    ["THE WATER INFRASTRUCTURE ACT OF NINETEEN NINETY-SIX", 0.19, ["another year"]],
    ["THE WATER INFRASTRUCTURE ACT OF THE 116TH CONGRESS", 0.14, ["another Congress"]],
    ["THE WATER INFRASTRUCTURE ACT OF THE 117TH CONGRESS", 0.95, []],
    ["IN THE LAST CONGRESS THE WATER INFRASTRUCTURE ACT DIED", 0.14, ["another Congress"]],
    ["S. 12, THE WATER INFRASTRUCTURE ACT", 0.19, ["another bill's number"]],
    ["THE WATER INFRASTRUCTURE ACT, ALSO KNOWN AS H.R. 70", 0.19, ["another bill's number"]],
    ["THE ROAD ACT, S. 12, THE WATER INFRASTRUCTURE ACT", 0.95, []],
    ["S. 12 AND THE WATER INFRASTRUCTURE ACT", 0.95, []],
    ["H.R. 7, THE WATER INFRASTRUCTURE ACT", 1, []],
  ];
  const found = await judged(cases.map(([text]) => text));
  expect(found.map(({ confidence, conflicts }, at) => [cases[at]?.[0], confidence, conflicts])).toEqual(cases);
  const lost = [
    "THE EXPANSION OF FLEXIBILITY ACT",
    "THE E PANSION OF FLE IBILIT ACT",
    "THE EXTENSION OF FLEXIBILITY ACT",
  ];
  const damaged = await judged(lost, { billtitle: "E pansion of Fle ibilit  Act" });
  expect(damaged.map(({ confidence }) => confidence)).toEqual([0.95, 0.95, 0]);
});

it("a number counts with the prefix of a bill, unless it counts something else", async () => {
  const cases: Array<[text: string, number: string, confidence: number]> = [
    ["H. R. 5,376", "H.R. 5376", 0.95],
    ["HR5376 AND H.R. 7", "H.R. 5376", 0.95],
    ["H.R. 53-76", "H.R. 5376", 0.95],
    ["SENATE BILL NO. 12", "S. 12", 0.95],
    ["HOUSE RESOLUTION 5 IS NOT H.R. 5", "H. Res. 5", 0.95],
    ["S. J. RES. 10", "S.J. Res. 10", 0.95],
    ["JOINT RESOLUTION 10", "S.J. Res. 10", 0.85],
    ["H.R. ONE HUNDRED SEVENTEEN", "H.R. 117", 0.95],
    ["WHEN WE PASSED FIFTY-THREE SEVENTY-SIX", "H.R. 5376", 0.55],
    ["U.S. 1", "S. 1", 0.05],
    ["PAGE S 360", "S. 360", 0.05],
    ["S 1 MILLION", "S. 1", 0.09],
    ["TEXAS SENATE BILL 8", "S. 8", 0.09],
    ["HOUSE BILL. 12 MEMBERS", "H.R. 12", 0],
    ["THE SENATE BILL ONE OF US WROTE", "S. 1", 0],
    ["THAT'S 5, LET'S 12", "S. 5", 0],
    ["24 HR 7 DAYS", "H.R. 7", 0.09],
    ["H.R. 117TH", "H.R. 117", 0],
    ["S. 5.5 PERCENT", "S. 5", 0],
    ["5376 DOLLARS, SECTION 1, ROLL CALL 12", "H.R. 5376", 0],
    ["IN NINETEEN NINETY-SIX", "H.R. 1996", 0],
    ["FIFTY-THREE SEVENTY-SIX DOLLARS", "H.R. 5376", 0],
  ];
  const found = [];
  for (const [text, number] of cases) found.push([text, number, (await judged([text], { number }))[0]?.confidence]);
  expect(found).toEqual(cases);
});

it("says what matched, with the words around it", async () => {
  const text = `${"MR. PRESIDENT, ".repeat(20)}H.R. 7,\nTHE WATER INFRASTRUCTURE ACT, IS NEXT. ${"I YIELD. ".repeat(20)}`;
  const [{ matched_by, match_text, snippet } = {}] = await judged([text]);
  expect([matched_by, match_text]).toEqual(["both", "H.R. 7, THE WATER INFRASTRUCTURE ACT"]);
  expect(snippet).toMatch(/^….*PRESIDENT, H\.R\. 7, THE WATER INFRASTRUCTURE ACT, IS NEXT\. .*…$/);
  expect(snippet?.length).toBeLessThan(220);
});
