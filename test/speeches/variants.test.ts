import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { speechArchive } from "./speechServer.js";

const archive = clientTo({ baseUrl: "http://127.0.0.1:9" });

/** The queries for a bill: those that are sent first, or all of them. */
function queries(bill: object, part: "first" | "all" = "first"): string[] {
  const [first = "", later = ""] = archive.explainSpeechesOnBill(bill).split("\nIf these find something:\n");
  return `${first}\n${part === "all" ? later : ""}`.trim().split("\n");
}

/** Phrases in quotes, of a list of them. */
const quoted = (list: string) => list.split(" | ").map((form) => `"${form}"`);

describe("the forms of a number", () => {
  it.each([
    [
      "H.R. 5376",
      "5376 | fifty-three seventy-six",
      "5,376 | five three seven six | five thousand three hundred seventy-six | H.R.5376 | HR5376",
    ],
    [
      "HR 0012",
      "HR 0012 | H.R. 12 | HR 12 | H.R. twelve",
      "House Bill 12 | H R 12 | H.R.12 | HR12 | House Bill twelve",
    ],
    // A year.
    [
      "S. 2019",
      "S. 2019 | S. two thousand nineteen",
      "Senate Bill 2019 | S 2019 | S.2019 | S2019 | Senate Bill two thousand nineteen",
    ],
  ])("of %s are those that are usual, and then the others", (number, first, later) => {
    expect(queries({ number })).toEqual(quoted(first));
    expect(queries({ number }, "all")).toEqual(quoted(`${first} | ${later}`));
  });

  const kinds = [["H", "R"], ["S"], ["H", "Res"], ["S", "Res"], ["H", "J", "Res"], ["S", "Con", "Res"], ["S", "Amdt"]];
  it("do not depend on the spelling of the number, except for the one that was typed", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.integer({ min: 1, max: 99_999 }),
        fc.array(fc.constantFrom("", " ", ".", ". ", "  "), { minLength: 3, maxLength: 3 }),
        fc.constantFrom("as typed", "upper", "lower"),
        (parts, digits, gaps, letters) => {
          const text = `${parts.map((part, at) => part + gaps[at]).join("")}${digits}`;
          const typed = { "as typed": text, upper: text.toUpperCase(), lower: text.toLowerCase() }[letters] as string;
          const usual = `${parts.join(".")}. ${digits}`;
          const others = [typed, usual].map((form) => `"${form.replace(/\s+/g, " ").toLowerCase()}"`);
          const formsOf = (number: string) =>
            new Set(
              queries({ number }, "all")
                .map((query) => query.toLowerCase())
                .filter((query) => !others.includes(query)),
            );
          expect(formsOf(typed)).toEqual(formsOf(usual));
        },
      ),
    );
  });
});

describe("the queries for a bill", () => {
  it("are the title as a phrase without article, Act and year, then the forms of the number, each once", () => {
    expect(queries({ title: " The Bipartisan\nInflation Reduction Act of 2022 " })).toEqual([
      '"Bipartisan Inflation Reduction"',
    ]);
    expect(queries({ title: "Water Act or the WAVE Act" })).toEqual(['"Water Act"', '"WAVE Act"']);
    expect(queries({ title: "Tax Act", number: "s 12" }).slice(0, 3)).toEqual(['"Tax Act"', '"s 12"', '"S. 12"']);
    // Two words without "Act" find too much else.
    expect(queries({ title: "Clean Water Act" }, "all")).toEqual(
      quoted("Clean Water Act | Clean Water Act's | Clean Water bill"),
    );
  });

  it("of a number without prefix have the prefixes of both chambers, or the digits alone if they are rare", () => {
    const both = queries({ title: "Tax Act", number: "537" });
    expect(both).toEqual(['"Tax Act"', '"five thirty-seven"', '"H.R. 537"', '"S. 537"']);
    const rare = queries({ title: "Tax Act", number: "5376" });
    expect(rare).toEqual(['"Tax Act"', '"5376"', '"fifty-three seventy-six"']);
  });

  it("of a row with lost letters are the repaired title, or the part without damage", () => {
    const billtitle = "Fle ibilit  in Water Moderni ation Act";
    expect(queries({ billtitle, billnumber: "47" }).slice(0, 2)).toEqual([
      '"Flexibility in Water Modernization"',
      '"H.R. 47"',
    ]);
    expect(queries({ billtitle: "Stud  of Qua luk Wilderness Protection Plans" })).toEqual([
      '"Study of Qua luk Wilderness Protection Plans"',
      '"Wilderness Protection Plans"',
    ]);
  });

  it("of a row ignore quotes and wildcards, and a title of one word", () => {
    expect(queries({ billtitle: 'The "Tax* Act?' })).toEqual(['"Tax Act"']);
    expect(queries({ billtitle: "Budget", billnumber: "5" })[0]).toBe('"H.R. 5"');
    expect(() => queries({ billtitle: "Budget" })).toThrow(/^invalid title: "Budget"/);
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
    hr: "H.R. 5",
    s: "S. 5",
    hres: "House Resolution 5",
    sres: "Senate Resolution 5",
    hjres: "House Joint Resolution 5",
    sjres: "Senate Joint Resolution 5",
    hconres: "House Concurrent Resolution 5",
    sconres: "Senate Concurrent Resolution 5",
  };
  const kindsOf = (billtitle: string | undefined) => {
    const searched = queries({ billtitle, billnumber: "5" });
    return Object.entries(forms).flatMap(([kind, form]) => (searched.includes(`"${form}"`) ? [kind] : []));
  };

  it.each([
    ["Making Housing Affordable Act", ["hr", "s"]],
    ["A concurrent resolution on the budget", ["hconres", "sconres"]],
    ["Providing for consideration of the bill", ["hres", "sres"]],
    ["Recognizing the importance of libraries", ["hres", "sres", "hconres", "sconres"]],
    ["Disapproving the rule submitted by an agency", ["hjres", "sjres"]],
    [undefined, ["hr", "s"]],
  ])("with the title %s", (title, kinds) => {
    expect(kindsOf(title)).toEqual(kinds);
  });
});

describe("the queries of several bills", () => {
  it("are each named once, the first ones before those that depend on them", () => {
    const bills = [{ title: "Tax Act", congress: 117 }, { variants: ["tax"] }, { title: "Tax Act", congress: 117 }];
    expect(archive.explainSpeechesOnBill(bills)).toBe('"Tax Act"\ntax\nIf these find something:\n"Tax Act\'s"');
  });

  it("end with the first ones if these find nothing, and the report says so", async () => {
    const { server, archive } = await speechArchive();
    const frame = await archive.speechesOnBill({ billtitle: "Tax Act", billnumber: "5376", congress: 117 });
    expect([server.requests.length, provenanceOf(frame)?.requests]).toEqual([3, 3]);
    expect(provenanceOf(frame)?.speeches?.variants).toHaveLength(3);
  });
});
