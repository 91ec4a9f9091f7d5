import { describe, expect, it } from "vitest";
import { type ArchiveClient, type PolarsFrame, pl, provenanceOf, ValidationError } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { errorOf } from "../service/helpers.js";
import { lookUps, senator, speech, speechArchive } from "./speechServer.js";

const ROW = { id: 1, congress: 117, billnumber: "5376", billtitle: "Tax Act" };
/** The first queries for a bill with the number 5376 whose chamber is unknown. */
const QUERIES = ['"Tax Act"', '"5376"', '"fifty-three seventy-six"'];

describe("a row of bills", () => {
  const forms: Array<[string, (archive: ArchiveClient) => Promise<PolarsFrame>]> = [
    ["itself", (archive) => archive.speechesOnBill(ROW)],
    ["with options beside it", (archive) => archive.speechesOnBill(ROW, { chamber: "senate" })],
    ["in a list", (archive) => archive.speechesOnBill([ROW])],
    ["spelled out", (archive) => archive.speechesOnBill({ title: "Tax Act", number: 5376, congress: "117" })],
  ];
  it.each(forms)("%s: searches by title, the number in both chambers, and Congress", async (_how, call) => {
    const { server, archive } = await speechArchive();
    const frame = await call(archive);
    expect(
      provenanceOf(frame)?.speeches?.variants.map(({ bill, query, videotype }) => [bill, query, videotype]),
    ).toEqual(QUERIES.map((query) => [{ title: "Tax Act", number: "5376", congress: 117 }, query, null]));
    expect(new Set(server.requests.map((request) => queryOf(request).maxdate))).toEqual(new Set(["2023-01-02"]));
    expect(provenanceOf(frame)?.parameters).toMatchObject({ videotypes: "Speech, Debate", minConfidence: "0.5" });
  });
});

describe("a typed bill is read whole", () => {
  const read = async (bill: object) => {
    const { archive } = await speechArchive();
    const frame = await archive.speechesOnBill(bill as { title: string });
    return provenanceOf(frame)?.speeches?.bills[0];
  };

  it.each(["hr5376-117", "H.R. 5376 (117)", "hr5376/117", "HR 5376 (117th Congress)"])("the id %s", async (number) => {
    const { bill, typed } = (await read({ number })) ?? {};
    expect([bill?.number?.replace(/\W/g, "").toLowerCase(), bill?.congress, typed]).toEqual(["hr5376", 117, number]);
    expect(await read({ number, congress: 117 })).toMatchObject({ bill: { congress: 117 } });
  });

  it.each([
    ["H.R. 5376: Inflation Reduction Act", "H.R. 5376", "Inflation Reduction Act"],
    ["H.R.5376 - Inflation Reduction Act of 2022", "H.R.5376", "Inflation Reduction Act of 2022"],
    ["Inflation Reduction Act (IRA)", null, "Inflation Reduction Act"],
    ["(IRA) Inflation Reduction Act", null, "Inflation Reduction Act"],
    ["Inflation Reduction Act (H.R. 5376)", "H.R. 5376", "Inflation Reduction Act"],
  ])("the title %s", async (typed, number, title) => {
    expect(await read({ title: typed })).toMatchObject({ bill: { title, number }, typed });
  });

  it.each(["Inflation Reduction Act", "Title 5: Pay Act", "Budget Act - Part (a)", "(a) Tax Act", "Tax Act, 2022"])(
    "%s is a title as it is",
    async (title) => {
      expect(await read({ title })).toMatchObject({ bill: { title, number: null }, typed: null });
    },
  );

  it.each([
    [{ number: "hr5376-117", congress: 118 }, "invalid number: it names Congress 117, and congress is 118."],
    [{ title: "H.R. 5376: Tax Act", number: "S. 5" }, 'invalid title: it names H.R. 5376, and number is "S. 5".'],
    [{ number: "P.L. 117-169" }, "Search others with variants: ['\"P.L. 117-169\"']."],
    [{ number: "hr5376-12" }, 'invalid number: "hr5376-12". Give prefix and digits of one bill'],
    [{ title: "Tax Act", number: "5376-117" }, 'invalid number: "5376-117". Give prefix and digits of one bill'],
  ])("%o is refused", async (bill, message) => {
    await expect(read(bill)).rejects.toThrow(message);
  });
});

describe("several bills", () => {
  const found = (query: string) => {
    if (query === '"Tax Act"') return [speech(1, 7), speech(2, 7), speech(3, 8)];
    return query === '"Road Act"' ? [speech(3, 8), speech(4, 9)] : [];
  };
  const people = { 7: senator(7), 8: senator(8), 9: { name: "Rep", title: "U.S. Representative" } };

  it("become one frame in the order of the bills, and each person is looked up once", async () => {
    const { server, archive } = await speechArchive({ found, people });
    const bills = [{ title: "Road Act", congress: 116 }, ROW, { title: "No Act", variants: ["none"] }];
    const frame = await archive.speechesOnBill(bills, { videotypes: ["Speech"] });
    expect(frame.select("bill_title", "bill_number", "bill_congress", "id", "speeches").rows()).toEqual([
      ["Road Act", null, 116, "3", 1],
      ["Tax Act", "5376", 117, "1", 2],
      ["Tax Act", "5376", 117, "2", 2],
      ["Tax Act", "5376", 117, "3", 1],
    ]);
    expect(lookUps(server).sort()).toEqual(["7", "8", "9"]);
    const { speeches, parameters } = provenanceOf(frame) ?? {};
    expect(speeches?.included.map(({ personid, speeches: count }) => [personid, count])).toEqual([
      [8, 2],
      [7, 2],
    ]);
    const rowsOf = (wanted: string) => speeches?.variants.find(({ query }) => query === wanted)?.rows;
    expect(['"Road Act"', '"Tax Act"', '"Tax Act\'s"', "none"].map(rowsOf)).toEqual([2, 3, 0, 0]);
    expect(JSON.parse(parameters?.bills ?? "")).toHaveLength(3);
    const spoken = speeches?.bills.map(({ bill, ...counts }) => [bill.title, counts.speeches, counts.speakers]);
    expect(spoken).toEqual([
      ["Road Act", 1, 1],
      ["Tax Act", 3, 2],
      ["No Act", 0, 0],
    ]);
  });

  it("a hundred at once send no request twice", async () => {
    // Companions share their title, every tenth bill is given twice, and the same people speak on all of them.
    const bills = Array.from({ length: 100 }, (_, at) => {
      const number = at % 10 === 9 ? at - 1 : at;
      return { title: `Tax Act ${Math.floor(number / 2)}`, number: `${number % 2 ? "S." : "H.R."} ${100 + number}` };
    });
    const perBill = (query: string) => {
      const which = Number(/\d+/.exec(query)?.[0] ?? 0);
      return query.includes("Tax") ? [speech(which + 1, 7 + (which % 3), { text: `THE TAX ACT ${which}` })] : [];
    };
    const { server, archive } = await speechArchive({ found: perBill, people });
    const frame = await archive.speechesOnBill(bills, { videotypes: ["Speech"], chamber: "any" });
    const sent = server.requests.map(({ url }) => url);
    expect(new Set(sent).size).toBe(sent.length);
    expect([frame.height, provenanceOf(frame)?.requests]).toEqual([100, sent.length]);
    expect(lookUps(server).sort()).toEqual(["7", "8", "9"]);
  });

  it("an empty list gives an empty result without a request", async () => {
    const { server, archive } = await speechArchive();
    expect((await archive.speechesOnBill([])).height).toBe(0);
    expect(await archive.speechesOnBill([], { format: "json" })).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("invalid arguments throw before any request", () => {
  const wrong: Array<[unknown, unknown, RegExp]> = [
    [undefined, undefined, /^invalid bill: undefined\. Give \{ title/],
    ["Tax Act", undefined, /^invalid bill: "Tax Act"\. Give \{ title/],
    [{}, undefined, /^invalid bill: undefined\. Give \{ title/],
    [{ title: "" }, undefined, /^invalid title: ""/],
    [{ number: "5376" }, undefined, /^invalid number: "5376"\. Digits alone/],
    [{ title: "Inflation" }, undefined, /^invalid title: "Inflation"\. Give two words or more.*use variants/],
    [{ title: 'The "Tax" Act' }, undefined, /^invalid title: .*A title is searched word for word/],
    [{ title: "Tax*" }, undefined, /^invalid title: "Tax\*"\. A title is searched word for word, without "\*"/],
    [{ title: "Tax Act", minConfidence: 2 }, undefined, /^invalid minConfidence: 2\. Give a number from 0 to 1/],
    [{ number: -1 }, undefined, /^invalid number: -1/],
    [{ title: "Tax Act", congress: "117st" }, undefined, /^invalid congress: "117st"/],
    [{ title: "Tax Act", titel: "y" }, undefined, /^invalid option of speechesOnBill: "titel"\. Did you mean title\?/],
    [{ title: "Tax Act", chamber: "Senat" }, undefined, /^invalid chamber: "Senat".*Did you mean "senate"/],
    [{ title: "Tax Act", inferSpeakers: 1 }, undefined, /^invalid inferSpeakers: 1/],
    [{ title: "Tax Act", videotypes: [] }, undefined, /^invalid videotypes: \[\]/],
    [{ title: "Tax Act", videotypes: ["Speech", ""] }, undefined, /^invalid videotypes: ""/],
    [{ title: "Tax Act", format: "xml" }, undefined, /^invalid format: "xml"/],
    [{ title: "Tax Act", format: "csv" }, { format: "json" }, /^invalid format: "json"\. It is given twice/],
    [{ title: "Tax Act" }, "csv", /^invalid options: "csv"/],
    [{ ...ROW, congress: 999 }, undefined, /^invalid congress: 999/],
    [[{ title: "Tax Act", format: "csv" }], undefined, /^invalid member of a bill: "format"/],
    [[{ title: "Tax Act" }], { title: "Road Act" }, /^invalid option of speechesOnBill: "title"/],
    [["x"], undefined, /^invalid bills\[0\]: "x"\. Give \{ title/],
    [{ number: `H.R. ${"1".repeat(80_000)}` }, undefined, /^invalid number: "H\.R\. 1+…"\. Give prefix and digits/],
    [{ number: "H.R. 0" }, undefined, /^invalid number: "H\.R\. 0"\. Give prefix and digits/],
    [{ number: "H.R. 5*" }, undefined, /^invalid number: "H\.R\. 5\*"\. Give prefix and digits/],
    [{ number: "H.R. 5, S. 6" }, undefined, /^invalid number: "H\.R\. 5, S\. 6"\. Give prefix and digits of one bill/],
    [{ number: "H.R.\u0000 5" }, undefined, /^invalid number: "H\.R\.\\u0000 5"\. Give prefix and digits/],
    [{ number: "H.R. \uff15" }, undefined, /^invalid number: .*Give prefix and digits/],
    [{ title: "The Act" }, undefined, /^invalid title: "The Act"\. Give two words or more/],
    [{ title: "\u{1F600} \u{1F600}" }, undefined, /^invalid title: .*Give two words or more/],
    [
      { title: "Tax\u001b[31m Act" },
      undefined,
      /^invalid title: "Tax\\u001b\[31m Act"\. A title is searched word for word/,
    ],
    [{ title: "\ud800 Tax Act" }, undefined, /^invalid title: .*A title is searched word for word/],
    [{ title: "x ".repeat(40_000) }, undefined, /^invalid title: "x x.*…"\. A title has at most 2000 characters/],
    [{ variants: "tax" }, undefined, /^invalid variants: "tax"\. Give a list of queries/],
    [{ variants: ['""'] }, undefined, /^invalid variants: .*Give a list of queries/],
    [{ variants: ["x".repeat(80_000)] }, undefined, /Give a list of queries of at most 2000 characters/],
    [[], { chamber: "x" }, /^invalid chamber/],
    [{ ...ROW, chamber: "any" }, undefined, /^invalid chamber: "any"\. Give options after the row/],
    [[pl.DataFrame([ROW])], undefined, /^invalid bills\[0\]: .*a list or frame of these\.$/s],
  ];
  it.each(wrong)("%j, %j", async (first, second, message) => {
    const { server, archive } = await speechArchive();
    const error = await errorOf(archive.speechesOnBill(first as never, second as object), ValidationError);
    expect(error.message).toMatch(message);
    expect(() => archive.explainSpeechesOnBill(first as never, second as object)).toThrow(message);
    expect(server.requests).toHaveLength(0);
  });
});

it("a frame of bills gives what the list of its rows gives, whatever other columns it has; null and empty values are missing", async () => {
  const bills = [ROW, { ...ROW, id: 2, billtitle: "Road Act", billnumber: "", congress: null }];
  const { archive } = await speechArchive({
    found: (query) => (query === '"Road Act"' ? [speech(1, 7)] : []),
    people: { 7: senator(7) },
    instead: ({ url }) => (url.startsWith("/bills") ? { body: { bills } } : undefined),
  });
  const frame = await archive.bills("x");
  const speeches = await archive.speechesOnBill(frame);
  expect(speeches.select("bill_title", "bill_number", "bill_congress").rows()).toEqual([["Road Act", null, null]]);
  expect(speeches.frameEqual(await archive.speechesOnBill(bills), true)).toBe(true);
  const wider = pl.DataFrame([{ title: "Tax Act", number: "S. 10", congress: 117, sponsor: "A" }]);
  expect(archive.explainSpeechesOnBill(wider)).toBe(
    archive.explainSpeechesOnBill({ title: "Tax Act", number: "S. 10", congress: 117 }),
  );
});
