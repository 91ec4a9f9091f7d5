import { expect, it, vi } from "vitest";
import { toDataFrame } from "../../src/index.js";
import { type LegislatorRecord, membersReport, withMembers } from "../../src/members/index.js";
import { LONG } from "../scale.js";
import { Random } from "../tools/corpus/random.js";
import { RECORDS } from "./shippedRecords.js";

const MEMBER_COLUMNS =
  "bioguide icpsr party caucus state district chamber term_start term_end end_approximate inferred".split(" ");

const FIRST = ["Ann", "Bert", "Carl", "Dora", "Ernie", "Fran"];
const LAST = ["Able", "Bond", "Crest", "Dunn", "Elm", "Fox", "Grove", "Hill"];
const PARTIES = ["Democrat", "Republican", "Independent"];

type TermRecord = LegislatorRecord["terms"][number];

/** Members of which several have the same name, with gaps, changes of chamber and party, and approximate ends. */
function generatedMembers(random: Random): LegislatorRecord[] {
  return Array.from({ length: 120 }, (_, at) => {
    const terms: TermRecord[] = [];
    for (let year = 2005 + 2 * random.below(8); year < 2027 && terms.length < 6; year += 2) {
      if (random.chance(0.2)) continue;
      const isSenator = random.chance(0.3);
      const isCut = random.chance(0.2);
      const end = isCut ? `${year + 1}-0${1 + random.below(8)}-17` : `${year + 2}-01-03`;
      const party = random.pick(PARTIES);
      terms.push({
        type: isSenator ? "sen" : "rep",
        start: `${year}-01-03`,
        end,
        state: random.pick(["WA", "OR", "ME"]),
        ...(!isSenator && { district: random.below(9) }),
        party,
        ...(party === "Independent" && { caucus: "Democrat" }),
        ...(isCut && random.chance(0.7) && { end_approximate: true }),
        ...(random.chance(0.2) && {
          party_affiliations: [
            { start: `${year}-01-03`, end: `${year}-06-09`, party: random.pick(PARTIES) },
            { start: `${year}-06-10`, end, party },
          ],
        }),
      });
    }
    if (terms.length === 0)
      terms.push({ type: "sen", start: "2011-01-03", end: "2017-01-03", state: "UT", party: "Republican" });
    return {
      id: { bioguide: `X${at}`, ...(random.chance(0.6) && { cspan: 1000 + at }) },
      name: { first: random.pick(FIRST), last: random.pick(LAST) },
      terms,
    };
  });
}

interface GeneratedRow {
  readonly personid: number | null;
  readonly person: string;
  readonly day: string;
}

const nameOf = ({ name }: LegislatorRecord) => `${name.first} ${name.last}`;

function generatedRows(members: readonly LegislatorRecord[], random: Random, count: number): GeneratedRow[] {
  return Array.from({ length: count }, () => {
    const member = random.pick(members);
    const term = random.pick(member.terms);
    const border = random.pick([term.start, term.end, ...(term.party_affiliations ?? []).map(({ start }) => start)]);
    const shift = random.pick([-400, -160, -149, -30, -1, 0, 0, 1, 30, 300]);
    const named = random.chance(0.85) ? member : random.pick(members);
    return {
      personid: random.chance(0.55) ? (member.id.cspan ?? 999_999) : random.pick([null, 999_999, 5]),
      person: random.chance(0.95) ? nameOf(named) : "Presiding Officer",
      day: new Date(Date.parse(border) + shift * 86_400_000).toISOString().slice(0, 10),
    };
  });
}

interface Expected {
  readonly outcome: "id" | "name" | "unknown" | "ambiguous";
  readonly values: readonly unknown[];
}

/** Who speaks in a row, by loops over all members. */
function oracle(members: readonly LegislatorRecord[], { personid, person, day }: GeneratedRow): Expected {
  const nobody = (outcome: Expected["outcome"]): Expected => ({ outcome, values: Array(8).fill(null) });
  const termOn = ({ terms }: LegislatorRecord) => {
    let found: TermRecord | undefined;
    for (const term of terms)
      if (term.start <= day && day <= term.end && (found === undefined || term.start > found.start)) found = term;
    return found;
  };
  const isNobody = person === "Presiding Officer";
  const bearers = members.filter((member) => nameOf(member) === person);
  const sitting = bearers.filter((member) => termOn(member) !== undefined);
  const owner = members.find(({ id }) => id.cspan !== undefined && id.cspan === personid);
  let member: LegislatorRecord | undefined;
  if (owner !== undefined) {
    const [first = "", last = ""] = person.split(" ");
    const isOwn = isNobody || bearers.includes(owner);
    const agrees = isOwn || (owner.name.last === last && owner.name.first[0] === first[0]);
    if (!agrees || (!isOwn && sitting.length > 0)) return nobody("unknown");
    member = owner;
  } else {
    if (sitting.length > 1) return nobody("ambiguous");
    member = sitting[0];
    if (member?.id.cspan !== undefined && personid === 5) return nobody("unknown");
  }
  const term = member === undefined ? undefined : termOn(member);
  if (member === undefined || term === undefined) return nobody("unknown");
  let { party, caucus } = term as { party?: string | null; caucus?: string | null };
  for (const change of term.party_affiliations ?? [])
    if (change.start <= day && day <= change.end) [party, caucus] = [change.party, change.caucus];
  return {
    outcome: owner === undefined ? "name" : "id",
    values: [
      member.id.bioguide,
      party,
      caucus ?? party,
      term.state,
      term.type === "sen" ? null : term.district,
      term.type === "sen" ? "senate" : "house",
      term.end_approximate === true,
      owner === undefined,
    ],
  };
}

/** Rows of the members of the package: people have their own name or none, since those of others may be spelled alike. */
function shippedRows(random: Random): GeneratedRow[] {
  const own = new Set(RECORDS.map((member) => `${member.id.cspan} ${nameOf(member)}`));
  return generatedRows(RECORDS, random, 3_000).map((row) =>
    own.has(`${row.personid} ${row.person}`) ? row : { ...row, person: "Presiding Officer" },
  );
}

it.each(LONG ? [0, 1, 2, 3, 4, 5] : [0, 1])(
  "a join of 3,000 generated rows is that of loops, seed %i; 0 is that of the members of the package",
  async (seed) => {
    vi.spyOn(process, "emitWarning").mockReturnValue();
    const random = new Random(seed, "members");
    const legislators = seed === 0 ? undefined : generatedMembers(random);
    const rows = legislators === undefined ? shippedRows(random) : generatedRows(legislators, random, 3_000);
    const frame = toDataFrame(
      rows.map(({ day, ...row }, at) => ({ id: String(at), ...row, begintime: `${day}T17:00:00Z` })),
      { operation: "mentions" },
    );
    const joined = await withMembers(frame, { legislators });
    expect(joined.columns).toEqual([...frame.columns, ...MEMBER_COLUMNS]);
    expect(joined.select(...frame.columns).frameEqual(frame, true)).toBe(true);
    const expected = rows.map((row) => oracle(legislators ?? RECORDS, row));
    const columns = ["bioguide", "party", "caucus", "state", "district", "chamber", "end_approximate", "inferred"];
    const actual = columns.map((name) => joined.getColumn(name).toArray() as unknown[]);
    rows.forEach((row, at) => {
      const values = actual.map((column) => column[at]);
      expect(values, JSON.stringify(row)).toEqual(expected[at]?.values);
    });
    const count = (...outcomes: string[]) => expected.filter(({ outcome }) => outcomes.includes(outcome)).length;
    const report = membersReport(joined);
    expect(report).toMatchObject({
      rows: 3_000,
      byId: count("id"),
      byName: count("name"),
      ambiguous: count("ambiguous"),
    });
    for (const outcome of seed === 0 ? ["id"] : ["id", "name", "ambiguous"]) expect(count(outcome)).toBeGreaterThan(50);
  },
);
