import { sum } from "../util/sum.js";

/** Captions describe sounds in brackets and mark songs with notes. Neither is speech. */
const SOUNDS = /\[[^\][]{1,80}\]|♪[^♪]{0,300}♪|♪/g;
const NOT_ASCII = /[^\0-\x7f]/g;

/** The captions of a batch of rows. */
export class Captions {
  /** In the composed form of Unicode (NFC); null where a row has none. */
  readonly texts: readonly (string | null)[];
  #spoken: readonly (string | null)[] | undefined;

  /** @param given as the rows have them */
  constructor(given: readonly (string | null)[]) {
    // "é" is one character.
    this.texts = given.map((text) => text?.normalize("NFC") ?? null);
  }

  /** In the form in which words are compared, see {@link spokenText}. */
  get spoken(): readonly (string | null)[] {
    this.#spoken ??= this.texts.map((text) => (text === null ? null : spokenText(text)));
    return this.#spoken;
  }

  /** Characters in all captions. */
  get length(): number {
    return sum(this.texts.map((text) => text?.length ?? 0));
  }
}

/** What a character becomes; there are few different ones. */
const folded = new Map<string, string>();

/**
 * A caption in the form in which words are compared: lower case, no accents, straight apostrophes, and sound notes such as
 * `[APPLAUSE]` blanked. It has the length of the caption, so positions hold for both. Takes time proportional to the length.
 *
 * @example
 * spokenText("[APPLAUSE] SEÑOR, WE’RE HERE"); //=> ">>>>>>>>>> senor, we're here"
 */
export function spokenText(caption: string): string {
  const lower = isAscii(caption)
    ? caption.toLowerCase()
    : caption.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(NOT_ASCII, fold);
  // Blanked with the mark of a new turn, so that no phrase crosses the note.
  return lower.includes("[") || lower.includes("♪")
    ? lower.replace(SOUNDS, (sound) => ">".repeat(sound.length))
    : lower;
}

/** Whether a text contains ASCII characters only. */
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
