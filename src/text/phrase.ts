import { invalid } from "../errors/validators.js";
import { spokenText, visibleText } from "./captions.js";
import { BREAK, spokenTokens } from "./tokens.js";

interface Step {
  /** Without apostrophes and thousands separators; letters with periods (`h.r`) without the periods. */
  readonly key: string;
  /** Whether the rest of the word may be anything. */
  readonly isPrefix: boolean;
  /** Whether the letters may be written with periods and spaces: `H. R.`, `H.R.`, `HR`. */
  readonly isLetters: boolean;
}

const MAX_PHRASE = 500;
const NOT_COMPARED = /'|,(?=[0-9]{3}(?![0-9]))/g;
/** Words with periods between their letters. */
const LETTERS = /^[^0-9][^0-9.]*\.[^0-9]+$/;
const ASCII = /^[\0-\x7f]*$/;
const SINGLE_LETTER = /^\p{L}$/u;
/** A word may be broken at the end of a line. */
const LINE_BREAK = /^-\r?\n$/;

/**
 * A phrase to find in a `spokenText`, word by word as `tokens` splits both. Capitals, accents, apostrophes, hyphens and line
 * breaks do not count, and numbers match with and without separators. Words match as a whole (`climate` is not in `climate's`,
 * `1` is not in `2.1`) and within one clause; `*` stands for the rest of a word. Takes time proportional to the text.
 *
 * @example
 * new Phrase("H.R. 5376").find("h. r. 5,376", (start, end) => console.log(start, end)); // 0 11
 */
export class Phrase {
  readonly #steps: readonly Step[];
  /** Matches every text with a part of the phrase, and others: most captions need not be split into words. */
  readonly #mayContain: RegExp;

  /** @throws ValidationError for a phrase without words, or longer than 500 characters */
  constructor(phrase: string) {
    if (phrase.length > MAX_PHRASE) throw invalid("pattern", phrase, `Give at most ${MAX_PHRASE} characters.`);
    // An ampersand is the word "and".
    this.#steps = stepsOf(spokenText(visibleText(phrase)).replaceAll("&", " and "));
    if (this.#steps.length === 0) {
      throw invalid("pattern", phrase, 'Give a phrase with words, for example "climate change".');
    }
    this.#mayContain = partOf(this.#steps);
  }

  /** Passes the start and end of every match, in order; matches do not overlap. */
  find(spoken: string, found: (start: number, end: number) => void): void {
    if (!this.#mayContain.test(spoken)) return;
    const text = new Words(spoken);
    for (let at = 0; at < text.words.length; ) {
      const end = this.#matchAt(text, at);
      if (end > at) found(text.start(at), text.end(end - 1));
      at = Math.max(end, at + 1);
    }
  }

  /** The index of the word after a match that begins at a word; -1 if none does. */
  #matchAt(text: Words, first: number): number {
    let at = first;
    for (const [nth, step] of this.#steps.entries()) {
      const isInner = nth > 0 && nth < this.#steps.length - 1;
      if (isInner && step.key === "and" && text.words[at] !== "and" && text.gap(at).includes("&")) continue;
      at = text.after(at, step);
      if (at < 0) return -1;
    }
    return at;
  }
}

/**
 * A regular expression for the longest part of a phrase that is spelled in one way. Words are joined only if they are ASCII: then
 * no letter can be in the gap, and the expression takes time proportional to the text.
 */
function partOf(steps: readonly Step[]): RegExp {
  const parts: string[][] = [[]];
  for (const { key, isPrefix, isLetters } of steps) {
    const isAlone = isLetters || key === "and" || !ASCII.test(key);
    if (isAlone) parts.push([]);
    if (key !== "and") parts.at(-1)?.push(isLetters ? (key[0] as string) : key);
    if (isAlone || isPrefix) parts.push([]);
  }
  const longest = parts.reduce((a, b) => (b.join("").length > a.join("").length ? b : a));
  const words = longest.map((word) => [...word].map((letter) => letter.replace(".", "\\.")).join("(?:[',]|-\\r?\\n)?"));
  return new RegExp(words.join("[^a-z0-9]*"), longest.every((word) => ASCII.test(word)) ? "" : "u");
}

class Words {
  readonly words: readonly string[];
  #starts: number[] | undefined;

  constructor(private readonly spoken: string) {
    this.words = spokenTokens(spoken);
  }

  /** Where a word begins. Between words is nothing that a word could begin with. */
  start(index: number): number {
    if (this.#starts === undefined) {
      let from = 0;
      this.#starts = this.words.map((word) => {
        const start = this.spoken.indexOf(word, from);
        from = start + word.length;
        return start;
      });
    }
    return this.#starts[index] as number;
  }

  end(index: number): number {
    return this.start(index) + (this.words[index] as string).length;
  }

  /** What stands before a word, after the word before. */
  gap(index: number): string {
    const isBetween = index > 0 && index < this.words.length;
    return isBetween ? this.spoken.slice(this.end(index - 1), this.start(index)) : "";
  }

  /** The index after the words that spell a word of a phrase; -1 if those at an index do not. */
  after(first: number, { key, isPrefix, isLetters }: Step): number {
    let said = "";
    for (let at = first; ; at++) {
      const word = this.words[at];
      if (word === undefined || word === BREAK) return -1;
      if (at === first && word.charCodeAt(0) !== key.charCodeAt(0)) return -1;
      const isJoined = at === first || isLetters || LINE_BREAK.test(this.gap(at));
      if (!isJoined) return -1;
      said += isLetters ? keyOf(word).replaceAll(".", "") : keyOf(word);
      if (said === key || (isPrefix && said.startsWith(key))) return at + 1;
      if (!key.startsWith(said)) return -1;
    }
  }
}

function stepsOf(spoken: string): Step[] {
  const steps: Step[] = [];
  const text = new Words(spoken);
  text.words.forEach((word, at) => {
    if (word === BREAK) return;
    const next = spoken[text.end(at)];
    const isLetters = LETTERS.test(word) || (next === "." && SINGLE_LETTER.test(word));
    const key = isLetters ? keyOf(word).replaceAll(".", "") : keyOf(word);
    const last = steps.at(-1);
    // "H. R." is "H.R.".
    const before = isLetters && last?.isLetters === true && !last.isPrefix ? steps.pop() : undefined;
    steps.push({ key: (before?.key ?? "") + key, isPrefix: next === "*", isLetters });
  });
  return steps;
}

function keyOf(word: string): string {
  return word.replace(NOT_COMPARED, "");
}
