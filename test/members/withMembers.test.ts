import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { PolarsFrame } from "../../src/index.js";
import { pl, toDataFrame } from "../../src/index.js";
import { type LegislatorRecord, membersReport, withMembers } from "../../src/members/index.js";
import { allOf } from "../scan/pagedServer.js";
import { warningsOf } from "../util/warningsOf.js";
import { RECORDS } from "./shippedRecords.js";

interface MentionRow {
  readonly personid: number | null;
  readonly person: string;
  readonly begintime: string | null;
}

function mentions(rows: readonly MentionRow[]): PolarsFrame {
  const frame = toDataFrame(
    rows.map((row, at) => ({ id: String(at), ...row })),
    { operation: "mentions" },
  );
  return frame.select("id", "personid", "person", "begintime");
}

const DAY = "2025-02-01T17:00:00Z";

/** A speaker, a day, and what these columns have for it. */
type Joined = readonly [personid: number | null, person: string, day: string, ...values: unknown[]];

/** Joins rows at noon in Washington, and checks the columns. */
async function expectJoined(columns: string, rows: readonly Joined[], legislators?: LegislatorRecord[]) {
  const frame = mentions(rows.map(([personid, person, day]) => ({ personid, person, begintime: `${day}T17:00:00Z` })));
  const result = await withMembers(frame, { legislators });
  expect(result.select(...columns.split(" ")).rows()).toEqual(rows.map(([, , , ...values]) => values));
  return { rows: result.toRecords() as Record<string, unknown>[], report: membersReport(result) };
}

function named(last: string, first?: string): LegislatorRecord {
  const found = RECORDS.find(({ name }) => name.last === last && (first === undefined || name.first === first));
  if (found === undefined) throw new Error(`nobody is called ${last}`);
  return found;
}

describe("withMembers", () => {
  it("takes the day of Washington, and the last day of a term beyond the date of the data", async () => {
    const schiff = named("Schiff").id.cspan as number;
    const at = (begintime: string) => ({ personid: schiff, person: "Adam Schiff", begintime });
    const frame = mentions([
      at("2024-12-09T04:59:59Z"),
      at("2024-12-09T05:00:00Z"),
      at("2030-07-01T00:00:00Z"),
      at("2031-01-04T04:59:59Z"),
      at("2031-01-04T05:00:00Z"),
    ]);
    const result = await withMembers(frame);
    expect(result.getColumn("chamber").toArray()).toEqual(["house", "senate", "senate", "senate", null]);
    onTestFinished(() => void vi.unstubAllEnvs());
    // As text without a zone, wherever it is read.
    const texts = ["2024-12-09 04:59:59", "2024-12-09T05:00", "2030-07-01", "2031-01-04 04:59:59.000", "5"];
    for (const zone of ["Asia/Tokyo", "America/Los_Angeles"]) {
      vi.stubEnv("TZ", zone);
      const read = await withMembers(frame.withColumns(pl.Series("begintime", texts, pl.Utf8)));
      expect(read.getColumn("chamber").toArray()).toEqual(["house", "senate", "senate", "senate", null]);
    }
    expect(membersReport(result)).toMatchObject({ rows: 5, byId: 4, notInOffice: 1 });
  });

  it("infers by a unique name where the row or the data has no id", async () => {
    const { report } = await expectJoined("bioguide inferred", [
      [null, "Maria Cantwell", "2025-02-01", "C000127", true],
      [999_999, "Sen. Cantwell", "2025-02-01", null, null],
      [999_999, "CANTWELL, Maria", "2025-02-01", null, null],
      [999_999, "Maria Cantwell,Director,Center for Studies", "2025-02-01", null, null],
      [999_999, "Nanette Barragan", "2025-02-01", "B001300", true],
      [999_999, "Nanette D. Barragán,Attorney,U.S. Representative", "2025-02-01", "B001300", true],
      [999_999, "Mike Johnson", "2025-02-01", "J000299", true],
      [999_999, "Pablo José Hernández", "2025-02-01", "H001103", true],
      [999_999, "Pablo Hernandez Rivera", "2025-02-01", "H001103", true],
      [999_999, "Hank Johnson, Jr.", "2025-02-01", "J000288", true],
      [999_999, "Henry C. Johnson,Jr.,U.S. Representative", "2025-02-01", "J000288", true],
      [999_999, "Johnson", "2025-02-01", null, null],
      [999_999, "Presiding Officer", "2025-02-01", null, null],
    ]);
    expect(report).toMatchObject({ rows: 13, byName: 8, noMember: 5, byId: 0 });
  });

  it("lists names that contradict an id, and does not join them", async () => {
    const cantwell = named("Cantwell").id.cspan as number;
    const kiley = { ...named("Cantwell"), id: { bioguide: "X1", cspan: 5 }, name: { first: "Ann", last: "Lee" } };
    const other = { ...kiley, id: { bioguide: "X2" }, name: { first: "Bob", last: "Lee" } };
    const { report } = await expectJoined("bioguide", [
      [cantwell, "Julia Brownley", "2025-02-01", null],
      [12, "Maria Cantwell", "2025-02-01", null],
      [cantwell, "Unidentified Speaker", "2025-02-01", "C000127"],
      [cantwell, "", "2025-02-01", "C000127"],
    ]);
    const member = { bioguide: "C000127", name: "Maria Cantwell", rows: 1 };
    expect(report?.contradictions).toEqual([
      { reason: "other name", personid: cantwell, person: "Julia Brownley", ...member },
      { reason: "other id", personid: 12, person: "Maria Cantwell", ...member },
    ]);
    // The family name agrees, but the name is that of another member.
    const relatives: Joined[] = [
      [5, "Bob Lee", "2025-02-01", null],
      [5, "A. Lee", "2025-02-01", "X1"],
    ];
    await expectJoined("bioguide", relatives, [kiley, other]);
  });

  it("decides a name of two members by the chamber, or not at all", async () => {
    const may = (bioguide: string, suffix: string, type: "sen" | "rep") => ({
      id: { bioguide },
      name: { first: "Rob", last: "May", suffix },
      terms: [{ type, start: "2025-01-03", end: "2027-01-03", state: "NJ", party: "Democrat" }],
    });
    const [father, son] = [may("F1", "Sr.", "sen"), may("S1", "Jr.", "rep")];
    const rows: Joined[] = [
      [null, "Rob May", "2025-02-01", null],
      [null, "Rob May,U.S. Senator", "2025-02-01", "F1"],
      [null, "Rob May,U.S. Representative,U.S. Senator", "2025-02-01", null],
      [null, "Rob May,Jr.", "2025-02-01", "S1"],
      [null, "Rob May,State Senator", "2025-02-01", null],
    ];
    const { report } = await expectJoined("bioguide", rows, [father, son]);
    expect(report).toMatchObject({ byName: 2, ambiguous: 2, noMember: 1 });
    await expectJoined("bioguide", [[null, "Rob May,U.S. Senator", "2025-02-01", null]], [son]);
  });

  it("gives batches for a scan, a lazy frame or frames", async () => {
    const frame = mentions([
      { personid: 994, person: "Bernie Sanders", begintime: "2020-01-10T12:00:00Z" },
      { personid: null, person: "Maria Cantwell", begintime: "2020-01-10T12:00:00Z" },
      { personid: 4, person: "Ann Else", begintime: null },
    ]);
    const expected = await withMembers(frame);
    expect(expected.getColumn("party").toArray()).toEqual(["Independent", "Democrat", null]);
    const batches = withMembers([frame.head(1), frame.slice(1, 2)]);
    expect(pl.concat(await allOf(batches)).frameEqual(expected, true)).toBe(true);
    expect(membersReport(batches)).toEqual(membersReport(expected));
    const [whole] = await allOf(withMembers(frame.lazy()));
    expect(whole?.frameEqual(expected, true)).toBe(true);
    const empty = await withMembers(frame.head(0));
    expect([empty.height, empty.columns]).toEqual([0, expected.columns]);
  });

  it("refuses frames without the columns, with columns of these names, and other things", async () => {
    const frame = mentions([{ personid: 994, person: "Bernie Sanders", begintime: "2020-01-10T12:00:00Z" }]);
    await expect(withMembers(frame.drop("person"))).rejects.toThrow("invalid frame: missing columns person.");
    await expect(withMembers(await withMembers(frame))).rejects.toThrow(
      "invalid frame: it already has columns bioguide, ",
    );
    expect(() => withMembers("frame" as never)).toThrow('invalid source: "frame".');
    expect(() => withMembers(frame, { legislator: [] } as never)).toThrow("Did you mean legislators?");
    expect(() => withMembers(frame, { legislators: {} as never })).toThrow("invalid legislators: {}.");
    expect(() => withMembers(frame, { legislators: [{ id: {} }] as never })).toThrow(
      "invalid legislators: id.bioguide of member 1",
    );
  });
});

it("says that members are missing, with the reason, unless most rows are joined", async () => {
  const about = (personid: number | null, ...names: string[]) =>
    warningsOf(() => withMembers(mentions(names.map((person) => ({ personid, person, begintime: DAY })))));
  expect((await about(null, "Maria Cantwell", "Mike Johnson", "Nobody")).warnings).toEqual([]);
  const [[, nobody] = []] = (await about(999_999, "Nobody")).warnings;
  expect(nobody).toMatch(/^withMembers joined 0 of 1 rows to unitedstates\/.*No row has an identified speaker/);
  const [[, others] = []] = (await about(17, "Nobody", "Somebody")).warnings;
  expect(others).toMatch(/^withMembers joined 0 of 2 rows with an identified speaker to .*of different archives/);
});
