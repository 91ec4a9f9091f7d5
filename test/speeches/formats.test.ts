import { describe, expect, it } from "vitest";
import { pl, provenanceOf, valueCounts } from "../../src/index.js";
import { displayBundle } from "../notebook/bundles.js";
import { senator, speech, speechArchive, TEXT } from "./speechServer.js";

const BILL = { title: "Tax Act", number: "S. 9", congress: 117, videotypes: ["Speech"] } as const;
const COLUMNS = (
  "bill_title bill_number bill_congress personid name title speaker_from videotype variants matched_by " +
  "match_text snippet confidence conflicts speeches id begintime length person text programid programPublicId " +
  "programTitle videoTypeId link"
).split(" ");
const ROWS = [speech(1, 7), speech(2, 8), speech(3, 7, { text: `=1+1,"x" ${TEXT}` })];
const people = { 7: senator(7, "Ann"), 8: senator(8, "Ben") };
const finding = (rows: readonly object[]) => ({
  found: (query: string) => (query === '"Tax Act"' ? rows : []),
  people,
});

describe("the frame", () => {
  it("has the same columns and dtypes with and without rows", async () => {
    const { archive } = await speechArchive(finding(ROWS));
    const { archive: empty } = await speechArchive({ people });
    const frames = [await archive.speechesOnBill(BILL), await empty.speechesOnBill(BILL)];
    for (const frame of frames) {
      expect(frame.columns).toEqual(COLUMNS);
      expect(frame.dtypes.map(String)).toEqual(frames[0]?.dtypes.map(String));
      const { bill_congress, personid, variants, conflicts, confidence } = frame.schema;
      expect([bill_congress, personid, variants, conflicts, confidence].map((type) => type?.variant)).toEqual([
        "Int64",
        "Int64",
        "List",
        "List",
        "Float64",
      ]);
    }
    expect(frames.map((frame) => frame.height)).toEqual([3, 0]);
    expect(frames[0]?.getColumn("variants").toArray()).toEqual(Array(3).fill(['"Tax Act"']));
    expect(provenanceOf(frames[1])?.verdict).toBe("complete");
  });

  it("keeps undeclared members, nested ones, and those named like one of our columns", async () => {
    const { archive } = await speechArchive(
      finding([
        speech(1, 7, { persontitle: "Senator", late: 5, by: { hand: true } }),
        speech(2, 7, { title: "U.S. Senator", name: "N", speeches: "S", variants: ["v"], bill_title: "B", id: "x2" }),
      ]),
    );
    const frame = await archive.speechesOnBill({ ...BILL, number: undefined });
    const more = ["mention_title", "mention_name", "mention_speeches", "mention_variants", "mention_bill_title"];
    expect(frame.columns).toEqual([...COLUMNS, "persontitle", "late", "by", ...more]);
    expect(frame.select("title", "id", ...more).rows()).toEqual([
      ["Senator", "1", null, null, null, null, null],
      ["Senator", "x2", "U.S. Senator", "N", "S", ["v"], "B"],
    ]);
    expect(frame.select("late", "by").rows()).toEqual([
      [5, '{"hand":true}'],
      [null, null],
    ]);
  });

  it("keeps integers beyond 2^53 exact", async () => {
    const row = JSON.stringify(speech(1, 7)).replace('"length":30', '"length":9007199254740993');
    const { archive } = await speechArchive({
      people,
      instead: ({ url }) => (url.includes("mentions") ? { body: `{"mentions":[${row}]}` } : undefined),
    });
    const frame = await archive.speechesOnBill(BILL);
    expect(frame.select(pl.col("length").cast(pl.Utf8)).rows()).toEqual([["9007199254740993"]]);
  });

  it("in danfo has the same columns and rows", async () => {
    const { archive } = await speechArchive({ ...finding(ROWS), client: { engine: "danfo" } });
    const frame = await archive.speechesOnBill(BILL);
    expect([frame.columns, frame.shape]).toEqual([COLUMNS, [3, COLUMNS.length]]);
    expect(frame.loc({ columns: ["name", "id"] }).values).toEqual([
      ["Ann", "1"],
      ["Ann", "3"],
      ["Ben", "2"],
    ]);
    expect(provenanceOf(frame)?.speeches?.included).toHaveLength(2);
  });

  it("has its own number of rows in the footer of a display, not that of all rows found", async () => {
    const { archive } = await speechArchive({ found: () => ROWS, people });
    const frame = await archive.speechesOnBill(BILL);
    expect(provenanceOf(frame)?.rows).toBeGreaterThan(frame.height);
    expect(displayBundle(frame)?.["text/plain"]).toMatch(/ · 3 rows from \d+, complete · /);
    const counted = displayBundle(valueCounts(frame, "name"))?.["text/plain"];
    expect(counted).toMatch(/ · 2 rows from \d+, complete · reduced to 3 speeches by 2 speakers · counted by /);
  });

  it("is what lastResult() returns, whatever the format", async () => {
    const { archive } = await speechArchive(finding(ROWS));
    const frame = await archive.speechesOnBill(BILL);
    expect(archive.lastResult()?.frame).toBe(frame);
    await archive.speechesOnBill({ ...BILL, format: "csv" });
    const fetched = archive.lastResult();
    expect(fetched).toMatchObject({ rows: 3, cursor: undefined });
    expect(frame.frameEqual(fetched?.frame as typeof frame)).toBe(true);
  });
});

describe("the other formats", () => {
  it("json is the object of the specification, with the rows as the service sent them", async () => {
    const { archive } = await speechArchive(finding(ROWS));
    const expected = {
      bill: { title: "Tax Act", number: "S. 9", congress: 117 },
      videotypes: ["Speech"],
      senators: [
        { personid: 7, name: "Ann", title: "U.S. Senator", speeches: [ROWS[0], ROWS[2]] },
        { personid: 8, name: "Ben", title: "U.S. Senator", speeches: [ROWS[1]] },
      ],
    };
    const result = await archive.speechesOnBill({ ...BILL, format: "json" });
    expect(result).toEqual(expected);
    expect(JSON.parse(JSON.stringify(result))).toEqual(expected);
    expect(provenanceOf(result)?.speeches?.bills).toHaveLength(1);
    const { videotypes, ...bill } = BILL;
    expect(await archive.speechesOnBill([bill], { videotypes, format: "json" })).toEqual([expected]);
  });

  it("records and csv are the rows", async () => {
    const { archive } = await speechArchive({ ...finding(ROWS), client: { outputFormat: "records" } });
    const rows = await archive.speechesOnBill(BILL);
    const about = { bill_title: "Tax Act", bill_number: "S. 9", bill_congress: 117, title: "U.S. Senator" };
    const found = {
      speaker_from: "id",
      videotype: "Speech",
      variants: ['"Tax Act"'],
      matched_by: "title",
      match_text: "TAX ACT",
      confidence: 0.95,
      conflicts: [],
    };
    const [plain, formula] = [TEXT, `=1+1,"x" ${TEXT}`].map((snippet) => ({ ...found, snippet }));
    expect(rows).toEqual([
      { ...about, name: "Ann", ...plain, speeches: 2, ...ROWS[0] },
      { ...about, name: "Ann", ...formula, speeches: 2, ...ROWS[2] },
      { ...about, name: "Ben", ...plain, speeches: 1, ...ROWS[1] },
    ]);
    const [header, , second] = (await archive.speechesOnBill({ ...BILL, format: "csv" })).split("\r\n");
    expect(header).toBe(COLUMNS.join(","));
    expect(second).toContain('Tax Act,S. 9,117,7,Ann,U.S. Senator,id,Speech,"[""\\""Tax Act\\""""]",title,TAX ACT,');
    expect(second).toContain(`"=1+1,""x"" ${TEXT}"`);
  });
});
