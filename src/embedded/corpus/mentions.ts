import type { Bill } from "./bills.js";
import { isoSeconds } from "./calendar.js";
import { type Captions, captionText, makeCaptions } from "./captions.js";
import { LEADER, LEADER_TOPIC, UNIDENTIFIED } from "./people.js";
import { PROGRAM_KINDS, type ProgramKind } from "./programKinds.js";
import type { Program } from "./programs.js";
import { Random, WeightedList } from "./random.js";
import type { MentionRow, PersonRow } from "./rows.js";
import type { Topic } from "./topics.js";
import { VIDEO_TYPES, type VideoType } from "./videoTypes.js";

/** A generated mention. mentionRow() makes its row on demand. */
export interface Mention {
  id: number;
  /** Seconds since 1970. */
  begin: number;
  /** Seconds. */
  length: number;
  program: Program;
  /** The speaker's name, sometimes followed by titles. */
  person: string;
  personid: number | undefined;
  videoTypeId: number;
  captions: Captions;
}

const FIRST_ID = 4_000_000;

/** Above the maximum size; seconds times this still fit exactly in a double. */
const KEY_STRIDE = 2 ** 21;

/** From this size, every bill is mentioned at least three times. */
const EVERY_BILL_FROM = 5_000;

/**
 * Generates `size` mentions in the order of GET /mentions: newest first, ties by id. A bill is mentioned only in programs of its
 * own Congress, after its introduction.
 */
export function makeMentions(
  seed: number,
  size: number,
  programs: readonly Program[],
  bills: readonly Bill[],
): readonly Mention[] {
  const random = new Random(seed, "mentions");
  const choose = billChooser(random, size, programs, bills);
  const clipTypes = new Map<ProgramKind, WeightedList<VideoType>>(
    PROGRAM_KINDS.map((kind) => [kind, new WeightedList(kind.videoTypes)]),
  );
  const mentions: Mention[] = [];
  const keys = new Float64Array(size);
  for (let index = 0; index < size; index++) {
    const choice = choose(index);
    const program = choice?.program ?? random.pick(programs);
    const topic = choice?.bill.topic ?? random.pick(program.topics);
    const begin = program.begin + random.below(program.duration);
    const id = FIRST_ID + index * 3 + random.below(3);
    const { person, personid } = speaker(random, program, topic);
    const videoType = clipTypes.get(program.kind)?.draw(random) ?? "Remarks";
    const captions = makeCaptions(random, topic, choice?.bill);
    const length = random.between(12, 600);
    mentions.push({ id, begin, length, program, person, personid, videoTypeId: VIDEO_TYPES[videoType], captions });
    keys[index] = index - begin * KEY_STRIDE;
  }
  // Ids rise with the index, so one number sorts by time and then by id.
  keys.sort();
  return Array.from(keys, (key) => mentions[((key % KEY_STRIDE) + KEY_STRIDE) % KEY_STRIDE]).filter(isMention);
}

/** Draws a speaker. Some are unidentified, and a few rows have no `personid`. */
function speaker(random: Random, program: Program, topic: Topic): { person: string; personid: number | undefined } {
  const isLeader = random.chance(topic.key === LEADER_TOPIC ? 0.5 : 0.04) && program.people.includes(LEADER);
  const person = isLeader ? LEADER : random.pick(program.people);
  const unidentified = program.kind.name === "call-in" ? 0.4 : 0.02;
  if (random.chance(unidentified)) {
    const name = random.pick(["Unidentified Speaker", "Caller", "", "Unidentified Caller,Viewer"]);
    return { person: name, personid: UNIDENTIFIED };
  }
  const name = nameAndTitles(random, person);
  return random.chance(0.02) ? { person: name, personid: undefined } : { person: name, personid: person.id };
}

function nameAndTitles(random: Random, person: PersonRow): string {
  const often = person.title.includes("U.S. ") ? 0.05 : 0.6;
  return random.chance(often) ? `${person.name},${person.title.replaceAll(", ", ",")}` : person.name;
}

/** Decides which mentions are about a bill, which bill, and in which program. */
function billChooser(
  random: Random,
  size: number,
  programs: readonly Program[],
  bills: readonly Bill[],
): (index: number) => { bill: Bill; program: Program } | undefined {
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
  const place = (bill: Bill): { bill: Bill; program: Program } => {
    const { all = programs, senate = [] } = places.get(bill) ?? {};
    // Famous bills are mostly debated on the Senate floor.
    const onTheFloor = bill.famous && random.chance(0.55) && senate.length > 0;
    return { bill, program: random.pick(onTheFloor ? senate : all) };
  };
  return (index) => {
    const first = size >= EVERY_BILL_FROM && index < spoken.length * 3 ? spoken[index % spoken.length] : undefined;
    if (first) return place(first);
    const draw = random.below(1000);
    if (draw < 126) return place(random.pick(famous));
    return draw < 430 ? place(others.draw(random)) : undefined;
  };
}

function isMention(mention: Mention | undefined): mention is Mention {
  return mention !== undefined;
}

/** The row of a mention, with members in the order of the live service; some rows lack `personid`. */
export function mentionRow(mention: Mention): MentionRow {
  const { program, personid } = mention;
  return {
    begintime: isoSeconds(mention.begin),
    id: String(mention.id),
    link: `https://archive.example/video/?c${mention.id}`,
    person: mention.person,
    programPublicId: program.publicId,
    programTitle: program.row.title,
    text: captionText(mention.captions),
    length: mention.length,
    ...(personid === undefined ? {} : { personid }),
    programid: program.row.id,
    videoTypeId: mention.videoTypeId,
  };
}
