import type { LegislatorRecord } from "../../src/members/legislator.js";
import { CONGRESSES, congressDates } from "./corpus/calendar.js";
import { LEADER, makePeople, type People, type PersonRow } from "./corpus/people.js";
import { Random } from "./corpus/random.js";
import { STATE_CODES, STATES } from "./corpus/vocabulary.js";

type Term = LegislatorRecord["terms"][number];

/**
 * The members of the invented Congress of a seed, all of them since the 112th, as a file of the project congress-legislators would list
 * them: half of them without the person id of the archive, a few with a wrong one.
 */
export function legislatorsOf(seed: number): LegislatorRecord[] {
  const people = makePeople(seed);
  const random = new Random(seed, "members");
  const seats = new Map<PersonRow, Seat[]>();
  for (const congress of CONGRESSES) {
    for (const type of ["sen", "rep"] as const) {
      const members = type === "sen" ? people.senators(congress) : people.representatives(congress);
      members.forEach((person, seat) => {
        seats.set(person, [...(seats.get(person) ?? []), { type, seat, congress }]);
      });
    }
  }
  // In the order of GET /people.
  return people.rows.flatMap((person) => {
    const held = seats.get(person);
    return held === undefined ? [] : [legislator(random, people, person, held)];
  });
}

/** A seat that somebody held in a Congress: its position among the seats of the chamber. */
interface Seat {
  readonly type: Term["type"];
  readonly seat: number;
  readonly congress: number;
}

function legislator(random: Random, people: People, person: PersonRow, seats: readonly Seat[]): LegislatorRecord {
  const [first = "", ...last] = person.name.split(" ");
  const draw = random.below(100);
  const icpsr = random.chance(0.6) ? 40_000 + person.id : undefined;
  const cspan = person === LEADER || draw < 49 ? person.id : draw < 50 ? random.pick(people.witnesses).id : undefined;
  const partyDraw = person === LEADER ? 0 : random.below(100);
  const party = partyDraw < 49 ? "Democrat" : partyDraw < 98 ? "Republican" : "Independent";
  const terms = termsOf(seats).map((term) => ({
    ...term,
    party,
    ...(party === "Independent" && { caucus: "Democrat" }),
  }));
  return {
    id: {
      bioguide: `${person.lastName.charAt(0).toUpperCase()}${String(person.id).padStart(6, "0")}`,
      ...(icpsr !== undefined && { icpsr }),
      ...(cspan !== undefined && { cspan }),
    },
    name: {
      first,
      middle: `${String.fromCharCode(65 + (person.id % 26))}.`,
      last: last.join(" "),
      official_full: person.name,
    },
    terms: random.chance(0.01) ? withPartyChange(random, terms) : terms,
  };
}

/** Two years for a representative, up to six for a senator. */
function termsOf(seats: readonly Seat[]): Omit<Term, "party">[] {
  const terms: Omit<Term, "party">[] = [];
  seats.forEach(({ type, seat, congress }, at) => {
    const isSenator = type === "sen";
    // As in the corpus: a seat of the Senate is up for election every third Congress.
    const isElected = (when: number) => (seat + when) % 3 === 0;
    const previous = seats[at - 1];
    const goesOn = isSenator && previous?.seat === seat && previous.congress === congress - 1 && !isElected(congress);
    const last = goesOn ? terms.pop() : undefined;
    let [begin, end] = [congress, congress + 1];
    // A term that begins or ends outside the corpus has its full length.
    if (isSenator && congress === CONGRESSES.at(-1)) while (!isElected(end)) end++;
    if (isSenator && congress === CONGRESSES[0]) while (!isElected(begin)) begin--;
    terms.push({
      type,
      start: last?.start ?? congressDates(begin).mindate,
      // The day on which the next Congress begins.
      end: congressDates(end).mindate,
      state: STATE_CODES[isSenator ? seat >> 1 : seat % STATES.length] as string,
      ...(!isSenator && { district: Math.floor(seat / STATES.length) + 1 }),
    });
  });
  return terms;
}

function withPartyChange(random: Random, terms: readonly Term[]): Term[] {
  const last = terms.at(-1) as Term;
  const before = last.party === "Democrat" ? "Republican" : "Democrat";
  const month = `${last.start.slice(0, 4)}-${String(random.between(2, 12)).padStart(2, "0")}`;
  const party_affiliations = [
    { start: last.start, end: `${month}-14`, party: before },
    { start: `${month}-15`, end: last.end, party: last.party },
  ];
  return [...terms.slice(0, -1), { ...last, party_affiliations }];
}
