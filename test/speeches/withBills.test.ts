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

/** A bill of api.congress.gov, with the members that its documentation lists. */
const STATUS = {
  number: "5376",
  updateDateIncludingText: "2024-03-13T19:22:28Z",
  originChamber: "House",
  type: "HR",
  introducedDate: "2021-09-27",
  congress: 117,
  committees: { count: 1, url: "https://example.org/committees" },
  relatedBills: { count: 1, url: "https://example.org/relatedbills" },
  sponsors: [
    {
      bioguideId: "Y000062",
      fullName: "Rep. Yarmuth, John A. [D-KY-3]",
      firstName: "John",
      lastName: "Yarmuth",
      party: "D",
      state: "KY",
      district: 3,
      isByRequest: "N",
    },
  ],
  laws: [{ type: "Public Law", number: "117-169" }],
  policyArea: { name: "Economics and Public Finance" },
  title: "An Act to provide for reconciliation",
  latestAction: { actionDate: "2022-08-16", text: "Became Public Law No: 117-169." },
};
const READ = {
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
};

/** The same bill in the XML of govinfo, version 3.0.0, as a converter writes it: texts alone, a list under its item. */
const { sponsors, ...others } = STATUS;
const BULK = {
  ...others,
  congress: "117",
  sponsors: { item: sponsors[0] },
  laws: { item: { type: "Public Law", number: "117-169" } },
  relatedBills: {
    item: { title: "Another Act", congress: "117", number: "2", type: "S", latestAction: { text: "x" } },
  },
  actions: { item: [{ actionDate: "2022-08-16", text: "Signed by President.", type: "President" }] },
  latestAction: { ...STATUS.latestAction, actionTime: "12:34:00", links: null },
};
/** Version 1.0.0, and the version before it. */
const { type, number, ...unnamed } = BULK;
const OLDER = { ...unnamed, billType: type, billNumber: number, recordedVotes: null, notes: "" };
const { policyArea, ...OLD } = OLDER;
const OLDEST = { ...OLD, primarySubject: { ...policyArea, parentSubject: null } };
const wrapped = (bill: object) => ({ billStatus: { version: "3.0.0", bill, dublinCore: { "dc:format": "text/xml" } } });
/** Some converters make every element a list. */
const listed = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, [listed(inner)]]))
    : value;

const TABLE = `congress,type,number,title,introducedDate,policyArea.name,latestAction.actionDate,latestAction.text,sponsors.item.fullName,sponsors.item.bioguideId
117,HR,5376,An Act to provide for reconciliation,2021-09-27,Economics and Public Finance,2022-08-16,Became Public Law No: 117-169.,"Rep. Yarmuth, John A. [D-KY-3]",Y000062
`;

const CSV = `congress,type,number,title,sponsor,policy_area,introduced,latest_action
117,hr,5376,"An Act, to provide",Yarmuth,Economics,2021-09-27,Law
117,,S. 12,Another,Smith,,2021-01-28,
118,sjres,10,Third,Jones,Energy,2023-02-02,
`;

describe("billsOf", () => {
  it.each([
    ["the API: one bill", { bill: STATUS, request: { congress: "117", billType: "hr", billNumber: "5376" } }],
    ["the API: a list", { bills: [STATUS], pagination: { count: 1 }, request: { congress: "117" } }],
    ["the API: many files in a list", [{ bill: STATUS }]],
    ["bills alone", [STATUS]],
    ["bulk data", wrapped(BULK)],
    ["bulk data: many files in a list", [wrapped(BULK)]],
    ["bulk data: every element a list", { billStatus: [listed({ bill: { ...BULK, actions: null } })] }],
    ["bulk data: numbers as numbers", wrapped({ ...BULK, congress: 117, number: 5376 })],
    ["bulk data: a list in an item", { bills: { item: [BULK] } }],
    ["bulk data of version 1.0.0", wrapped(OLDER)],
    ["bulk data before version 1.0.0", wrapped(OLDEST)],
  ])("reads bill status as JSON: %s", async (_what, content) => {
    const text = JSON.stringify(content);
    expect(toRecords(await billsOf(fileOf("status.json", text)))).toEqual([READ]);
    expect(toRecords(await billsOf(fileOf("marked.json", `\uFEFF${text}`)))).toEqual([READ]);
  });

  it("reads the bills of a list of the API, which has neither sponsor nor policy area", async () => {
    const { congress, title, latestAction } = STATUS;
    const listing = { congress, type: "HR", originChamberCode: "H", title, latestAction, number: "5376" };
    const text = JSON.stringify({ bills: [listing, { ...listing, number: "1", title: "" }] });
    const bills = await billsOf(fileOf("list.json", text));
    const nothing = { sponsor: null, sponsor_bioguide: null, policy_area: null, introduced: null };
    expect(toRecords(bills)).toEqual([
      { ...READ, ...nothing },
      { ...READ, ...nothing, number: 1, title: null },
    ]);
  });

  it("reads a day that no calendar has as none", async () => {
    const latestAction = { ...STATUS.latestAction, actionDate: "2022-02-31" };
    const path = fileOf("days.json", JSON.stringify({ ...STATUS, introducedDate: "2021-99-99", latestAction }));
    expect(toRecords(await billsOf(path))[0]).toMatchObject({ introduced: null, latest_action_date: null });
  });

  it.each([
    ["points", TABLE],
    ["underscores", TABLE.replace(/^.*/, (header) => header.replaceAll(".", "_"))],
    ["a byte order mark", `\uFEFF${TABLE.replaceAll("\n", "\r\n")}`],
  ])("reads bill status as CSV, the names of members with %s", async (_what, text) => {
    expect(toRecords(await billsOf(fileOf("status.csv", text)))).toEqual([READ]);
  });

  it("reads numbers as pandas writes them beside gaps", async () => {
    const bills = await billsOf(fileOf("floats.csv", "congress,type,number\n117.0,hr,5376.0\n"));
    expect(bills.select("congress", "number").rows()).toEqual([[117, 5376]]);
  });

  it("reads CSV, with numbers with and without prefix", async () => {
    const bills = await billsOf(fileOf("bills.csv", CSV));
    expect(bills.select("congress", "type", "number", "sponsor").rows()).toEqual([
      [117, "hr", 5376, "Yarmuth"],
      [117, "s", 12, "Smith"],
      [118, "sjres", 10, "Jones"],
    ]);
    expect(bills.getColumn("policy_area").toArray()).toEqual(["Economics", null, "Energy"]);
  });

  it.each([
    ["a bill without type", fileOf("a.csv", "congress,number\n117,5376\n"), /bill 1 is \{.*It needs congress, type/],
    ["an unknown Congress", fileOf("b.csv", "congress,type,number\n999,hr,5376\n"), /bill 1 is .*It needs congress/],
    ["no JSON", fileOf("c.json", "{"), /It cannot be read/],
    ["no file", join(root, "none.json"), /It cannot be read/],
    ["an empty list", fileOf("d.json", "[]"), /The file has no bills/],
  ])("refuses %s", async (_what, path, message) => {
    await expect(billsOf(path)).rejects.toThrow(ValidationError);
    await expect(billsOf(path)).rejects.toThrow(message);
  });
});

describe("withBills", async () => {
  const bills = await billsOf(fileOf("known.csv", CSV));

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

  it("joins speeches, and leaves a number alone that two bills have", async () => {
    const speeches = toDataFrame([
      { bill_congress: 117, bill_number: "H.R. 5376", bill_title: "x" },
      { bill_congress: 117, bill_number: "S.12", bill_title: "x" },
      { bill_congress: null, bill_number: "S.12", bill_title: "x" },
    ]);
    expect(withBills(speeches, bills).getColumn("status_sponsor").toArray()).toEqual(["Yarmuth", "Smith", null]);
    const danfo = withBills(toDataFrame(speeches, { engine: "danfo" }), bills);
    expect(danfo.status_sponsor.values).toEqual(["Yarmuth", "Smith", null]);
    const both = await billsOf(fileOf("both.csv", "congress,type,number\n117,hr,1\n117,s,1\n"));
    const bare = toDataFrame([{ congress: 117, billnumber: "1", billtitle: "Some Act", link: "" }]);
    expect(withBills(bare, both).getColumn("status_type").toArray()).toEqual([null]);
  });

  it("joins bulk data to bills and speeches", async () => {
    const text = JSON.stringify([wrapped(BULK), wrapped({ ...OLDER, billType: "SJRES" })]);
    const bulk = await billsOf(fileOf("bulk.json", text));
    const rows = [
      { congress: 117, billnumber: "5376", billtitle: "Inflation Reduction Act", link: "https://e.org/117/hr5376" },
      { congress: 117, billnumber: "5376", billtitle: "A joint resolution on it", link: "" },
    ];
    const listed = withBills(toDataFrame(rows, { operation: "bills" }), bulk);
    expect(listed.getColumn("status_type").toArray()).toEqual(["hr", "sjres"]);
    const spoken = withBills(toDataFrame([{ bill_congress: 117, bill_number: "H.R. 5376", bill_title: "x" }]), bulk);
    const { congress, number, ...status } = READ;
    const joined = Object.entries(status).map(([name, value]) => [`status_${name}`, value]);
    expect(toRecords(spoken)[0]).toMatchObject(Object.fromEntries(joined));
  });

  it("refuses other frames", () => {
    expect(() => withBills(pl.DataFrame({ a: [1] }), bills)).toThrow("Give a frame of archive.bills");
    const frame = pl.DataFrame({ congress: [117], billnumber: ["1"], status_type: ["x"] });
    expect(() => withBills(frame, bills)).toThrow("it already has columns status_type");
    expect(() => withBills(frame.drop("status_type"), pl.DataFrame({ a: [1] }))).toThrow("Give a frame of billsOf");
  });
});
