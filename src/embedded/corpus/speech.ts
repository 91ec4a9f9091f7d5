import type { Bill } from "./bills.js";
import { maybeHostile } from "./hostile.js";
import { numberForms } from "./numberForms.js";
import type { Random } from "./Random.js";
import { BILL_SENTENCES, CLOSERS, FILLERS, fillSentence, OPENERS } from "./sentences.js";
import type { Topic } from "./topics.js";

const LONGEST = 540;
/** What stands between two sentences: mostly a space, at times a line break of one kind or the other. */
const JOINTS = [...Array<string>(9).fill(" "), "\n", "\n", "\r\n"];

/** The captions of one clip, 100 to 600 characters, about a topic and perhaps a bill. */
export function speech(random: Random, topic: Topic, bill: Bill | undefined): string {
  const target = random.between(105, 330);
  const joint = random.pick(JOINTS);
  const said: string[] = [];
  let text = "";
  const say = (sentence: string, name?: string) => {
    if (said.includes(sentence)) return;
    const filled = fillSentence(random, sentence, name);
    if (text.length + joint.length + filled.length > LONGEST) return;
    text = said.length === 0 ? filled : text + joint + filled;
    said.push(sentence);
  };
  if (random.chance(0.35)) say(random.pick(OPENERS));
  // The bill comes early: a long turn may be cut off, but never before it has named its bill.
  if (bill) say(random.pick(BILL_SENTENCES), nameOf(random, bill));
  say(random.pick(topic.sentences));
  for (let turn = 0; text.length < target && turn < 12; turn++) {
    say(random.chance(0.55) ? random.pick(topic.sentences) : random.pick(FILLERS));
  }
  if (random.chance(0.3)) say(random.pick(CLOSERS));

  const turn = random.chance(0.2) ? `>> ${text}` : text;
  return maybeHostile(random, random.chance(0.86) ? turn.toUpperCase() : turn);
}

/** A bill is called by its title, by its number, or by both. */
function nameOf(random: Random, bill: Bill): string {
  const title = `the ${bill.spokenTitle}`;
  const draw = random.below(100);
  if (draw < 50) return title;
  const number = random.pick(numberForms(bill));
  return draw < 75 ? number : `${number}, ${title}`;
}
