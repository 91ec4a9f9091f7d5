import { type CaptionText, readCaption, type Word } from "./captionText.js";
import words from "./words.json" with { type: "json" };

/**
 * A caption as one line, in which regular expressions find what stands around a match: every word behind a mark that says what separates it
 * from the word before. "H.R. 5, the" is `.h r 5,the`.
 */
export interface CaptionLine extends CaptionText {
  readonly line: string;
  /** Where each word begins and ends in the line. */
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
/** The words with which a number that is read out begins. */
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

/** A few words before a word, up to its mark. */
export function before({ line, starts }: CaptionLine, first: number, count = 8): string {
  return line.slice((starts[first - count] ?? 1) - 1, starts[first]);
}

/** What stands between two words, from the mark of the one behind the first to that of the second. */
export function between({ line, starts, ends }: CaptionLine, one: number, other: number): string {
  return line.slice(ends[one], starts[other]);
}

/** What a sticky expression matches behind a word. */
export function after({ line, ends }: CaptionLine, last: number, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = ends[last] as number;
  return expression.exec(line);
}

const WORD = /[^-·,. ]+/g;

/** The words of a part of a line. */
export function wordsIn(part: string): string[] {
  return part.match(WORD) ?? [];
}
