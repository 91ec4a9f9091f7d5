import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ValidationError } from "../../src/index.js";
import { checkCongress, congressDates, ordinal } from "../../src/speeches/congressDates.js";
import { numberForms, queryVariants } from "../../src/speeches/queryVariants.js";

describe("the forms of a number", () => {
  it.each([
    ["H.R. 5376", ['"H.R. 5376"', '"HR 5376"', '"H R 5376"']],
    ["HR 0012", ['"H.R. 12"', '"HR 12"', '"H R 12"']],
    ["S. 1234", ['"S. 1234"', '"S 1234"']],
    ["H.Res. 24", ['"H.Res. 24"', '"HRes 24"', '"H Res 24"']],
    ["S.Res. 24", ['"S.Res. 24"', '"SRes 24"', '"S Res 24"']],
    ["H.J.Res. 7", ['"H.J.Res. 7"', '"HJRes 7"', '"H J Res 7"']],
    ["S.J.Res. 10", ['"S.J.Res. 10"', '"SJRes 10"', '"S J Res 10"']],
    ["H.Con.Res. 3", ['"H.Con.Res. 3"', '"HConRes 3"', '"H Con Res 3"']],
    ["S.Con.Res. 3", ['"S.Con.Res. 3"', '"SConRes 3"', '"S Con Res 3"']],
    ["P.L. 117-169", ['"P.L. 117-169"']],
    ['Senate  Bill "9"', ['"Senate Bill 9"']],
    ["5376", ['"5376"']],
    ["constructor 5", ['"constructor 5"']],
  ])("of %s", (number, forms) => {
    expect(numberForms(number)).toEqual(forms);
  });

  const kinds = [["H", "R"], ["S"], ["H", "Res"], ["S", "Res"], ["H", "J", "Res"], ["S", "Con", "Res"]];
  it("do not depend on the spelling of the number", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.integer({ min: 1, max: 99_999 }),
        fc.array(fc.constantFrom("", " ", ".", ". ", "  "), { minLength: 3, maxLength: 3 }),
        fc.constantFrom("", " "),
        fc.constantFrom("as typed", "upper", "lower"),
        (parts, digits, gaps, around, letters) => {
          const text = `${around}${parts.map((part, at) => part + gaps[at]).join("")}${digits}${around}`;
          const typed = { "as typed": text, upper: text.toUpperCase(), lower: text.toLowerCase() }[letters] as string;
          expect(numberForms(typed)).toEqual(numberForms(`${parts.join(".")}. ${digits}`));
        },
      ),
    );
  });
});

describe("the queries for a bill", () => {
  const none = { title: undefined, number: undefined, variants: undefined };
  it("are the title as a phrase, then the forms of the number, each once", () => {
    expect(queryVariants({ ...none, title: ' The  "Inflation"\nReduction Act ' })).toEqual([
      '"The Inflation Reduction Act"',
    ]);
    expect(queryVariants({ ...none, title: "Tax Act", number: "hr 12" })).toEqual([
      '"Tax Act"',
      '"H.R. 12"',
      '"HR 12"',
      '"H R 12"',
    ]);
    expect(queryVariants({ ...none, title: "HR 12", number: "H.R. 12" })).toEqual(['"HR 12"', '"H.R. 12"', '"H R 12"']);
  });

  it("take a number without prefix only with a title", () => {
    expect(queryVariants({ ...none, title: "Tax Act", number: "5376" })).toEqual(['"Tax Act"', '"5376"']);
    expect(() => queryVariants({ ...none, number: " 5376 " })).toThrow(
      'invalid number: " 5376 ". Digits alone match anything. Add the prefix, for example number: "H.R. 5376", or a title.',
    );
  });

  it("of the caller replace all others", () => {
    expect(queryVariants({ title: "Tax Act", number: "5", variants: ["ira", '"I.R.A."', "ira"] })).toEqual([
      "ira",
      '"I.R.A."',
    ]);
  });

  it.each([
    ["nothing to search for", {}],
    ["a title of quotes", { title: '""' }],
    ["a number without digits", { number: "H.R." }],
    ["a number without digits beside a title", { title: "Tax Act", number: "H.R." }],
    ["a number of 80,000 characters", { number: `H.R. ${"0".repeat(80_000)}x1` }],
    ["digits alone, 80,000 of them", { number: "5".repeat(80_000) }],
    ["a number of quotes", { title: "Tax Act", number: '""' }],
    ["no variant", { variants: [] }],
    ["variants as a string", { variants: "ira" }],
    ["an empty variant", { variants: ["ira", " "] }],
  ])("throw for %s", (_what, words) => {
    const call = () => queryVariants({ ...none, ...words });
    expect(call).toThrow(ValidationError);
    expect(call).toThrow(/^.{1,300}$/);
  });
});

describe("the dates of a Congress", () => {
  it.each([
    [117, "2021-01-03", "2023-01-03"],
    [119, "2025-01-03", "2027-01-03"],
    [74, "1935-01-03", "1937-01-03"],
    [73, "1933-03-04", "1935-01-03"],
    [72, "1931-03-04", "1933-03-04"],
    [1, "1789-03-04", "1791-03-04"],
    [200, "2187-01-03", "2189-01-03"],
  ])("of the %i.", (congress, mindate, maxdate) => {
    expect(congressDates(congress)).toEqual({ mindate, maxdate });
  });

  it("begin in odd years, last two years, and are contiguous", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 199 }), (congress) => {
        const { mindate, maxdate } = congressDates(congress);
        const [from, to] = [mindate, maxdate].map((day) => Number(day.slice(0, 4))) as [number, number];
        expect([from % 2, to - from]).toEqual([1, 2]);
        expect(congressDates(congress + 1).mindate).toBe(maxdate);
      }),
    );
  });
});

describe("the number of a Congress", () => {
  it("is taken from numbers, digits and ordinals", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (congress) => {
        for (const value of [
          congress,
          BigInt(congress),
          `${congress}`,
          ordinal(congress),
          ` ${ordinal(congress)} Congress`,
        ])
          expect(checkCongress(value)).toBe(congress);
      }),
    );
    expect([1, 2, 3, 4, 11, 12, 13, 21, 101, 111, 112, 122].map(ordinal).join(" ")).toBe(
      "1st 2nd 3rd 4th 11th 12th 13th 21st 101st 111th 112th 122nd",
    );
  });

  it.each([0, 201, 1.5, -1, Number.NaN, "0", "201st", "117st", "112nd", "1e2", "last", "", null, {}, [117]])(
    "%s throws",
    (value) => {
      expect(() => checkCongress(value)).toThrow(/^invalid congress: .*Give a number from 1 to 200/);
    },
  );
});
