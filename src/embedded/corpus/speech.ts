import type { Bill } from "./bills.js";
import type { Captions } from "./Captions.js";
import { maybeHostile } from "./hostile.js";
import type { Random } from "./Random.js";
import { BILL_SENTENCES, CLOSERS, FILLERS, fillSentence, OPENERS } from "./sentences.js";
import type { Topic } from "./topics.js";

const LONGEST = 540;
/** What stands between two sentences: mostly a space, at times a line break of one kind or the other. */
const JOINTS = [...Array<string>(9).fill(" "), "\n", "\n", "\r\n"];

/** The captions of one clip, 100 to 600 characters, about a topic and perhaps a bill. */
export function speech(random: Random, topic: Topic, bill: Bill | undefined): Captions {
  const target = random.between(105, 270);
  const joint = random.pick(JOINTS);
  const pieces: string[] = random.chance(0.2) ? [">> "] : [];
  const said: string[] = [];
  let length = 0;
  const say = (sentence: string, name?: readonly string[]) => {
    if (length > LONGEST - sentence.length || said.includes(sentence)) return;
    if (said.length > 0) pieces.push(joint);
    said.push(sentence);
    length += joint.length + fillSentence(random, sentence, pieces, name);
  };
  if (random.chance(0.35)) say(random.pick(OPENERS));
  // The bill comes early: a long turn may be cut off, but never before it has named its bill.
  if (bill) say(random.pick(BILL_SENTENCES), nameOf(random, bill));
  say(random.pick(topic.sentences));
  for (let turn = 0; length < target && turn < 12; turn++) {
    say(random.chance(0.55) ? random.pick(topic.sentences) : random.pick(FILLERS));
  }
  if (random.chance(0.3)) say(random.pick(CLOSERS));

  // A copy has no room for more pieces: there are too many clips to keep it for each.
  return maybeHostile(random, { pieces: pieces.slice(), capitals: random.chance(0.86) });
}

/** A bill is called by its title, by its number, or by both: the pieces of what it is called. */
function nameOf(random: Random, bill: Bill): readonly string[] {
  const draw = random.below(100);
  if (draw < 50) return ["the ", bill.spokenTitle];
  const number = random.pick(bill.numberForms);
  return draw < 75 ? [number] : [number, ", the ", bill.spokenTitle];
}
