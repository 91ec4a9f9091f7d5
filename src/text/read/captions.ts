import { sum } from "../../util/lists.js";

/** Sounds in brackets, and songs between notes. */
const SOUNDS = /\[[^\][]{1,80}\]|♪[^♪]{0,300}♪|♪/g;
/** Other parentheses may be speech, as in 501(c)(3). */
const SOUND_IN_PARENTHESES =
  /\((?:[a-z', ]{1,40} )?(?:applause|laughter|laugh(?:s|ing)|chuckl(?:es|ing)|cheer(?:s|ing)|boo(?:s|ing)|chant(?:s|ing)|shout(?:s|ing)|sing(?:s|ing)|music|gavel|bell|inaudible|indiscernible|unintelligible|crosstalk|silence|pause|sigh(?:s|ing)|cough(?:s|ing)|no audio)(?: [a-z', ]{1,40})?\)/g;
/** The label of a speaker, in capitals with a colon, at the beginning of a passage or turn. */
const LABEL =
  /^[ \t]{0,9}(?:>> ?)?((?:[A-Z][A-Z.'’-]{1,30} ){0,4}[A-Z][A-Z.'’-]{1,30}):(?=\s|$)|>> ?((?:[A-Z][A-Z.'’-]{1,30} ){0,4}[A-Z][A-Z.'’-]{1,30}):(?=\s|$)/g;
/** In a caption without small letters, only these are labels: REMEMBER: VOTE is a sentence. */
const ROLE =
  /^(?:PRES|PRESIDENT|VICE|SEN|SENATOR|REP|REPRESENTATIVE|CONGRESS\w+|GOV|GOVERNOR|SEC|SECRETARY|GEN|GENERAL|MR|MRS|MS|DR|JUDGE|JUSTICE|AMB|AMBASSADOR|THE (?:PRESIDENT|SPEAKER|CHAIR\w*|CLERK|PRESIDING)|SPEAKER|CHAIR\w*|HOST|CALLER|GUEST|ANNOUNCER|REPORTER|MODERATOR|NARRATOR|UNIDENTIFIED|MAN|WOMAN|AUDIENCE|Q|A)\b/;
/** Invisible characters, such as direction marks, may be within words. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const LIGATURE = /[\ufb00-\ufb06]/g;
const NOT_ASCII = /[^\0-\x7f]/g;

export class Captions {
  /** As {@link visibleText}; null for rows without a text. */
  readonly texts: readonly (string | null)[];
  #spoken: readonly (string | null)[] | undefined;

  constructor(texts: readonly (string | null)[]) {
    this.texts = texts.map((text) => (text === null ? null : visibleText(text)));
  }

  /** As {@link spokenText}. */
  get spoken(): readonly (string | null)[] {
    this.#spoken ??= this.texts.map((text) => (text === null ? null : spokenText(text)));
    return this.#spoken;
  }

  get length(): number {
    return sum(this.texts.map((text) => text?.length ?? 0));
  }
}

/** A text in composed form (NFC: "é" is one character), without invisible characters and ligatures. */
export function visibleText(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(INVISIBLE, "")
    .replace(LIGATURE, (letters) => letters.normalize("NFKD"))
    .normalize("NFC");
}

function isLabel(label: string, caption: string): boolean {
  return ROLE.test(label) || /[a-z]/.test(caption);
}

/** A cache by character. */
const folded = new Map<string, string>();

/**
 * Normalizes a caption for comparison: lower case, no accents, straight apostrophes, and `>` in place of sounds (`[APPLAUSE]`, `(music)`)
 * and labels of speakers (`PRES. TRUMP:`). The length stays the same, so offsets are valid for both. Takes linear time.
 *
 * @example
 * spokenText("[APPLAUSE] SEÑOR, WE’RE HERE"); //=> ">>>>>>>>>> senor, we're here"
 */
export function spokenText(caption: string): string {
  const spoken = caption.includes(":")
    ? caption.replace(LABEL, (mark, first?: string, later?: string) => blank(mark, first ?? later ?? "", caption))
    : caption;
  const lower = isAscii(spoken)
    ? spoken.toLowerCase()
    : spoken.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(NOT_ASCII, fold);
  // Replaced by the mark of a new turn, which no phrase crosses.
  const withoutSounds =
    lower.includes("[") || lower.includes("♪") ? lower.replace(SOUNDS, (sound) => ">".repeat(sound.length)) : lower;
  return withoutSounds.includes("(")
    ? withoutSounds.replace(SOUND_IN_PARENTHESES, (sound) => ">".repeat(sound.length))
    : withoutSounds;
}

function blank(mark: string, label: string, caption: string): string {
  return isLabel(label, caption) ? ">".repeat(mark.length) : mark;
}

export function isAscii(text: string): boolean {
  NOT_ASCII.lastIndex = 0;
  return !NOT_ASCII.test(text);
}

function fold(character: string): string {
  const result = folded.get(character) ?? plainCharacter(character);
  folded.set(character, result);
  return result;
}

/** Replaces one UTF-16 unit by one. A character that would get another length stays. */
function plainCharacter(character: string): string {
  if (character === "’" || character === "‘") return "'";
  const candidates = [character.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(), character.toLowerCase()];
  return candidates.find(({ length }) => length === 1) ?? character;
}
