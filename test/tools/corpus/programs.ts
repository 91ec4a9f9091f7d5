import type * as operations from "../../../src/index.js";
import type { FullRow } from "../embedded.js";
import type { Bill } from "./bills.js";
import { CONGRESSES, DAY, isoSeconds, isWeekend, sittingDays } from "./calendar.js";
import { fillSentence } from "./captions.js";
import { LEADER, LEADER_TOPIC, type People, type PersonRow } from "./people.js";
import { Random, WeightedList } from "./random.js";
import { PROGRAM_KINDS, type ProgramKind, SEASONAL_TOPICS, STATES, TOPICS, type Topic } from "./vocabulary.js";

export type ProgramRow = FullRow<operations.ProgramRow>;

/** A program, with facts that its search row does not contain. */
export interface Program {
  row: ProgramRow;
  publicId: string;
  kind: ProgramKind;
  congress: number;
  /** Begin, in seconds since 1970. */
  begin: number;
  /** Seconds. */
  duration: number;
  topics: readonly Topic[];
  bills: readonly Bill[];
  people: readonly PersonRow[];
  sponsor: string;
  location: string;
  /** Empty unless a book is discussed. */
  isbn: string;
  /** Number of views; `sort=popular` sorts by it. */
  views: number;
}

const PROGRAMS_PER_CONGRESS = 375;
/** The program id of the documentation's examples. */
const KNOWN_ID = 683_870;
const FIRST_ID = 297_000;
const ID_STRIDE = 129;
/** Each program draws its id from a range of its own; this range contains the known id. */
const KNOWN_SLOT = Math.floor((KNOWN_ID - FIRST_ID) / ID_STRIDE);

export function makePrograms(seed: number, people: People, bills: readonly Bill[]): readonly Program[] {
  const random = new Random(seed, "programs");
  const kinds = new WeightedList(PROGRAM_KINDS.map((kind) => [kind, kind.weight] as const));
  const programs: Program[] = [];
  for (const congress of CONGRESSES) {
    const ofCongress = bills.filter((bill) => bill.row.congress === congress);
    const weighted = new WeightedList(ofCongress.map((bill) => [bill, bill.weight] as const));
    const begins = Array.from({ length: PROGRAMS_PER_CONGRESS }, () => broadcastTime(random, congress));
    const perBill = new Map<Bill, number>();
    for (const begin of begins.sort((a, b) => a - b)) {
      const drawn = FIRST_ID + programs.length * ID_STRIDE + random.below(ID_STRIDE);
      const id = programs.length === KNOWN_SLOT ? KNOWN_ID : drawn;
      const kind = kinds.draw(random);
      const discussed = new Set<Bill>();
      for (let draws = random.below(4); draws > 0; draws--) {
        const bill = weighted.draw(random);
        if (bill.introduced <= begin) discussed.add(bill);
      }
      // Every bill must be mentioned somewhere, so floor sessions take up neglected ones.
      if (kind.name === "senate" || kind.name === "house") {
        const neglected = ofCongress.filter((bill) => bill.introduced <= begin && (perBill.get(bill) ?? 0) < 2);
        for (const bill of neglected.slice(0, 2)) discussed.add(bill);
      }
      for (const bill of discussed) perBill.set(bill, (perBill.get(bill) ?? 0) + 1);
      programs.push(makeProgram(random, id, kind, congress, begin, [...discussed], people));
    }
  }
  return programs;
}

function makeProgram(
  random: Random,
  id: number,
  kind: ProgramKind,
  congress: number,
  begin: number,
  bills: readonly Bill[],
  people: People,
): Program {
  const drawn = random.sample(SEASONAL_TOPICS, random.between(1, 2));
  // The House returns to its leader's topic often, so that she speaks about it every year.
  if (kind.name === "house" && random.chance(0.25)) drawn.push(...TOPICS.filter(({ key }) => key === LEADER_TOPIC));
  const topics = [...new Set([...bills.map((bill) => bill.topic), ...drawn])];
  const topic = random.pick(topics);
  const place = kind.name.endsWith("hearing") ? topic.committee : random.pick(STATES);
  const fill = (template: string) =>
    template
      .replace("{topic}", topic.subject)
      .replace("{place}", place)
      .replace("{part}", String(random.between(1, 4)));
  const house = random.sample(people.representatives(congress), kind.representatives);
  const leads = random.chance(0.7) || topics.some(({ key }) => key === LEADER_TOPIC);
  if (leads && house.length > 1 && !house.includes(LEADER)) house[0] = LEADER;
  const speakers = [
    ...random.sample(people.senators(congress), kind.senators),
    ...house,
    ...random.sample(people.witnesses, kind.witnesses),
    ...random.sample(people.hosts, kind.hosts),
  ];
  const title = fill(random.pick(kind.titles));
  const publicId = `${id - 148_731}-${random.chance(0.1) ? random.between(2, 9) : 1}`;
  return {
    row: {
      title,
      description: describe(random, kind, topics, bills, speakers),
      date: isoSeconds(begin),
      imagePath: random.chance(0.1) ? "" : `https://images.archive.example/programs/${id}.jpg`,
      jwplayerId: random.chance(0.3) ? "" : (random.next() + 0x100000000).toString(36),
      videoLink: `https://archive.example/video/?${publicId}`,
      id,
    },
    publicId,
    kind,
    congress,
    begin,
    duration: random.between(kind.duration[0], kind.duration[1]),
    topics,
    bills,
    people: speakers,
    sponsor: fill(kind.sponsor),
    location: fill(kind.location),
    isbn: kind.name === "interview" && random.chance(0.5) ? `978${String(random.next()).padStart(10, "0")}` : "",
    views: random.below(random.chance(0.05) ? 900_000 : 20_000),
  };
}

function describe(
  random: Random,
  kind: ProgramKind,
  topics: readonly Topic[],
  bills: readonly Bill[],
  people: readonly PersonRow[],
): string {
  if (random.chance(0.04)) return "";
  const subjects = topics.map((topic) => topic.key).join(", ");
  const who = people[0]?.name ?? "Members";
  const lead = random.pick([
    `${who} and others discussed ${subjects}.`,
    `${kind.format} on ${subjects}.\nSpeakers included ${who}.`,
    `Topics were ${subjects}; "${who}" spoke first.`,
  ]);
  return bills[0] ? `${lead} The ${bills[0].spokenTitle || bills[0].number} was taken up.` : lead;
}

/** A broadcast time within a Congress, mostly on weekdays. */
function broadcastTime(random: Random, congress: number): number {
  const { first, last } = sittingDays(congress);
  const days = (last - first) / DAY;
  let day = first + random.below(days) * DAY;
  for (let tries = 0; isWeekend(day) && tries < 3; tries++) day = first + random.below(days) * DAY;
  return day + random.between(11, 21) * 3_600 + random.below(3_600);
}

/** The transcript that `text:` searches, in pieces: sentences about the program's topics and bills. */
export function programText(seed: number, program: Program): readonly string[] {
  const random = new Random(seed, `program-text/${program.row.id}`);
  const pieces: string[] = [];
  for (const topic of program.topics) {
    for (const sentence of random.sample(topic.sentences, 3)) {
      fillSentence(random, sentence, pieces);
      pieces.push(" ");
    }
  }
  for (const bill of program.bills) {
    const title = bill.spokenTitle === "" ? [] : ["the ", bill.spokenTitle, ", "];
    pieces.push("we turn to ", ...title, random.pick(bill.numberForms), ". ");
  }
  return pieces;
}
