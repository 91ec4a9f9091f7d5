import type { Bill } from "./bills.js";
import type { Random } from "./random.js";
import { BILL_SENTENCES, CLOSERS, FILLERS, fillSentence, OPENERS } from "./sentences.js";
import type { Topic } from "./topics.js";

/**
 * What is said in a clip, in pieces that many clips have in common: the archive indexes each piece once, and puts them
 * together only when somebody reads them. No word reaches from one piece into the next.
 */
export interface Captions {
  pieces: readonly string[];
  /** Most captions are written in capital letters. */
  capitals: boolean;
}

/** The captions as the row has them. */
export function captionText({ pieces, capitals }: Captions): string {
  const text = pieces.join("");
  return capitals ? text.toUpperCase() : text;
}

/** What a spreadsheet would take for a formula, a command or a number. */
const FORMULAS = ["=1+1 ", "@here ", "-5 ", "+1 ", '=HYPERLINK("https://evil.example","here") ', "\t=2*3 "];

/** What a page would take for markup. */
const MARKUP = ["<b>", "<i>", "<script>alert(1)</script>", "</td></tr>", "&lt;b&gt; & <img src=x onerror=alert(1)>"];

const EMOJI = ["😀", "🇺🇸", "👩‍⚖️", "🔥", "✅"];

/**
 * Now and then turns captions into what the live archive also holds: text that is dangerous to show or to store
 * carelessly. Every value of the service is to be treated as hostile; this makes sure that some are.
 */
export function maybeHostile(random: Random, captions: Captions): Captions {
  if (!random.chance(0.05)) return captions;
  return { pieces: [hostile(random, captionText(captions))], capitals: false };
}

function hostile(random: Random, text: string): string {
  switch (random.below(7)) {
    case 0:
      return random.pick(FORMULAS) + text;
    case 1:
      return `<b>${text}</b>`;
    case 2:
      return `${random.pick(MARKUP)}${text}`;
    case 3:
      return `${text} ${random.pick(EMOJI)}`;
    case 4:
      return `"${text}", he said, ""quote"" and 'unquote'`;
    case 5:
      return text.replace(" ", "\u00a0").replaceAll(", ", ",\t");
    default:
      return text.replace(" ", "\u2028");
  }
}

const MAX_LENGTH = 540;
/** What stands between two sentences: mostly a space, at times a line break of one kind or the other. */
const JOINTS = [...Array<string>(9).fill(" "), "\n", "\n", "\r\n"];

/** The captions of one clip, 100 to 600 characters, about a topic and perhaps a bill. */
export function makeCaptions(random: Random, topic: Topic, bill: Bill | undefined): Captions {
  const target = random.between(105, 270);
  const joint = random.pick(JOINTS);
  const pieces: string[] = random.chance(0.2) ? [">> "] : [];
  const said: string[] = [];
  let length = 0;
  const say = (sentence: string, name?: readonly string[]) => {
    if (length > MAX_LENGTH - sentence.length || said.includes(sentence)) return;
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
