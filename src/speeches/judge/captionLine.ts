import { ABBREVIATIONS } from "../../util/abbreviations.js";
import words from "./words.json" with { type: "json" };

/**
 * A caption as one line for regular expressions: a mark before each word says what separates it from the previous one. "H.R. 5, the" is
 * `.h r 5,the`.
 */
export interface CaptionLine extends CaptionText {
  readonly line: string;
  /** The offsets of each word in the line. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** The indexes of the first and the last word of a match. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

const MARKS = { none: "·", space: " ", pause: ",", stop: "." };

export function readLine(text: string): CaptionLine {
  const caption = readCaption(text);
  const [starts, ends]: [number[], number[]] = [[], []];
  let line = "";
  let last: Word | undefined;
  for (const word of caption.words) {
    const between = word.start - 1 === last?.end ? text[last.end] : "";
    // "5.5" is one number.
    const isDecimal = between === "." && word.isNumber && last?.isNumber;
    line += isDecimal ? MARKS.none : between === "-" ? "-" : MARKS[word.gap];
    starts.push(line.length);
    line += word.text;
    ends.push(line.length);
    last = word;
  }
  return { ...caption, line, starts, ends };
}

const WORD_END = "(?![^-·,. ])";
const SYMBOLS: Readonly<Record<string, string>> = {
  _: "[-·,. ]",
  "%": "[-·, ]",
  "~": "[-· ]",
  "@": "(?:[^-·,. ]+)",
  "#": String.raw`(?:\p{Nd}+)${WORD_END}`,
  "&": WORD_END,
};
/** Word lists by name. A number that is read out begins with a word of `numbers`. */
const LISTS: Readonly<Record<string, unknown>> = { ...words, numbers: `${words.ones} ${words.tens} ${words.zeros}` };

/**
 * Compiles an expression for lines. `_` is any mark, `%` one within a sentence, `~` one within a clause, `@` a word, `&` the end
 * of one, `#` a number in digits, and `{units}` a word of that list.
 */
export function onLine(source: string, flags = ""): RegExp {
  const list = (name: string) => (LISTS[name] as string).split(" ").filter((word) => word !== "-");
  const expanded = source
    .replace(/(?<!\\p)\{([a-zA-Z]+)\}/g, (_, name: string) => `(?:${list(name).join("|")})&`)
    .replace(/[_%~@#&]/g, (symbol) => SYMBOLS[symbol] as string);
  return new RegExp(expanded, `u${flags}`);
}

/** The words before a word, and its mark. */
export function before({ line, starts }: CaptionLine, first: number, count = 8): string {
  return line.slice((starts[first - count] ?? 1) - 1, starts[first]);
}

/** The text between two words, with the marks around it. */
export function between({ line, starts, ends }: CaptionLine, one: number, other: number): string {
  return line.slice(ends[one], starts[other]);
}

/** The match of a sticky expression right after a word. */
export function after({ line, ends }: CaptionLine, last: number, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = ends[last] as number;
  return expression.exec(line);
}

const WORD = /[^-·,. ]+/g;

export function wordsIn(part: string): string[] {
  return part.match(WORD) ?? [];
}

/** What separates a word from the previous one. */
type Gap = "none" | "space" | "pause" | "stop";

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
  for (const { 0: match, index: start } of text.matchAll(WORDS)) {
    const isNumber = /^\p{Nd}/u.test(match);
    const normalized = match === "&" ? "and" : match.toLowerCase().normalize("NFKD").replace(NOT_LETTERS, "");
    if (normalized === "") continue;
    const between = last === undefined ? "." : text.slice(last.end, start);
    const gap = between === " " ? "space" : last === undefined ? "stop" : gapOf(between, last.text);
    const word = { text: normalized, isNumber, gap, start, end: start + match.length, offset: letters.length };
    wordAt.set(word.offset, words.length);
    words.push(word);
    letters += normalized;
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
