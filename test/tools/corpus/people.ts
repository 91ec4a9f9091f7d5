import type * as operations from "../../../src/index.js";
import type { FullRow } from "../embedded.js";
import { UNIDENTIFIED_SPEAKER } from "../embedded.js";
import { CONGRESSES } from "./calendar.js";
import { Random } from "./random.js";
import { FIRST_NAMES, LAST_NAMES, STATES, TITLES } from "./vocabulary.js";

/** A row of GET /people. The public id is empty for most people. */
export type PersonRow = FullRow<operations.PersonRow>;

/** Everyone in the corpus, with membership by Congress. */
export interface People {
  /** All rows, in the order of GET /people. */
  rows: readonly PersonRow[];
  senators(congress: number): readonly PersonRow[];
  representatives(congress: number): readonly PersonRow[];
  hosts: readonly PersonRow[];
  /** Reading clerks of both chambers. */
  clerks: readonly PersonRow[];
  witnesses: readonly PersonRow[];
  /** Lookup by internal id (as digits) and by public id. */
  byId: ReadonlyMap<string, PersonRow>;
}

const REPRESENTATIVE_SEATS = 435;

/** Generates everyone: two senators per state with staggered terms, the House, hosts and witnesses. */
export function makePeople(seed: number): People {
  const random = new Random(seed, "people");
  const rows: PersonRow[] = [];
  const names = new Set<string>([LEADER.name]);
  let nextId = 1_000;

  const add = (title: string, unique: boolean): PersonRow => {
    let first = random.pick(FIRST_NAMES);
    let last = random.pick(LAST_NAMES);
    for (let tries = 0; unique && names.has(`${first} ${last}`) && tries < 200; tries++) {
      first = random.pick(FIRST_NAMES);
      last = random.pick(LAST_NAMES);
    }
    nextId += random.between(1, 60);
    if (nextId === LEADER.id || nextId === UNIDENTIFIED_SPEAKER) nextId++;
    const person = personRow(nextId, first, last, title, random.chance(0.15));
    names.add(person.name);
    rows.push(person);
    return person;
  };

  const senate = electChamber(random, STATES.length * 2, 3, () => add(random.pick(TITLES.senator), true));
  const house = electChamber(random, REPRESENTATIVE_SEATS, 1, () => add(random.pick(TITLES.representative), true));
  for (const seats of house.values()) seats[0] = LEADER;
  rows.push(LEADER);
  const hosts = Array.from({ length: 24 }, () => add(random.pick(TITLES.host), true));
  const witnesses = Array.from({ length: 320 }, () => add(random.pick(TITLES.witness), false));

  const clerks = TITLES.clerk.map((title) => add(title, true));

  // Those who were replaced before they ever sat are left out.
  const sitting = new Set([...senate.values(), ...house.values(), clerks].flat());
  const kept = rows.filter((row) => row.title.includes("U.S. ") === false || sitting.has(row));
  kept.sort((a, b) => compare(a.lastName, b.lastName) || compare(a.firstName, b.firstName) || a.id - b.id);
  const byId = new Map<string, PersonRow>();
  for (const row of kept) {
    byId.set(String(row.id), row);
    if (row.publicId !== "") byId.set(row.publicId, row);
  }
  return {
    rows: kept,
    senators: (congress) => senate.get(congress) ?? [],
    representatives: (congress) => house.get(congress) ?? [],
    hosts,
    clerks,
    witnesses,
    byId,
  };
}

export const LEADER_TOPIC = "climate";

/** The person whose id the documentation uses. Leads the House in every Congress and speaks often. */
export const LEADER = personRow(6153, "Maria", "Pelosi", "U.S. Representative", true);

function personRow(id: number, first: string, last: string, title: string, isPublic: boolean): PersonRow {
  return {
    firstName: first.toLowerCase(),
    imagePath: id % 3 === 0 ? "" : `https://images.archive.example/people/${id}.jpg`,
    lastName: last.toLowerCase(),
    name: `${first} ${last}`,
    personLink: `https://archive.example/person/?${id}`,
    publicId: isPublic ? `${first}${last}${id}`.toLowerCase().replace(/[^a-z0-9]/g, "") : "",
    title,
    id,
  };
}

/**
 * Fills the seats of a chamber for every Congress. Each seat is up for election every `cycle` Congresses, when about one holder
 * in five is replaced; between elections nearly everyone stays.
 */
function electChamber(
  random: Random,
  seats: number,
  cycle: number,
  elect: () => PersonRow,
): ReadonlyMap<number, PersonRow[]> {
  const byCongress = new Map<number, PersonRow[]>();
  let holders = Array.from({ length: seats }, elect);
  for (const congress of CONGRESSES) {
    if (byCongress.size > 0) {
      holders = holders.map((holder, seat) => {
        const electionDue = (seat + congress) % cycle === 0;
        return random.chance(electionDue ? 0.2 : 0.01) ? elect() : holder;
      });
    }
    byCongress.set(congress, [...holders]);
  }
  return byCongress;
}

/** By code unit: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
