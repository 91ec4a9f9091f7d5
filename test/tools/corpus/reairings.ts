import { UNIDENTIFIED_SPEAKER } from "../embedded.js";
import { captionText } from "./captions.js";
import { FIRST_ID, type Mention } from "./mentions.js";
import type { Program } from "./programs.js";
import { Random } from "./random.js";

/** The share of mentions that are broadcast again, as a whole or as a clip; some of them several times. */
const REPEATED = 0.08;
const AGAIN = 0.3;
const CLIPS = 0.35;
/** A repeat is broadcast in one of the programs that follow. */
const PROGRAMS_AHEAD = 40;
/** A shorter clip could be anyone's. */
const MIN_CLIP_WORDS = 14;

/**
 * Broadcasts some mentions again in later programs, with new ids. Captions are made anew, so capitals and line breaks differ, a word
 * may be wrong, and the first or last sentence may be missing; about one in twelve has no identified speaker any more.
 *
 * @param mentions in ascending order of their ids
 * @param programs oldest first
 */
export function makeReairings(
  seed: number,
  mentions: readonly Mention[],
  programs: readonly Program[],
): readonly Mention[] {
  const random = new Random(seed, "re-airings");
  const position = new Map(programs.map((program, at) => [program, at]));
  const made: Mention[] = [];
  const firstId = FIRST_ID + mentions.length * 3;
  for (const original of mentions) {
    if (!random.chance(REPEATED)) continue;
    do {
      const from = (position.get(original.program) ?? 0) + 1;
      const program = programs[from + random.below(PROGRAMS_AHEAD)];
      const repeat = program && repeatOf(random, original, program, firstId + made.length * 3);
      if (repeat !== undefined) made.push(repeat);
    } while (random.chance(AGAIN));
  }
  return made;
}

function repeatOf(random: Random, original: Mention, program: Program, id: number): Mention | undefined {
  // Only a whole speech surely still names what the original names.
  const mustBeWhole = original.names !== undefined || original.decoy !== undefined;
  const isClip = !mustBeWhole && random.chance(CLIPS);
  const said = captionText(original.captions);
  const text = isClip ? clipOf(random, said) : mustBeWhole ? said : trimmed(random, said);
  if (text === undefined) return undefined;
  return {
    ...original,
    id,
    program,
    begin: program.begin + random.below(program.duration),
    length: Math.max(5, Math.round((original.length * text.length) / said.length)),
    personid: random.chance(0.08) ? UNIDENTIFIED_SPEAKER : original.personid,
    captions: { pieces: [captionedAnew(random, text, mustBeWhole)], capitals: random.chance(0.86) },
    repeats: original,
  };
}

/** One or two sentences in a row. */
function clipOf(random: Random, text: string): string | undefined {
  const sentences = sentencesOf(text);
  const count = random.between(1, 2);
  const start = random.below(Math.max(1, sentences.length - count + 1));
  const clip = sentences
    .slice(start, start + count)
    .join("")
    .trim();
  return sentences.length > count && clip.split(/\s+/).length >= MIN_CLIP_WORDS ? clip : undefined;
}

/** Without the first or last sentence, sometimes: the borders of a clip are drawn anew. */
function trimmed(random: Random, text: string): string {
  const sentences = sentencesOf(text);
  if (sentences.length < 4 || random.chance(0.7)) return text;
  return (random.chance(0.5) ? sentences.slice(1) : sentences.slice(0, -1)).join("").trim();
}

/** Other line breaks, and a lost letter now and then. */
function captionedAnew(random: Random, text: string, isExact: boolean): string {
  const words = text.split(" ");
  if (random.chance(0.3)) words[random.below(words.length)] += "\n";
  if (!isExact && random.chance(0.25)) {
    const at = random.below(words.length);
    words[at] = (words[at] as string).slice(1);
  }
  return words.join(" ");
}

function sentencesOf(text: string): string[] {
  return text.match(/[^.!?]+[.!?]*\s*/g) ?? [text];
}
