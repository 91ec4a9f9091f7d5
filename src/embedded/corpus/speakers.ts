import { UNIDENTIFIED_SPEAKER } from "../../util/speakerId.js";
import type { Bill } from "./bills.js";
import { LEADER, LEADER_TOPIC, type PersonRow } from "./people.js";
import type { Program } from "./programs.js";
import type { Random } from "./random.js";
import type { Topic } from "./vocabulary.js";

/** Who speaks in a mention: in its row, and in truth. */
export interface MentionSpeaker {
  /** The name as the row has it, sometimes followed by titles. */
  person: string;
  /** As the row has it: {@link UNIDENTIFIED_SPEAKER}, or absent, for some. */
  personid: number | undefined;
  /** Who it was; undefined for callers. */
  truly: PersonRow | undefined;
  /** The speaker is in the chair. */
  presiding: boolean;
}

/** Draws a speaker. Some are unidentified, and a few rows have no `personid`. */
export function drawSpeaker(random: Random, program: Program, topic: Topic): MentionSpeaker {
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

/** Whether clerks and a presiding officer are heard in a program. */
export function isOnTheFloor(program: Program): boolean {
  return program.kind.name === "senate" || program.kind.name === "house";
}

/** The presiding officer or a clerk, who read the numbers and titles of bills. */
export function drawOfficer(random: Random, program: Program, clerks: readonly PersonRow[]): MentionSpeaker {
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
