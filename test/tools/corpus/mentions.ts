import type * as operations from "../../../src/index.js";
import type { FullRow } from "../embedded.js";
import { UNIDENTIFIED_SPEAKER } from "../embedded.js";
import type { Bill } from "./bills.js";
import { isoSeconds } from "./calendar.js";
import { type Captions, captionText, makeCaptions } from "./captions.js";
import { type Decoy, knownNames, makeDecoy } from "./decoys.js";
import { type Naming, nameBill } from "./naming.js";
import { LEADER, LEADER_TOPIC, type People, type PersonRow } from "./people.js";
import type { Program } from "./programs.js";
import { Random, WeightedList } from "./random.js";
import { VIDEO_TYPES } from "./videoTypes.js";
import { PROGRAM_KINDS, SENTENCES, type Topic } from "./vocabulary.js";

/** Who speaks in a mention: in its row, and in truth. */
export interface MentionSpeaker {
  /** The name as the row has it, sometimes followed by titles. */
  person: string;
  /** As the row has it: `UNIDENTIFIED_SPEAKER`, or absent, for some. */
  personid: number | undefined;
  /** Who it was; undefined for callers. */
  truly: PersonRow | undefined;
  /** The speaker is in the chair. */
  presiding: boolean;
}

/** A generated mention. mentionRow() makes its row on demand. */
export interface Mention extends MentionSpeaker {
  id: number;
  /** Seconds since 1970. */
  begin: number;
  /** Seconds. */
  length: number;
  program: Program;
  videoTypeId: number;
  captions: Captions;
  /** The bills that it names; undefined for none. */
  names: readonly Naming[] | undefined;
  /** The bill that it seems to name. */
  decoy: Decoy | undefined;
  /** The earlier mention that it repeats; undefined for a first broadcast. */
  repeats: Mention | undefined;
}

/** A row of GET /mentions. `personid` is 999999 for an unidentified speaker, and absent in some rows. */
export type MentionRow = Omit<FullRow<operations.MentionRow>, "personid"> & { personid?: number };

/** The row of a mention, with members in the order of the live service; some rows lack `personid`. */
export function mentionRow(mention: Mention): MentionRow {
  const { program, person, personid } = mention;
  return {
    begintime: isoSeconds(mention.begin),
    id: String(mention.id),
    link: `https://archive.example/video/?c${mention.id}`,
    person,
    programPublicId: program.publicId,
    programTitle: program.row.title,
    text: captionText(mention.captions),
    length: mention.length,
    ...(personid === undefined ? {} : { personid }),
    programid: program.row.id,
    videoTypeId: mention.videoTypeId,
  };
}

/** Ids rise by up to five. */
export const FIRST_ID = 4_000_000;

/** The kinds of programs in which clerks and a presiding officer are heard. */
const FLOORS: readonly string[] = ["senate", "house"];

/** From this size, every bill is mentioned at least three times. */
const EVERY_BILL_FROM = 5_000;

/**
 * Generates `size` mentions, in ascending order of their ids. A bill is mentioned only in programs of its own Congress, after its
 * introduction.
 */
export function makeMentions(
  seed: number,
  size: number,
  programs: readonly Program[],
  bills: readonly Bill[],
  people: People,
): Mention[] {
  const random = new Random(seed, "mentions");
  const choose = billChooser(random, size, programs, bills);
  const known = knownNames(bills);
  const clipTypes = new Map(PROGRAM_KINDS.map((kind) => [kind, new WeightedList(kind.videoTypes)]));
  const mentions: Mention[] = [];
  for (let index = 0; index < size; index++) {
    const choice = choose(index);
    const program = choice?.program ?? random.pick(programs);
    const topic = choice?.bill.topic ?? random.pick(program.topics);
    const begin = program.begin + random.below(program.duration);
    const id = FIRST_ID + index * 3 + random.below(3);
    const byOfficer = choice?.isDecoy === false && FLOORS.includes(program.kind.name) && random.chance(0.02);
    const speaker = byOfficer ? drawOfficer(random, program, people.clerks) : drawSpeaker(random, program, topic);
    const videoType = clipTypes.get(program.kind)?.draw(random) ?? "Remarks";
    const decoy = choice?.isDecoy ? makeDecoy(random, choice.bill, known) : undefined;
    const named = choice?.isDecoy === false ? namedBills(random, choice, byOfficer) : undefined;
    const captions = makeCaptions(random, topic, named?.statements ?? (decoy === undefined ? [] : [decoy]));
    const length = random.between(12, 600);
    const truth = { names: named?.names, decoy, repeats: undefined };
    mentions.push({ id, begin, length, program, ...speaker, videoTypeId: VIDEO_TYPES[videoType], captions, ...truth });
  }
  return mentions;
}

interface Choice {
  bill: Bill;
  program: Program;
  isDecoy: boolean;
}

/** Decides which mentions are about a bill or seem to be, which bill, and in which program. */
function billChooser(
  random: Random,
  size: number,
  programs: readonly Program[],
  bills: readonly Bill[],
): (index: number) => Choice | undefined {
  const places = new Map<Bill, { all: Program[]; senate: Program[] }>();
  for (const program of programs) {
    for (const bill of program.bills) {
      const place = places.get(bill) ?? { all: [], senate: [] };
      place.all.push(program);
      if (program.kind.name === "senate") place.senate.push(program);
      places.set(bill, place);
    }
  }
  const spoken = bills.filter((bill) => places.has(bill));
  const famous = spoken.filter((bill) => bill.famous);
  const others = new WeightedList(spoken.filter((bill) => !bill.famous).map((bill) => [bill, bill.weight] as const));
  const place = (bill: Bill, isDecoy = false): Choice => {
    const { all = programs, senate = [] } = places.get(bill) ?? {};
    // Famous bills are mostly debated on the Senate floor.
    const onTheFloor = bill.famous && random.chance(0.55) && senate.length > 0;
    return { bill, program: random.pick(onTheFloor ? senate : all), isDecoy };
  };
  return (index) => {
    const first = size >= EVERY_BILL_FROM && index < spoken.length * 3 ? spoken[index % spoken.length] : undefined;
    if (first) return place(first);
    const draw = random.below(1000);
    if (draw < 128) return place(random.pick(famous));
    if (draw < 430) return place(others.draw(random));
    if (draw < 490) return place(random.chance(0.2) ? random.pick(famous) : others.draw(random), true);
    return undefined;
  };
}

/** What a speech says about its bill, and sometimes about another bill of the program. */
function namedBills(random: Random, { bill, program }: Choice, byOfficer: boolean) {
  const first = nameBill(random, bill);
  const said = { sentence: random.pick(byOfficer ? SENTENCES.clerk : SENTENCES.bill), bill: first.pieces };
  const other = random.chance(0.03) && program.bills.length > 0 ? random.pick(program.bills) : bill;
  // Companions share a title, so a passage that names both would contradict itself.
  const isSameName = other === bill || (bill.spokenTitle !== "" && bill.spokenTitle === other.spokenTitle);
  if (isSameName) return { statements: [said], names: [first.naming] };
  const second = nameBill(random, other);
  const statements = [said, { sentence: random.pick(SENTENCES.secondBill), bill: second.pieces }];
  const names = [first.naming, second.naming].map(
    (naming): Naming => ({ ...naming, hard: [...naming.hard, "two bills"] }),
  );
  return { statements, names };
}

/** Draws a speaker. Some are unidentified, and a few rows have no `personid`. */
function drawSpeaker(random: Random, program: Program, topic: Topic): MentionSpeaker {
  const isLeader = random.chance(topic.key === LEADER_TOPIC ? 0.5 : 0.04) && program.people.includes(LEADER);
  const person = isLeader ? LEADER : random.pick(program.people);
  const isCallIn = program.kind.name === "call-in";
  if (random.chance(isCallIn ? 0.4 : 0.02)) {
    // On the floor, the name is often on the screen although nobody entered the id.
    if (!isCallIn && random.chance(0.5)) return row(nameAndTitles(random, person), UNIDENTIFIED_SPEAKER, person);
    const name = random.pick(["Unidentified Speaker", "Caller", "", "Unidentified Caller,Viewer"]);
    return row(name, UNIDENTIFIED_SPEAKER, isCallIn ? undefined : person);
  }
  const name = nameAndTitles(random, person);
  return row(name, random.chance(0.02) ? undefined : person.id, person);
}

/** The presiding officer or a clerk, who read the numbers and titles of bills. */
function drawOfficer(random: Random, program: Program, clerks: readonly PersonRow[]): MentionSpeaker {
  const chamber: Bill["chamber"] = program.kind.name === "senate" ? "Senate" : "House";
  if (random.chance(0.5)) {
    const name = chamber === "Senate" ? "Presiding Officer" : "Speaker Pro Tempore";
    return { ...row(name, UNIDENTIFIED_SPEAKER, random.pick(program.people)), presiding: true };
  }
  const clerk = random.pick(clerks.filter(({ title }) => title.includes(chamber)));
  return random.chance(0.3)
    ? row("Clerk", UNIDENTIFIED_SPEAKER, clerk)
    : row(nameAndTitles(random, clerk), clerk.id, clerk);
}

function row(person: string, personid: number | undefined, truly: PersonRow | undefined): MentionSpeaker {
  return { person, personid, truly, presiding: false };
}

function nameAndTitles(random: Random, person: PersonRow): string {
  const often = person.title.includes("U.S. ") ? 0.05 : 0.6;
  const name = spelling(random, person);
  return random.chance(often) ? `${name},${person.title.replaceAll(", ", ",")}` : name;
}

/** The same person is not always spelled the same. */
function spelling(random: Random, { name, id }: PersonRow): string {
  const draw = random.below(100);
  if (draw === 0) return name.toUpperCase();
  if (draw > 2) return name;
  const initial = String.fromCharCode(65 + (id % 26));
  return name.replace(" ", ` ${initial}. `);
}
