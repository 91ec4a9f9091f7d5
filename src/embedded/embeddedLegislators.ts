import { CONGRESSES } from "./corpus/calendar.js";
import { LEADER, makePeople, type People, type PersonRow } from "./corpus/people.js";
import { Random } from "./corpus/random.js";
import { STATE_CODES, STATES } from "./corpus/vocabulary.js";
import { type EmbeddedArchiveOptions, resolveOptions } from "./options.js";

/** A member of the invented Congress, in the layout of the project congress-legislators. */
export interface EmbeddedLegislator {
  /** `bioguide` ends with the true person id; `cspan` is missing for half of the members and wrong for a few. */
  readonly id: { readonly bioguide: string; readonly icpsr?: number; readonly cspan?: number };
  /** The parts of the name. */
  readonly name: {
    readonly first: string;
    readonly middle: string;
    readonly last: string;
    readonly official_full: string;
  };
  /** In order. */
  readonly terms: ReadonlyArray<{
    readonly type: "sen" | "rep";
    /** First and last day, `yyyy-mm-dd`. */
    readonly start: string;
    readonly end: string;
    /** Two letters. */
    readonly state: string;
    /** Of a representative. */
    readonly district?: number;
    /** "Democrat", "Republican" or "Independent". */
    readonly party: string;
    /** The party that an independent sits with. */
    readonly caucus?: string;
    /** Only if the party changed during the term. */
    readonly party_affiliations?: ReadonlyArray<{
      readonly start: string;
      readonly end: string;
      readonly party: string;
    }>;
  }>;
}

type EmbeddedTerm = EmbeddedLegislator["terms"][number];

/**
 * The members of the invented Congress of an embedded archive, all of them since the 112th, as a file of the project
 * congress-legislators would list them: half of them without the person id of the archive, a few with a wrong one.
 *
 * @param options the `seed` of the archive, with the same default as `startEmbeddedArchive`
 * @returns records for the option `legislators` of `withMembers`
 * @throws ValidationError for an unknown option or an invalid value
 * @example
 * const legislators = embeddedLegislators({ seed: 1 });
 * legislators.find(({ id }) => id.bioguide === "P006153")?.name.official_full; //=> "Maria Pelosi"
 */
export function embeddedLegislators(options: Pick<EmbeddedArchiveOptions, "seed"> = {}): EmbeddedLegislator[] {
  const { seed } = resolveOptions(options);
  const people = makePeople(seed);
  const random = new Random(seed, "members");
  return seatsOf(people).map(([person, seats]) => legislator(random, people, person, seats));
}

/** A seat that somebody held in a Congress. */
interface Seat {
  readonly chamber: "senate" | "house";
  /** The position among the seats of the chamber. */
  readonly seat: number;
  readonly congress: number;
}

/** Everyone who held a seat, with the seats, in the order of GET /people. */
function seatsOf(people: People): [PersonRow, Seat[]][] {
  const seats = new Map<PersonRow, Seat[]>();
  for (const congress of CONGRESSES) {
    const add = (chamber: Seat["chamber"]) => (person: PersonRow, seat: number) => {
      seats.set(person, [...(seats.get(person) ?? []), { chamber, seat, congress }]);
    };
    people.senators(congress).forEach(add("senate"));
    people.representatives(congress).forEach(add("house"));
  }
  return people.rows.flatMap((person) => {
    const held = seats.get(person);
    return held === undefined ? [] : [[person, held] as [PersonRow, Seat[]]];
  });
}

function legislator(random: Random, people: People, person: PersonRow, seats: readonly Seat[]): EmbeddedLegislator {
  const [first = "", ...last] = person.name.split(" ");
  const draw = random.below(100);
  const icpsr = random.chance(0.6) ? 40_000 + person.id : undefined;
  const cspan = person === LEADER || draw < 49 ? person.id : draw < 50 ? random.pick(people.witnesses).id : undefined;
  const party = person === LEADER ? "Democrat" : drawParty(random);
  const terms = termsOf(seats, party === "Independent" ? { party, caucus: "Democrat" } : { party });
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

function drawParty(random: Random): string {
  const draw = random.below(100);
  return draw < 49 ? "Democrat" : draw < 98 ? "Republican" : "Independent";
}

/** Two years for a representative, up to six for a senator. */
function termsOf(seats: readonly Seat[], party: { readonly party: string; readonly caucus?: string }): EmbeddedTerm[] {
  const terms: EmbeddedTerm[] = [];
  seats.forEach(({ chamber, seat, congress }, at) => {
    const previous = seats[at - 1];
    const isSameTerm =
      chamber === "senate" &&
      previous?.seat === seat &&
      previous.congress === congress - 1 &&
      !isElected(seat, congress);
    const last = isSameTerm ? terms.pop() : undefined;
    const isLast = congress === CONGRESSES.at(-1);
    let end = congress + 1;
    // A term that begins or ends outside the corpus has its full length.
    if (chamber === "senate" && isLast) while (!isElected(seat, end)) end++;
    let begin = congress;
    if (chamber === "senate" && congress === CONGRESSES[0]) while (!isElected(seat, begin)) begin--;
    terms.push({
      type: chamber === "senate" ? "sen" : "rep",
      start: last?.start ?? firstDay(begin),
      end: firstDay(end),
      state: stateOf(chamber, seat),
      ...(chamber === "house" && { district: Math.floor(seat / STATES.length) + 1 }),
      ...party,
    });
  });
  return terms;
}

/** As in the corpus: a seat of the Senate is up for election every third Congress. */
function isElected(seat: number, congress: number): boolean {
  return (seat + congress) % 3 === 0;
}

/** A member who changes party in the middle of the last term. */
function withPartyChange(random: Random, terms: readonly EmbeddedTerm[]): EmbeddedTerm[] {
  const last = terms.at(-1) as EmbeddedTerm;
  const before = last.party === "Democrat" ? "Republican" : "Democrat";
  const year = Number(last.start.slice(0, 4));
  const month = String(random.between(2, 12)).padStart(2, "0");
  const party_affiliations = [
    { start: last.start, end: `${year}-${month}-14`, party: before },
    { start: `${year}-${month}-15`, end: last.end, party: last.party },
  ];
  return [...terms.slice(0, -1), { ...last, party_affiliations }];
}

function firstDay(congress: number): string {
  return `${1789 + (congress - 1) * 2}-01-03`;
}

function stateOf(chamber: Seat["chamber"], seat: number): string {
  return STATE_CODES[chamber === "senate" ? seat >> 1 : seat % STATES.length] as string;
}
