import { expect, it } from "vitest";
import { openArchive, ValidationError } from "../../src/index.js";
import { buildRequest } from "../../src/service/operations/request.js";
import { errorOf } from "./helpers.js";

const mentions = (query: string, unchecked = false) => buildRequest("mentions", { query, unchecked }).query;

it.each([
  "“climate change”",
  "„climate change“",
  "« climate change »",
  '"climate change”',
  '"climate change',
  'climate change"',
  '""climate change""',
  'climate ""',
])("the query %s is refused: it has no phrase; unchecked it is sent", (query) => {
  expect(() => mentions(query)).toThrow("straight double quotes: query: '\"climate change\"'.");
  expect(mentions(query, true)).toEqual([["query", query]]);
});

it.each(["don’t ask", "the senators' bill", '"the ‘Buy American’ Act"', '"climate change" "carbon tax"'])(
  "the query %s is sent",
  (query) => {
    expect(mentions(query)).toEqual([["query", query]]);
  },
);

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
    () => archive.save("mentions", "nowhere.csv", { query }),
    () => archive.iterRecords("mentions", { query }).next(),
    () => archive.speechesOnBill({ title: "Inflation Reduction Act", variants: [query] } as never),
    () => archive.speechesOnBill({ title: "The «Inflation» Reduction Act" }),
  ];
  for (const call of calls) await errorOf(async () => call(), ValidationError);
  // The title of a row, which nobody typed, may have any.
  const row = { billtitle: "The “Inflation” Reduction «Act»", billnumber: "5376", congress: 117, id: 1, link: "" };
  expect(archive.explainSpeechesOnBill(row)).toContain("Inflation Reduction Act");
});
