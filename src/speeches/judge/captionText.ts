import { ABBREVIATIONS } from "../../util/abbreviations.js";

/** What separates a word from the previous one. */
export type Gap = "none" | "space" | "pause" | "stop";

/** A word: letters without apostrophes and accents, or a number without thousands separators. */
export interface Word {
  readonly text: string;
  readonly isNumber: boolean;
  readonly gap: Gap;
  /** Position in the text. */
  readonly start: number;
  readonly end: number;
  /** Position in {@link CaptionText.letters}. */
  readonly offset: number;
}

/**
 * A text as words without capitals, punctuation, accents or line breaks, so that captions and titles can be compared. Takes linear
 * time.
 * @example
 * readCaption("H. R. 5,376, THE INFLA-\nTION ACT").words.map(({ text }) => text);
 * //=> ["h", "r", "5376", "the", "infla", "tion", "act"]
 */
export interface CaptionText {
  readonly text: string;
  readonly words: readonly Word[];
  /** All words without separators, because a hyphen or line break may occur anywhere. */
  readonly letters: string;
  /** The index of the word that begins at an offset of {@link letters}. */
  readonly wordAt: ReadonlyMap<number, number>;
}

// Words may contain invisible characters. An ampersand is the word "and". Thousands separators precede exactly three digits.
const WORDS =
  /&|[\p{L}\p{M}][\p{L}\p{M}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*(?:['’][\p{L}\p{M}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+)*|\p{Nd}+(?:,\p{Nd}{3}(?!\p{Nd}))*/gu;
const NOT_LETTERS = /[^\p{L}\p{Nd}]/gu;

export function readCaption(text: string): CaptionText {
  const words: Word[] = [];
  const wordAt = new Map<number, number>();
  let letters = "";
  let last: Word | undefined;
  for (const { 0: found, index: start } of text.matchAll(WORDS)) {
    const isNumber = /^\p{Nd}/u.test(found);
    const plain = found === "&" ? "and" : found.toLowerCase().normalize("NFKD").replace(NOT_LETTERS, "");
    if (plain === "") continue;
    const between = last === undefined ? "." : text.slice(last.end, start);
    const gap = between === " " ? "space" : last === undefined ? "stop" : gapOf(between, last.text);
    const word = { text: plain, isNumber, gap, start, end: start + found.length, offset: letters.length };
    wordAt.set(word.offset, words.length);
    words.push(word);
    letters += plain;
    last = word;
  }
  return { text, words, letters, wordAt };
}

function gapOf(between: string, before: string): Gap {
  if (between === "") return "none";
  if (/[!?]|>>/.test(between)) return "stop";
  if (between.includes(".")) return before.length === 1 || ABBREVIATIONS.has(before) ? "space" : "stop";
  return /[,:;()"“”[\]]|--|[–—]/.test(between) ? "pause" : "space";
}
