import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALL_KINDS, BILL_KINDS, type BillKind, readBillNumber } from "../../src/speeches/judge/billKinds.js";
import { type JudgedBill, judge } from "../../src/speeches/judge/judge.js";
import { readText } from "../../src/speeches/judge/numberMentions.js";
import { titlePatterns } from "../../src/speeches/judge/titlePattern.js";
import { numberVariants } from "../../src/speeches/queryVariants.js";

const NOTHING: JudgedBill = {
  ...{ kinds: [], number: undefined, congress: 117 },
  ...{ titles: [], shortTitles: [] },
};
const WATER: JudgedBill = {
  ...NOTHING,
  kinds: ["hr"],
  number: "7",
  titles: titlePatterns("Water Infrastructure Act of 2021"),
};
const judged = (text: string, bill: JudgedBill = WATER) => judge(readText(text), bill);
const read = (text: string) =>
  readText(text).mentions.map(({ kinds, number, flaw }) => `${kinds.join("/")} ${number}${flaw ? ` ${flaw}` : ""}`);

const kind = fc.constantFrom(...ALL_KINDS);
const number = fc.integer({ min: 1, max: 9999 }).map(String);
/** Words without numbers, prefixes and titles. */
const filler = fc.array(fc.constantFrom("WE", "DEBATE", "TODAY,", "AND", "PASSED.", "COLLEAGUES", ">>"), {
  maxLength: 6,
});
const letters = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
);

describe("any form of any number", () => {
  const form = fc.tuple(kind, number).chain(([of, digits]) => {
    // Digits alone are a number of anything.
    const forms = numberVariants(digits, digits, [of]).filter(({ isWide }) => !isWide);
    return fc.constantFrom(...forms).map(({ query }) => ({ of, digits, query }));
  });

  it("is read as that number and no other", () => {
    fc.assert(
      fc.property(form, filler, letters, ({ of, digits, query }, words, capitals) => {
        // A year that is read out is no number of a bill.
        fc.pre(
          /\d|[A-Za-z.]+ .*(?:one|two|three|four|five|six|seven|eight|nine|ten|teen|ty|hundred|thousand)/i.test(query),
        );
        const found = readText(capitals(`${words.join(" ")}; ${query}; ${words.join(" ")}`)).mentions;
        const isBareWords =
          !/\d/.test(query) && !BILL_KINDS[of].spoken.some((one) => query.startsWith(one.replace("#", "")));
        if (isBareWords) expect(found.every((mention) => mention.number === digits)).toBe(true);
        else expect(found.map((mention) => [mention.number, mention.kinds.includes(of)])).toEqual([[digits, true]]);
      }),
    );
  });

  it("counts for a bill of that kind and number, and for no other", () => {
    fc.assert(
      fc.property(form, kind, number, ({ of, digits, query }, otherKind, otherNumber) => {
        fc.pre(query.includes(digits));
        const text = `I RISE ON ${query}, MR. PRESIDENT.`;
        const confidence = (bill: Partial<JudgedBill>) => judged(text, { ...NOTHING, ...bill }).confidence;
        expect(confidence({ kinds: [of], number: digits })).toBeGreaterThanOrEqual(0.5);
        if (otherNumber !== digits) expect(confidence({ kinds: [of], number: otherNumber })).toBe(0);
        const isShared = of.endsWith("amdt") && otherKind.endsWith("amdt");
        if (otherKind !== of && !isShared) expect(confidence({ kinds: [otherKind], number: digits })).toBe(0);
      }),
    );
  });

  it("is typed back as it is read", () => {
    fc.assert(
      fc.property(form, ({ of, digits, query }) => {
        fc.pre(query.includes(digits));
        expect(readBillNumber(query)?.number).toBe(digits);
        expect(readBillNumber(query)?.kinds).toContain(of);
      }),
    );
  });
});

describe("a text without numbers and title words", () => {
  it("never counts", () => {
    fc.assert(
      fc.property(filler, fc.constantFrom(...ALL_KINDS), (words, of) => {
        expect(judged(words.join(" "), { ...WATER, kinds: [of as BillKind] })).toMatchObject({
          matchedBy: null,
          confidence: 0,
        });
      }),
    );
  });
});

describe("a title", () => {
  it("is found whatever stands between its words, but not across a full stop", () => {
    const gap = fc.constantFrom(" ", "\n", "\r\n", "  ", "-", " - ", "\u2028", "\t");
    fc.assert(
      fc.property(filler, gap, gap, letters, (words, one, other, capitals) => {
        const text = capitals(`${words.join(" ")}, the Water${one}Infrastructure${other}Act`);
        expect(judged(text)).toMatchObject({ matchedBy: "title", confidence: 0.95, conflicts: [] });
        const broken = judged(`THE WATER${one}INFRASTRUCTURE. ACT`);
        expect([broken.confidence, broken.conflicts]).toEqual([0.19, ["phrase across a full stop"]]);
      }),
    );
  });

  it.each([
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
    ["IN THE ONE HUNDRED SIXTEENTH CONGRESS THE WATER INFRASTRUCTURE ACT DIED", 0.14, ["another Congress"]],
    ["S. 12, THE WATER INFRASTRUCTURE ACT", 0.19, ["another bill's number"]],
    ["THE WATER INFRASTRUCTURE ACT, ALSO KNOWN AS H.R. 70", 0.19, ["another bill's number"]],
    ["THE ROAD ACT, S. 12, THE WATER INFRASTRUCTURE ACT", 0.95, []],
    ["S. 12 AND THE WATER INFRASTRUCTURE ACT", 0.95, []],
    ["H.R. 7, THE WATER INFRASTRUCTURE ACT", 1, []],
  ])("%s", (text, confidence, conflicts) => {
    const judgement = judged(text);
    expect([judgement.confidence, judgement.conflicts]).toEqual([confidence, conflicts]);
  });

  it("that lost letters is found with any of them", () => {
    const bill = { ...NOTHING, titles: titlePatterns("E pansion of Fle ibilit  Act", true) };
    expect(judged("THE EXPANSION OF FLEXIBILITY ACT", bill).confidence).toBe(0.95);
    expect(judged("THE E PANSION OF FLE IBILIT ACT", bill).confidence).toBe(0.95);
    expect(judged("THE EXTENSION OF FLEXIBILITY ACT", bill).confidence).toBe(0);
  });
});

describe("a number in a text", () => {
  it.each([
    ["H. R. 5,376", ["hr 5376"]],
    ["HR5376 AND H.R.5376", ["hr 5376", "hr 5376"]],
    ["H.R. 53-76", ["hr 5376"]],
    ["SENATE BILL NO. 12", ["s 12"]],
    ["HOUSE RESOLUTION 5 IS NOT H.R. 5", ["hres 5", "hr 5"]],
    ["S.J.RES. 10, S. J. RES. 10", ["sjres 10", "sjres 10"]],
    ["JOINT RESOLUTION 10", ["hjres/sjres 10"]],
    ["H.R. ONE HUNDRED SEVENTEEN", ["hr 117"]],
    ["U.S. 1", ["s 1 U.S. 1"]],
    ["PAGE S 360", ["s 360 page of the Record"]],
    ["S 1 MILLION", ["s 1 amount"]],
    ["TEXAS SENATE BILL 8", ["s 8 state bill"]],
    ["HOUSE BILL. 12 MEMBERS", []],
    ["THE SENATE BILL ONE OF US WROTE", []],
    ["THAT'S 5, LET'S 12", []],
    ["24 HR 7 DAYS", []],
    ["H.R. 117TH", []],
    ["S. 5.5 PERCENT", []],
    ["5376 DOLLARS, SECTION 1, ROLL CALL 12", []],
    ["IN NINETEEN NINETY-SIX", []],
    ["FIFTY-THREE SEVENTY-SIX DOLLARS", []],
  ])("%s", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});

it("says what matched, with the words around it", () => {
  const text = `${"MR. PRESIDENT, ".repeat(20)}H.R. 7,\nTHE WATER INFRASTRUCTURE ACT, IS NEXT. ${"I YIELD. ".repeat(20)}`;
  const { matchedBy, matchText, snippet } = judged(text);
  expect([matchedBy, matchText]).toEqual(["both", "H.R. 7, THE WATER INFRASTRUCTURE ACT"]);
  expect(snippet).toMatch(/^….*PRESIDENT, H\.R\. 7, THE WATER INFRASTRUCTURE ACT, IS NEXT\. .*…$/);
  expect(snippet?.length).toBeLessThan(220);
});
