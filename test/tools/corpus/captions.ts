import type { Random } from "./random.js";
import { HOSTILE, SENTENCES, STATES, type Topic } from "./vocabulary.js";

/**
 * The text of a clip in pieces that many clips share: the archive indexes each piece once and joins them only for responses.
 * No word spans two pieces.
 */
export interface Captions {
  pieces: readonly string[];
  /** Upper case, as most captions are. */
  capitals: boolean;
}

export function captionText({ pieces, capitals }: Captions): string {
  const text = pieces.join("");
  return capitals ? text.toUpperCase() : text;
}

/** Text that is dangerous to display or store unescaped. The live archive contains such text too, so examples and tests should meet it. */
const HOSTILE_FORMS: ReadonlyArray<(random: Random, text: string) => string> = [
  (random, text) => random.pick(HOSTILE.formulas) + text,
  (_random, text) => `<b>${text}</b>`,
  (random, text) => `${random.pick(HOSTILE.markup)}${text}`,
  (random, text) => `${text} ${random.pick(HOSTILE.emoji)}`,
  (_random, text) => `"${text}", he said, ""quote"" and 'unquote'`,
  (_random, text) => text.replace(" ", "\u00a0").replaceAll(", ", ",\t"),
  (_random, text) => text.replace(" ", "\u2028"),
];

const MAX_LENGTH = 540;
/** Sentence separators: mostly spaces, sometimes line breaks. */
const SEPARATORS = [...Array<string>(9).fill(" "), "\n", "\n", "\r\n"];

/** A sentence that a clip must have, with the pieces that replace {bill}. */
export interface Statement {
  readonly sentence: string;
  readonly bill: readonly string[];
}

/** Generates the captions of one clip, 100 to 600 characters, about a topic, with some statements. */
export function makeCaptions(random: Random, topic: Topic, statements: readonly Statement[]): Captions {
  const target = random.between(105, 270);
  const separator = random.pick(SEPARATORS);
  const pieces: string[] = random.chance(0.2) ? [">> "] : [];
  const said: string[] = [];
  let length = 0;
  const say = (sentence: string, bill?: readonly string[]) => {
    if (length > MAX_LENGTH - sentence.length || said.includes(sentence)) return;
    // Sometimes the next speaker is heard in the same clip.
    if (said.length > 0) pieces.push(random.chance(0.02) ? "\n>> " : separator);
    said.push(sentence);
    length += separator.length + fillSentence(random, sentence, pieces, bill);
  };
  if (random.chance(0.35)) say(random.pick(SENTENCES.openers));
  // They come early, so that the length limit never cuts them off.
  for (const { sentence, bill } of statements) say(sentence, bill);
  say(random.pick(topic.sentences));
  for (let turn = 0; length < target && turn < 12; turn++) {
    say(random.chance(0.55) ? random.pick(topic.sentences) : random.pick(SENTENCES.fillers));
  }
  if (random.chance(0.3)) say(random.pick(SENTENCES.closers));

  // slice() drops the spare capacity of the array, which adds up over all clips.
  const captions = { pieces: pieces.slice(), capitals: random.chance(0.86) };
  if (!random.chance(0.05)) return captions;
  return { pieces: [random.pick(HOSTILE_FORMS)(random, captionText(captions))], capitals: false };
}

/**
 * Appends the pieces of a sentence, with {state} and {n} replaced by random values and {bill} by the bill's name.
 *
 * @returns their total length in characters
 */
export function fillSentence(random: Random, sentence: string, pieces: string[], bill: readonly string[] = []): number {
  const before = pieces.length;
  for (const part of partsOf(sentence)) {
    if (part === "{bill}") pieces.push(...bill);
    else if (part === "{state}") pieces.push(random.pick(STATES));
    else pieces.push(part === "{n}" ? String(random.between(2, 480)) : part);
  }
  return pieces.slice(before).reduce((total, { length }) => total + length, 0);
}

const knownParts = new Map<string, readonly string[]>();

/** Sentences are used thousands of times, so each is split only once. */
function partsOf(sentence: string): readonly string[] {
  const parts = knownParts.get(sentence) ?? sentence.split(/(\{\w+\})/).filter((part) => part !== "");
  knownParts.set(sentence, parts);
  return parts;
}
