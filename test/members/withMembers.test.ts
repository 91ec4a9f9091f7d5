import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PolarsFrame } from "../../src/index.js";
import { pl, toDataFrame } from "../../src/index.js";
import { type LegislatorRecord, members, membersReport, withMembers } from "../../src/members/index.js";
import { runs } from "../scale.js";
import { RECORDS } from "./shippedRecords.js";

const MEMBER_COLUMNS =
  "bioguide icpsr party caucus state district chamber term_start term_end end_approximate inferred".split(" ");

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

/** The members of rows at noon in Washington. */
async function joined(rows: ReadonlyArray<readonly [number | null, string, string]>, legislators?: LegislatorRecord[]) {
  const frame = mentions(rows.map(([personid, person, day]) => ({ personid, person, begintime: `${day}T17:00:00Z` })));
  const result = await withMembers(frame, { legislators });
  return { rows: result.toRecords() as Record<string, unknown>[], report: membersReport(result) };
}

function named(last: string, first?: string): LegislatorRecord {
  const found = RECORDS.find(({ name }) => name.last === last && (first === undefined || name.first === first));
  if (found === undefined) throw new Error(`nobody is called ${last}`);
  return found;
}

describe("withMembers", () => {
  it("knows the chamber of the day", async () => {
    const cantwell = named("Cantwell").id.cspan as number;
    const schiff = named("Schiff").id.cspan as number;
    const { rows } = await joined([
      [cantwell, "Maria Cantwell", "1993-01-04"],
      [cantwell, "Maria Cantwell", "1993-01-05"],
      [cantwell, "Maria Cantwell", "1995-01-03"],
      [cantwell, "Maria Cantwell", "1998-06-01"],
      [cantwell, "Maria Cantwell", "2001-01-03"],
      [schiff, "Adam Schiff", "2024-12-08"],
      [schiff, "Adam Schiff", "2024-12-09"],
      [schiff, "Adam Schiff", "2025-01-03"],
    ]);
    expect(rows.map(({ chamber, district, state }) => [chamber, district, state])).toEqual([
      [null, null, null],
      ["house", 1, "WA"],
      ["house", 1, "WA"],
      [null, null, null],
      ["senate", null, "WA"],
      ["house", 30, "CA"],
      ["senate", null, "CA"],
      ["senate", null, "CA"],
    ]);
    // Of two terms that share January 3, the later one.
    expect(rows.at(-1)?.term_start).toEqual(new Date("2025-01-03T00:00:00Z"));
  });

  it("knows the party of the day", async () => {
    const { rows } = await joined([
      [null, "Jeff Van Drew", "2019-12-18"],
      [null, "Jefferson Van Drew", "2019-12-19"],
      [null, "Kevin Kiley,U.S. Representative", "2026-03-08"],
      [null, "KEVIN KILEY", "2026-03-09"],
      [994, "Bernie Sanders", "2020-01-10"],
    ]);
    expect(rows.map(({ party, caucus }) => [party, caucus])).toEqual([
      ["Democrat", "Democrat"],
      ["Republican", "Republican"],
      ["Republican", "Republican"],
      ["Independent", "Republican"],
      ["Independent", "Democrat"],
    ]);
  });

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
    expect(membersReport(result)).toMatchObject({ rows: 5, byId: 4, notInOffice: 1, afterData: 2 });
  });

  it("infers by a unique name where the row or the data has no id", async () => {
    const { rows, report } = await joined([
      [null, "Maria Cantwell", "2025-02-01"],
      [999_999, "Sen. Cantwell", "2025-02-01"],
      [999_999, "CANTWELL, Maria", "2025-02-01"],
      [999_999, "Maria Cantwell,Director,Center for Studies", "2025-02-01"],
      [999_999, "Nanette Barragan", "2025-02-01"],
      [999_999, "Nanette D. Barragán,Attorney,U.S. Representative", "2025-02-01"],
      [999_999, "Mike Johnson", "2025-02-01"],
      [999_999, "Hank Johnson, Jr.", "2025-02-01"],
      [999_999, "Henry C. Johnson,Jr.,U.S. Representative", "2025-02-01"],
      [999_999, "Johnson", "2025-02-01"],
      [999_999, "Presiding Officer", "2025-02-01"],
    ]);
    expect(rows.map(({ bioguide }) => bioguide)).toEqual([
      "C000127",
      null,
      null,
      null,
      "B001300",
      "B001300",
      "J000299",
      "J000288",
      "J000288",
      null,
      null,
    ]);
    expect(rows.map(({ inferred }) => inferred)).toEqual([
      true,
      null,
      null,
      null,
      true,
      true,
      true,
      true,
      true,
      null,
      null,
    ]);
    expect(report).toMatchObject({ rows: 11, byName: 6, noMember: 5, byId: 0 });
  });

  it("lists names that contradict an id, and does not join them", async () => {
    const cantwell = named("Cantwell").id.cspan as number;
    const kiley = { ...named("Cantwell"), id: { bioguide: "X1", cspan: 5 }, name: { first: "Ann", last: "Lee" } };
    const other = { ...kiley, id: { bioguide: "X2" }, name: { first: "Bob", last: "Lee" } };
    const real = await joined([
      [cantwell, "Julia Brownley", "2025-02-01"],
      [12, "Maria Cantwell", "2025-02-01"],
      [cantwell, "Unidentified Speaker", "2025-02-01"],
      [cantwell, "", "2025-02-01"],
    ]);
    expect(real.rows.map(({ bioguide }) => bioguide)).toEqual([null, null, "C000127", "C000127"]);
    expect(real.report?.contradictions).toEqual([
      {
        reason: "other name",
        personid: cantwell,
        person: "Julia Brownley",
        bioguide: "C000127",
        name: "Maria Cantwell",
        rows: 1,
      },
      {
        reason: "other id",
        personid: 12,
        person: "Maria Cantwell",
        bioguide: "C000127",
        name: "Maria Cantwell",
        rows: 1,
      },
    ]);
    // The family name agrees, but the name is that of another member.
    const relatives = await joined(
      [
        [5, "Bob Lee", "2025-02-01"],
        [5, "A. Lee", "2025-02-01"],
      ],
      [kiley, other],
    );
    expect(relatives.rows.map(({ bioguide }) => bioguide)).toEqual([null, "X1"]);
  });

  it("decides a name of two members by the chamber, or not at all", async () => {
    const term = { start: "2025-01-03", end: "2027-01-03", state: "NJ", party: "Democrat" };
    const father = {
      id: { bioguide: "F1" },
      name: { first: "Rob", last: "May", suffix: "Sr." },
      terms: [{ type: "sen" as const, ...term }],
    };
    const son = {
      id: { bioguide: "S1" },
      name: { first: "Rob", last: "May", suffix: "Jr." },
      terms: [{ type: "rep" as const, ...term }],
    };
    const { rows, report } = await joined(
      [
        [null, "Rob May", "2025-02-01"],
        [null, "Rob May,U.S. Senator", "2025-02-01"],
        [null, "Rob May,U.S. Representative,U.S. Senator", "2025-02-01"],
        [null, "Rob May,Jr.", "2025-02-01"],
        [null, "Rob May,State Senator", "2025-02-01"],
      ],
      [father, son],
    );
    expect(rows.map(({ bioguide }) => bioguide)).toEqual([null, "F1", null, "S1", null]);
    expect(report?.ambiguousNames.map(({ person }) => person)).toEqual([
      "Rob May",
      "Rob May,U.S. Representative,U.S. Senator",
    ]);
    const alone = await joined([[null, "Rob May,U.S. Senator", "2025-02-01"]], [son]);
    expect(alone.rows[0]?.bioguide).toBeNull();
  });

  it("agrees with a loop over the data, and keeps the rows as they are", async () => {
    const days = boundaryDays();
    const speaker = fc.constantFrom(...RECORDS.filter(({ id }) => id.cspan !== undefined));
    const row = fc.record({ speaker, day: fc.constantFrom(...days), known: fc.integer({ min: 0, max: 9 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (rows) => {
        const frame = mentions(
          rows.map(({ speaker: { id, name }, day, known }) => ({
            personid: known > 0 ? (id.cspan as number) : 77_777_777,
            person: known > 0 ? `${name.first} ${name.last}` : "Nobody Atall",
            begintime: `${day}T18:30:00Z`,
          })),
        );
        const result = await withMembers(frame);
        expect(result.columns).toEqual([...frame.columns, ...MEMBER_COLUMNS]);
        expect(result.select(...frame.columns).frameEqual(frame, true)).toBe(true);
        const expected = rows.map(({ speaker: of, day, known }) => (known > 0 ? oracle(of, day) : undefined));
        const actual = result.toRecords() as Record<string, unknown>[];
        expect(actual.map(({ bioguide, party, chamber, state }) => [bioguide, party, chamber, state])).toEqual(
          expected.map((values) => values ?? [null, null, null, null]),
        );
      }),
      { numRuns: runs(10, 200) },
    );
  }, 60_000);

  it("gives danfo for danfo, and batches for a scan, a lazy frame or frames", async () => {
    const frame = mentions([
      { personid: 994, person: "Bernie Sanders", begintime: "2020-01-10T12:00:00Z" },
      { personid: null, person: "Maria Cantwell", begintime: "2020-01-10T12:00:00Z" },
      { personid: 4, person: "Ann Else", begintime: null },
    ]);
    const expected = await withMembers(frame);
    const danfo = await withMembers(toDataFrame(frame, { engine: "danfo" }));
    expect(danfo.columns).toEqual(expected.columns);
    expect(danfo.party.values).toEqual(["Independent", "Democrat", null]);
    expect(danfo.icpsr.values).toEqual(expected.getColumn("icpsr").toArray());
    const batches = withMembers([frame.head(1), frame.slice(1, 2)]);
    expect(pl.concat(await allOf(batches)).frameEqual(expected, true)).toBe(true);
    expect(membersReport(batches)).toEqual(membersReport(expected));
    const [whole] = await allOf(withMembers(frame.lazy()));
    expect(whole?.frameEqual(expected, true)).toBe(true);
    const empty = await withMembers(frame.head(0));
    expect([empty.height, empty.columns]).toEqual([0, expected.columns]);
  }, 60_000);

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
      "invalid legislators: name of member 1",
    );
  });
});

describe("members", () => {
  it("lists the sitting members", async () => {
    const senators = await members({ congress: "119th", chamber: "senate" });
    const sitting = senators.filter(pl.col("term_end").gt(pl.lit("2026-06-15").cast(pl.Date)));
    expect(sitting.height).toBe(100);
    expect((await members({ chamber: "house" })).height).toBe(
      RECORDS.flatMap(({ terms }) => terms.filter((term) => term.type === "rep" && term.start >= "2025-01-03")).length,
    );
    // Somebody who left the House for the Senate has a row for each.
    const schiff = (await members({ congress: 118 })).filter(pl.col("name").eq(pl.lit("Adam B. Schiff")));
    expect(schiff.getColumn("chamber").toArray()).toEqual(["senate", "house"]);
  });
});

async function allOf(batches: AsyncIterable<PolarsFrame>): Promise<PolarsFrame[]> {
  const frames: PolarsFrame[] = [];
  for await (const frame of batches) frames.push(frame);
  return frames;
}

/** The values of a day by a loop over the terms. */
function oracle({ id, terms }: LegislatorRecord, day: string): unknown[] | undefined {
  let found: LegislatorRecord["terms"][number] | undefined;
  for (const term of terms) {
    if (day < term.start || day > term.end) continue;
    if (found === undefined || term.start > found.start) found = term;
  }
  if (found === undefined) return undefined;
  let { party } = found;
  for (const change of found.party_affiliations ?? [])
    if (change.start <= day && day <= change.end) party = change.party;
  return [id.bioguide, party, found.type === "sen" ? "senate" : "house", found.state];
}

/** First and last days of terms, and the days around them. */
function boundaryDays(): string[] {
  const days = new Set<string>();
  for (const { terms } of RECORDS) {
    for (const { start, end } of terms) {
      for (const day of [start, end]) {
        for (const offset of [-1, 0, 1]) {
          days.add(new Date(Date.parse(day) + offset * 86_400_000).toISOString().slice(0, 10));
        }
      }
    }
  }
  return [...days];
}
