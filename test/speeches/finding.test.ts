import { describe, expect, it } from "vitest";
import { type PolarsFrame, provenanceOf } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { idsOf } from "../scan/pagedServer.js";
import { pathOf, senator, speech, speechArchive, withPhrase } from "./speechServer.js";

const says = (id: number, personid: number | undefined, text: string, more: object = {}) =>
  speech(id, personid, { text, ...more });
const ids = (frame: PolarsFrame) => idsOf(frame).sort((a, b) => a - b);
const queries = (requests: ReadonlyArray<{ url: string }>) => [
  ...new Set(requests.filter((one) => pathOf(one as never) === "/mentions").map((one) => queryOf(one).query)),
];

describe("a bare number", () => {
  const row = { billtitle: "Tax Act", billnumber: "12", congress: 117 };
  it("is that of the chamber beside the title, and only that chamber's other forms are searched", async () => {
    const rows = [says(1, 7, "S. 12, THE TAX ACT"), says(2, 7, "ON S. 12 I VOTE AYE"), says(3, 7, "H.R. 12 IS OPEN")];
    const { server, archive } = await speechArchive({
      found: (query) => withPhrase(rows, query),
      people: { 7: senator(7) },
    });
    const frame = await archive.speechesOnBill(row);
    expect(ids(frame)).toEqual([1, 2]);
    expect(queries(server.requests)).toContain('"Senate Bill 12"');
    expect(queries(server.requests)).not.toContain('"House Bill 12"');
    expect(queries(server.requests)).not.toContain('"12"');
    expect(provenanceOf(frame)?.speeches?.rejected).toEqual([
      { bill: { title: "Tax Act", number: "12", congress: 117 }, reason: "another bill's number", speeches: 1 },
    ]);
  });

  it("that no text decides counts for neither chamber by default, which the report says", async () => {
    const { archive } = await speechArchive({
      found: () => [says(1, 7, "S. 12 IS OPEN"), says(2, 7, "H.R. 12 IS OPEN")],
      people: { 7: senator(7) },
    });
    const frame = await archive.speechesOnBill(row);
    const { rejected } = provenanceOf(frame)?.speeches ?? {};
    expect(frame.height).toBe(0);
    expect(rejected).toMatchObject([{ reason: "chamber unknown", speeches: 2 }]);
    const all = await archive.speechesOnBill(row, { minConfidence: 0 });
    expect(all.select("confidence", "conflicts").rows()).toEqual(Array(2).fill([0.48, ["chamber unknown"]]));
  });

  const elsewhere = says(9, 7, "H.R. 12 IS OPEN", { programid: 999 });
  it.each([
    ["beside the title", [says(1, 7, "S. 12, THE TAX ACT"), says(2, 7, "S. 12")], [1, 2]],
    ["not the one beside another title", [says(1, 7, "H.R. 12, THE ROAD ACT"), says(2, 7, "S. 12")], [2]],
    ["in a program that names the title", [says(1, 7, "THE TAX ACT"), says(2, 8, "S. 12"), elsewhere], [1, 2]],
  ])("has the chamber %s", async (_where, rows, expected) => {
    const { archive } = await speechArchive({ found: () => rows, people: { 7: senator(7), 8: senator(8) } });
    expect(ids(await archive.speechesOnBill(row))).toEqual(expected);
  });

  it("has the chamber beside a word of the title, and not that beside a title that shares only 'and' and 'Act'", async () => {
    const rows = [
      says(1, 7, "S. 12 IS ABOUT INSULIN PRICING", { programid: 1 }),
      says(2, 7, "H.R. 12, THE INTELLIGENCE RESEARCH AND ACCOUNTABILITY ACT", { programid: 2 }),
      says(3, 7, "H.R. 12 IS OPEN", { programid: 3 }),
    ];
    const { archive } = await speechArchive({ found: () => rows, people: { 7: senator(7) } });
    const billtitle = "Prescription Drug Pricing and Accountability Act";
    expect(ids(await archive.speechesOnBill({ ...row, billtitle }))).toEqual([1]);
  });
});

describe("speakers without an id", () => {
  const rows = [
    speech(1, 7, { person: "ANN EXAMPLE,U.S. Senator" }),
    speech(2, 999999, { person: "Ann Example" }),
    speech(3, undefined, { person: "Sen. Ann Éxample" }),
    speech(4, 999999, { person: "Ben Example,U.S. Senator,Ohio" }),
    speech(5, 999999, { person: "Cal Caller" }),
    speech(6, 999999, { person: "Presiding Officer" }),
  ];
  const serve = () => speechArchive({ found: () => rows, people: { 7: senator(7, "Ann Example") } });

  it("have the id of the only speaker with their name, or the title behind it, and are marked and counted", async () => {
    const { archive } = await serve();
    const frame = await archive.speechesOnBill({ title: "Tax Act", videotypes: ["Speech"] });
    expect(frame.select("id", "personid", "speaker_from").rows()).toEqual([
      ["1", 7, "id"],
      ["2", 7, "name"],
      ["3", 7, "name"],
      ["4", 999999, "title"],
    ]);
    expect(provenanceOf(frame)?.speeches?.included[0]).toMatchObject({ personid: 7, speeches: 3, inferred: 2 });
    const plain = await archive.speechesOnBill({ title: "Tax Act", inferSpeakers: false });
    expect(ids(plain)).toEqual([1]);
  });

  it("stay unidentified if two speakers have the name", async () => {
    const { archive } = await speechArchive({
      found: () => [...rows.slice(0, 2), speech(9, 8, { person: "Ann Example" })],
      people: { 7: senator(7), 8: senator(8) },
    });
    expect(ids(await archive.speechesOnBill({ title: "Tax Act" }))).toEqual([1, 9]);
  });
});

it("a row without text counts, and the reason for it is there", async () => {
  const { archive } = await speechArchive({ found: () => [says(1, 7, " ")], people: { 7: senator(7) } });
  const frame = await archive.speechesOnBill({ title: "Tax Act" });
  expect(frame.select("matched_by", "confidence", "conflicts").rows()).toEqual([[null, null, ["no text"]]]);
});
