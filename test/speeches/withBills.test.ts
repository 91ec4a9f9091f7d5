import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { billsOf, pl, toDataFrame, toRecords, ValidationError, withBills } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();

function fileOf(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
}

/** A bill in the layout of the bill status of Congress. */
const STATUS = {
  congress: 117,
  type: "HR",
  number: "5376",
  title: "An Act to provide for reconciliation",
  introducedDate: "2021-09-27",
  policyArea: { name: "Economics and Public Finance" },
  sponsors: [{ bioguideId: "Y000062", fullName: "Rep. Yarmuth, John A. [D-KY-3]", party: "D" }],
  latestAction: { actionDate: "2022-08-16", text: "Became Public Law No: 117-169." },
};

const CSV = `congress,type,number,title,sponsor,policy_area,introduced,latest_action
117,hr,5376,"An Act, to provide",Yarmuth,Economics,2021-09-27,Law
117,,S. 12,Another,Smith,,2021-01-28,
118,sjres,10,Third,Jones,Energy,2023-02-02,
`;

describe("billsOf", () => {
  it.each([
    ["one bill", { bill: STATUS }],
    ["a list", [STATUS]],
    ["a mapping of a list", { bills: [STATUS] }],
  ])("reads bill status as JSON: %s", (_what, content) => {
    const bills = billsOf(fileOf("status.json", JSON.stringify(content)));
    expect(toRecords(bills)).toEqual([
      {
        congress: 117,
        type: "hr",
        number: 5376,
        title: "An Act to provide for reconciliation",
        sponsor: "Rep. Yarmuth, John A. [D-KY-3]",
        sponsor_bioguide: "Y000062",
        policy_area: "Economics and Public Finance",
        introduced: new Date("2021-09-27"),
        latest_action: "Became Public Law No: 117-169.",
        latest_action_date: new Date("2022-08-16"),
      },
    ]);
  });

  it("reads CSV, with numbers with and without prefix", () => {
    const bills = billsOf(fileOf("bills.csv", CSV));
    expect(bills.select("congress", "type", "number", "sponsor").rows()).toEqual([
      [117, "hr", 5376, "Yarmuth"],
      [117, "s", 12, "Smith"],
      [118, "sjres", 10, "Jones"],
    ]);
    expect(bills.getColumn("policy_area").toArray()).toEqual(["Economics", null, "Energy"]);
  });

  it.each([
    ["a bill without type", fileOf("a.csv", "congress,number\n117,5376\n"), /Bill 1 needs congress, type/],
    ["an unknown Congress", fileOf("b.csv", "congress,type,number\n999,hr,5376\n"), /Bill 1 needs congress/],
    ["no JSON", fileOf("c.json", "{"), /It cannot be read/],
    ["no file", join(root, "none.json"), /It cannot be read/],
    ["an empty list", fileOf("d.json", "[]"), /The file has no bills/],
  ])("refuses %s", (_what, path, message) => {
    expect(() => billsOf(path)).toThrow(ValidationError);
    expect(() => billsOf(path)).toThrow(message);
  });
});

describe("withBills", () => {
  const bills = billsOf(fileOf("known.csv", CSV));

  it("joins rows of bills by Congress, type and number", () => {
    const frame = toDataFrame(
      [
        { congress: 117, billnumber: "5376", billtitle: "Inflation Reduction Act", link: "https://e.org/117/hr5376" },
        { congress: 117, billnumber: "5376", billtitle: "Inflation Reduction Act", link: "" },
        { congress: 117, billnumber: "5376", billtitle: "x", link: "https://e.org/117/s5376" },
        { congress: 116, billnumber: "5376", billtitle: "x", link: "https://e.org/116/hr5376" },
        {
          congress: 118,
          billnumber: "10",
          billtitle: "A joint resolution disapproving a rule",
          link: "e.org/sjres/10",
        },
        { congress: 118, billnumber: null, billtitle: null, link: null },
      ],
      { operation: "bills" },
    );
    const joined = withBills(frame, bills);
    expect(joined.select(...frame.columns).frameEqual(frame, true)).toBe(true);
    expect(joined.getColumn("status_sponsor").toArray()).toEqual(["Yarmuth", "Yarmuth", null, null, "Jones", null]);
    expect(joined.getColumn("status_type").toArray()).toEqual(["hr", "hr", null, null, "sjres", null]);
    expect(joined.getColumn("status_introduced").dtype.variant).toBe("Date");
  });

  it("joins speeches, and leaves a number alone that two bills have", () => {
    const speeches = toDataFrame([
      { bill_congress: 117, bill_number: "H.R. 5376", bill_title: "x" },
      { bill_congress: 117, bill_number: "S.12", bill_title: "x" },
      { bill_congress: null, bill_number: "S.12", bill_title: "x" },
    ]);
    expect(withBills(speeches, bills).getColumn("status_sponsor").toArray()).toEqual(["Yarmuth", "Smith", null]);
    const danfo = withBills(toDataFrame(speeches, { engine: "danfo" }), bills);
    expect(danfo.status_sponsor.values).toEqual(["Yarmuth", "Smith", null]);
    const both = billsOf(fileOf("both.csv", "congress,type,number\n117,hr,1\n117,s,1\n"));
    const bare = toDataFrame([{ congress: 117, billnumber: "1", billtitle: "Some Act", link: "" }]);
    expect(withBills(bare, both).getColumn("status_type").toArray()).toEqual([null]);
  });

  it("refuses other frames", () => {
    expect(() => withBills(pl.DataFrame({ a: [1] }), bills)).toThrow("Give a frame of archive.bills");
    const frame = pl.DataFrame({ congress: [117], billnumber: ["1"], status_type: ["x"] });
    expect(() => withBills(frame, bills)).toThrow("it already has columns status_type");
    expect(() => withBills(frame.drop("status_type"), pl.DataFrame({ a: [1] }))).toThrow("Give a frame of billsOf");
  });
});
