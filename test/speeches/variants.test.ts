import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientSettings } from "../../src/call/clientSettings.js";
import { type BillPlan, firstVariants, planSpeeches } from "../../src/speeches/planSpeeches.js";

const defaults = clientSettings({ apiKey: "k".repeat(20), baseUrl: "http://127.0.0.1:9" });
const planned = (bill: object, options: object = {}) => planSpeeches(bill, options, defaults).bills[0] as BillPlan;

/** The queries that are sent first, or all. A row of bills has other names for title and number. */
function queries(
  { isRow = false, ...words }: Readonly<Record<string, unknown>>,
  shortTitles = false,
  withLater = false,
): string[] {
  const { title: billtitle, number: billnumber, link } = words;
  const plan = planned(isRow ? { billtitle, billnumber, link } : words, { shortTitles });
  const first = firstVariants(plan);
  return [...new Set(withLater ? [...first, ...plan.variants] : first)].map(({ query }) => query);
}

/** Phrases in quotes, of a list of them. */
const quoted = (list: string) => list.split(" | ").flatMap((form) => (form === "" ? [] : [`"${form}"`]));

describe("the forms of a number", () => {
  it.each([
    ["H.R. 5376", "5376 | fifty-three seventy-six", "5,376 | H.R.5376 | HR5376"],
    ["HR5376", "HR5376 | 5376 | fifty-three seventy-six", "5,376 | H.R.5376"],
    [
      "HR 0012",
      "HR 0012 | H.R. 12 | HR 12 | H.R. twelve",
      "House Bill 12 | H R 12 | H.R.12 | HR12 | House Bill twelve",
    ],
    ["S. 842", "S. 842 | eight forty-two", "Senate Bill 842 | S 842 | S.842 | S842"],
    // A round number, and a year.
    ["S. 2000", "S. 2000 | S. two thousand", "Senate Bill 2000 | S 2000 | S.2000 | S2000 | Senate Bill two thousand"],
    [
      "S. 2019",
      "S. 2019 | S. two thousand nineteen",
      "Senate Bill 2019 | S 2019 | S.2019 | S2019 | Senate Bill two thousand nineteen",
    ],
    ["H.R. 12345", "12345", "12,345 | H.R.12345 | HR12345"],
    ["H.Res. 24", "H.Res. 24 | House Resolution 24 | H. Res. 24 | House Resolution twenty-four", "H.Res.24 | HRes 24"],
    [
      "S.J. Res. 10",
      "S.J. Res. 10 | Senate Joint Resolution 10 | Senate Joint Resolution ten",
      "S.J.Res. 10 | SJ Res 10 | S J Res 10 | S.J.Res.10 | SJRes 10",
    ],
    [
      "S.Con.Res. 3",
      "S.Con.Res. 3 | Senate Concurrent Resolution 3 | S. Con. Res. 3 | Senate Concurrent Resolution three",
      "SCon Res 3 | S.Con.Res.3 | SConRes 3",
    ],
    ["S. Amdt. 5194", "5194 | fifty-one ninety-four", "5,194"],
    ["P.L. 117-169", "P.L. 117-169", ""],
    ["constructor 5", "constructor 5", ""],
  ])("of %s are searched one after another", (number, first, later) => {
    expect(queries({ number })).toEqual(quoted(first));
    expect(queries({ number }, false, true)).toEqual(quoted(`${first} | ${later}`));
  });

  const kinds = [["H", "R"], ["S"], ["H", "Res"], ["S", "Res"], ["H", "J", "Res"], ["S", "Con", "Res"], ["S", "Amdt"]];
  it("do not depend on the spelling of the number, except for the one that was typed", () => {
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
          const normal = (number: string) => queries({ number }, false, true).map((query) => query.toLowerCase());
          const own = `"${typed.trim().replace(/\s+/g, " ").toLowerCase()}"`;
          const usual = `${parts.join(".")}. ${digits}`;
          const without = (list: readonly string[]) =>
            new Set(list.filter((query) => query !== own && query !== `"${usual.toLowerCase()}"`));
          expect(without(normal(typed))).toEqual(without(normal(usual)));
          // What is joined to its prefix is a word of its own.
          if (!own.includes(` ${digits}`)) expect(normal(typed)[0]).toBe(own);
        },
      ),
    );
  });
});

describe("the queries for a bill", () => {
  it("are the title as a phrase without article, Act and year, then the forms of the number, each once", () => {
    expect(queries({ title: " The Inflation\nReduction Act of 2022 " })).toEqual(['"Inflation Reduction"']);
    expect(queries({ title: "Water Act or the WAVE Act" })).toEqual(['"Water Act"', '"WAVE Act"']);
    expect(queries({ title: "Tax Act", number: "s 12" }).slice(0, 3)).toEqual(['"Tax Act"', '"s 12"', '"S. 12"']);
    expect(queries({ title: "HR 12", number: "H.R. 12" })).toEqual(['"HR 12"', '"H.R. 12"', '"H.R. twelve"']);
    expect(queries({ title: "Clean Water Act" }, false, true)).toEqual(
      quoted("Clean Water | Clean Water Act | Clean Water Act's | Clean Water bill"),
    );
  });

  it("with shortTitles are also what people say instead", () => {
    expect(queries({ title: "Clean Water Act" }, true, true)).toEqual(
      quoted(
        "Clean Water | C.W.A. | CWA | Clean Water Act | Clean Water bill | Clean Water package | Clean Water law | " +
          "Clean Water legislation | Clean Water Act's",
      ),
    );
    expect(queries({ title: "Tax Act" }, true)).toEqual(['"Tax Act"']);
  });

  it("of a number without prefix have the prefixes of both chambers, or the digits alone if they are rare", () => {
    const both = queries({ title: "Tax Act", number: "537" });
    expect(both).toEqual(['"Tax Act"', '"five thirty-seven"', '"H.R. 537"', '"S. 537"']);
    const rare = queries({ title: "Tax Act", number: "5376" });
    expect(rare).toEqual(['"Tax Act"', '"5376"', '"fifty-three seventy-six"']);
    expect(() => queries({ number: " 5376 " })).toThrow(
      'invalid number: " 5376 ". Digits alone match anything. Add the prefix, for example number: "H.R. 5376", or a title.',
    );
  });

  it("of a row with lost letters are the repaired title, or the part without damage", () => {
    const title = "Fle ibilit  in Water Moderni ation Act";
    expect(queries({ title, number: "47", isRow: true }).slice(0, 2)).toEqual([
      '"Flexibility in Water Modernization"',
      '"H.R. 47"',
    ]);
    expect(queries({ title: "Xyqz of Za luv Wilderness Protection Stud  Act", isRow: true })).toHaveLength(1);
    expect(queries({ title: "Stud  of Qua luk Wilderness Protection Plans", isRow: true })).toEqual([
      '"Study of Qua luk Wilderness Protection Plans"',
      '"Wilderness Protection Plans"',
    ]);
  });

  it("of a row ignore quotes and wildcards, and a title of one word", () => {
    expect(queries({ title: 'The "Tax* Act?', isRow: true })).toEqual(['"Tax Act"']);
    const [first] = queries({ title: "Budget", number: "5", isRow: true });
    expect(first).toBe('"H.R. 5"');
    expect(() => queries({ title: "Budget", isRow: true })).toThrow(/^invalid title: "Budget"/);
  });

  it("of the caller replace all others", () => {
    expect(queries({ title: "Tax Act", number: "5", variants: ["ira", '"I.R.A."', "ira"] })).toEqual([
      "ira",
      '"I.R.A."',
    ]);
  });
});

describe("the kinds of a bare number", () => {
  const forms = {
    ...{ hr: "H.R. 5", s: "S. 5", hres: "House Resolution 5", sres: "Senate Resolution 5" },
    ...{ hjres: "House Joint Resolution 5", sjres: "Senate Joint Resolution 5", samdt: "amendment 5" },
    ...{ hconres: "House Concurrent Resolution 5", sconres: "Senate Concurrent Resolution 5" },
  };
  const kindsOf = (link: string | undefined, title: string | undefined) => {
    const searched = queries({ title, number: "5", link, isRow: true });
    return Object.entries(forms).flatMap(([kind, form]) => (searched.includes(`"${form}"`) ? [kind] : []));
  };

  it.each([
    ["https://x.example/hr5", ["hr"]],
    ["https://x.example/bill/117/hr-5", ["hr"]],
    ["https://x.example/bill/117/h.r.5", ["hr"]],
    ["https://x.example/bill/117/-h.r.-/5", ["hr"]],
    ["HTTPS://X.EXAMPLE/117/S.5", ["s"]],
    ["https://x.example/117th-congress/senate-bill/5", ["s"]],
    ["https://x.example/117th-congress/.senate-bill./5?s=all", ["s"]],
    ["https://x.example/house-joint-resolution/5", ["hjres"]],
    ["https://x.example/h.j.res.5", ["hjres"]],
    ["https://x.example/sconres5/text", ["sconres"]],
    ["https://x.example/s.amdt.5", ["samdt"]],
    ["https://x.example/?117/s5", ["s"]],
  ])("%s names one", (link, kinds) => {
    expect(kindsOf(link, "Tax Act")).toEqual(kinds);
  });

  it.each([
    // Names that every object has.
    "https://x.example/constructor/5",
    "https://x.example/tostring5",
    "https://x.example/__proto__/5",
    "https://x.example/hasownproperty/5",
    "https://x.example/hr15",
    "https://x.example/hr/55",
    "https://x.example/posts/5",
    "https://x.example/news-5",
    "",
    "s",
    "5",
  ])("%s names none, so the title decides", (link) => {
    expect(kindsOf(link, "Tax Act")).toEqual(["hr", "s"]);
  });

  it.each([
    ["Tax Act of 2021", ["hr", "s"]],
    ["Making Housing Affordable Act", ["hr", "s"]],
    ["A concurrent resolution on the budget", ["hconres", "sconres"]],
    ["Proposing an amendment to the Constitution", ["hjres", "sjres"]],
    ["Providing for consideration of the bill", ["hres", "sres"]],
    ["Recognizing the importance of libraries", ["hres", "sres", "hconres", "sconres"]],
    ["Disapproving the rule submitted by an agency", ["hjres", "sjres"]],
    ["Planning Act of 2021", ["hr", "s"]],
    [undefined, ["hr", "s"]],
  ])("with the title %s", (title, kinds) => {
    expect(kindsOf(undefined, title)).toEqual(kinds);
  });
});
