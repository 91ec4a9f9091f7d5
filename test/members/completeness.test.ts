import { afterEach, describe, expect, it, vi } from "vitest";
import { type PolarsFrame, pl, toDataFrame } from "../../src/index.js";
import { type LegislatorRecord, members, withMembers } from "../../src/members/index.js";
import { RECORDS } from "./shippedRecords.js";

const CONGRESSES = [113, 114, 115, 116, 117, 118, 119] as const;

/** Ten days of a Congress, from the 10th of January of its first year on. */
function daysOf(congress: number): string[] {
  const first = Date.parse(`${1787 + 2 * congress}-01-10`);
  const last = Math.min(first + 715 * 86_400_000, Date.parse("2026-06-10"));
  return Array.from({ length: 10 }, (_, at) => new Date(first + ((last - first) * at) / 9).toISOString().slice(0, 10));
}

/** Who sits in a chamber on a day. */
function sitting(type: "sen" | "rep", day: string): string[] {
  return RECORDS.filter(({ terms }: LegislatorRecord) => {
    const last = terms.filter((term) => term.start <= day && day <= term.end).at(-1);
    return last?.type === type;
  })
    .map(({ id }) => id.bioguide)
    .sort();
}

function idsOn(frame: PolarsFrame, day: string): string[] {
  const at = pl.lit(day).str.strptime(pl.Date, "%Y-%m-%d");
  const rows = frame.filter(pl.col("term_start").ltEq(at).and(pl.col("term_end").gtEq(at)));
  return [...(rows.getColumn("bioguide").toArray() as string[])].sort();
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(CONGRESSES)("the %ith Congress", (congress) => {
  it("has the senators and representatives of the data on ten days", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const [senate, house] = await Promise.all([
      members({ congress, chamber: "senate" }),
      members({ congress, chamber: "house" }),
    ]);
    for (const day of daysOf(congress)) {
      const [senators, representatives] = [idsOn(senate, day), idsOn(house, day)];
      expect(senators, day).toEqual(sitting("sen", day));
      expect(representatives, day).toEqual(sitting("rep", day));
      // A seat may be empty for some weeks. Two senators whom others succeeded in December 2024 have a term until January.
      expect(senators.length, day).toBeGreaterThanOrEqual(98);
      expect(senators.length, day).toBeLessThanOrEqual(102);
      expect(representatives.length, day).toBeGreaterThanOrEqual(430);
      expect(representatives.length, day).toBeLessThanOrEqual(441);
    }
    expect(warn).not.toHaveBeenCalled();
  });
});

/** Rows of senators at noon. */
function spoken(...rows: ReadonlyArray<readonly [person: string, day: string]>): PolarsFrame {
  return toDataFrame(
    rows.map(([person, day], at) => ({ id: String(at), personid: null, person, begintime: `${day}T17:00:00Z` })),
    { operation: "mentions" },
  );
}

it("members who left before their term was over have an approximate end if the data does not know the day", async () => {
  const frame = await members({ congress: 118 });
  const approximate = frame.filter(pl.col("end_approximate").eq(pl.lit(true)));
  expect(approximate.getColumn("name").toArray()).toContain("David N. Cicilline");
  expect(RECORDS.flatMap(({ terms }) => terms).filter((term) => term.end_approximate)).toHaveLength(97);
});

describe("earlier Congresses", () => {
  it("are incomplete in the data of this package, and a warning says which file has the others", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    await members({ congress: 105, legislators: RECORDS.slice(0, 300) });
    expect(warn).not.toHaveBeenCalled();
    await members({ congress: 110 });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^members are missing in the 110th Congress: .*legislators-historical.json/),
      { type: "ArchiveFramesWarning", code: "FEW_MEMBERS" },
    );
    await members({ congress: 120 });
    expect(warn.mock.lastCall?.[0]).toMatch(/^the 120th Congress begins after .* of \d{4}-\d\d-\d\d: only terms that/);
  });

  it("are those of before 3 January 2011, with the number of rows", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    await withMembers(spoken(["Patrick Leahy", "2011-01-03"], ["Patrick Leahy", "2022-01-03"]));
    expect(warn).not.toHaveBeenCalled();
    await withMembers(
      spoken(["Patrick Leahy", "2011-01-02"], ["Ann Else", "2009-05-05"], ["Patrick Leahy", "2011-01-03"]),
    );
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toMatch(/withMembers joined 2 of 3 rows .* 2 of 3 rows are before 2011-01-03/);
  });
});
