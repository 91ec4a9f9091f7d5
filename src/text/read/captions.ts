import { sum } from "../../util/lists.js";

/** Captions describe sounds in brackets and mark songs with notes. Neither is speech. */
const SOUNDS = /\[[^\][]{1,80}\]|♪[^♪]{0,300}♪|♪/g;
/** Parentheses may be speech, as in 501(c)(3): only these sounds are not. */
const SOUND_IN_PARENTHESES =
  /\((?:[a-z', ]{1,40} )?(?:applause|laughter|laugh(?:s|ing)|chuckl(?:es|ing)|cheer(?:s|ing)|boo(?:s|ing)|chant(?:s|ing)|shout(?:s|ing)|sing(?:s|ing)|music|gavel|bell|inaudible|indiscernible|unintelligible|crosstalk|silence|pause|sigh(?:s|ing)|cough(?:s|ing)|no audio)(?: [a-z', ]{1,40})?\)/g;
/** Who speaks, in capitals with a colon, at the beginning of a passage or turn. */
const LABEL =
  /^[ \t]{0,9}(?:>> ?)?((?:[A-Z][A-Z.'’-]{1,30} ){0,4}[A-Z][A-Z.'’-]{1,30}):(?=\s|$)|>> ?((?:[A-Z][A-Z.'’-]{1,30} ){0,4}[A-Z][A-Z.'’-]{1,30}):(?=\s|$)/g;
/** In a caption of capitals alone, only titles and roles tell a label from a sentence such as REMEMBER: VOTE. */
const ROLE =
  /^(?:PRES|PRESIDENT|VICE|SEN|SENATOR|REP|REPRESENTATIVE|CONGRESS\w+|GOV|GOVERNOR|SEC|SECRETARY|GEN|GENERAL|MR|MRS|MS|DR|JUDGE|JUSTICE|AMB|AMBASSADOR|THE (?:PRESIDENT|SPEAKER|CHAIR\w*|CLERK|PRESIDING)|SPEAKER|CHAIR\w*|HOST|CALLER|GUEST|ANNOUNCER|REPORTER|MODERATOR|NARRATOR|UNIDENTIFIED|MAN|WOMAN|AUDIENCE|Q|A)\b/;
/** Characters that nobody sees, marks of direction among them, which may stand within words; and letters that are one character. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const LIGATURE = /[\ufb00-\ufb06]/g;
const NOT_ASCII = /[^\0-\x7f]/g;

export class Captions {
  /** As {@link visibleText}; null where a row has none. */
  readonly texts: readonly (string | null)[];
  #spoken: readonly (string | null)[] | undefined;

  constructor(given: readonly (string | null)[]) {
    this.texts = given.map((text) => (text === null ? null : visibleText(text)));
  }

  /** In the form in which words are compared, see {@link spokenText}. */
  get spoken(): readonly (string | null)[] {
    this.#spoken ??= this.texts.map((text) => (text === null ? null : spokenText(text)));
    return this.#spoken;
  }

  get length(): number {
    return sum(this.texts.map((text) => text?.length ?? 0));
  }
}

/** A text without invisible characters and ligatures, in the composed form of Unicode (NFC): "é" is one character. */
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

/** What a character becomes; there are few different ones. */
const folded = new Map<string, string>();

/**
 * A caption in the form in which words are compared: lower case, no accents, straight apostrophes, and sounds (`[APPLAUSE]`,
 * `(music)`) and labels of speakers (`PRES. TRUMP:`) blanked. It has the length of the caption, so positions hold for both. Takes time proportional to the length.
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
  // Blanked with the mark of a new turn, so that no phrase crosses the note.
  const noted =
    lower.includes("[") || lower.includes("♪") ? lower.replace(SOUNDS, (sound) => ">".repeat(sound.length)) : lower;
  return noted.includes("(") ? noted.replace(SOUND_IN_PARENTHESES, (sound) => ">".repeat(sound.length)) : noted;
}

function blank(mark: string, label: string, caption: string): string {
  return isLabel(label, caption) ? ">".repeat(mark.length) : mark;
}

export function isAscii(text: string): boolean {
  NOT_ASCII.lastIndex = 0;
  return !NOT_ASCII.test(text);
}

function fold(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const made = plainCharacter(character);
  folded.set(character, made);
  return made;
}

/** One UTF-16 unit becomes one: whatever would become longer or shorter stays as it is. */
function plainCharacter(character: string): string {
  if (character === "’" || character === "‘") return "'";
  const candidates = [character.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(), character.toLowerCase()];
  return candidates.find(({ length }) => length === 1) ?? character;
}
