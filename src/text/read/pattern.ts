import { types } from "node:util";
import { type Context, createContext, Script } from "node:vm";
import { faulty, invalid } from "../../errors/validators.js";
import { joinWords, quoted, quoteQuery } from "../../util/text.js";
import { type Captions, spokenText, visibleText } from "./captions.js";
import { BREAK, spokenTokens } from "./tokens.js";

/** A phrase (`"climate change"`, `"inflat*"`) or a regular expression, see `kwic`. */
export type Pattern = string | RegExp;

export interface CompiledPattern {
  /** The phrase, or the regular expression as text. */
  readonly name: string;
  /** Calls back for every match, in order. */
  find(captions: Captions, onMatch: OnMatch): void;
}

/** Lists patterns for provenance. */
export function patternsText(patterns: Pattern | readonly Pattern[]): string {
  return joinWords([patterns].flat().map((each) => (typeof each === "string" ? quoteQuery(each) : String(each))));
}

/** Takes the index of a caption, and the start and end of a match in it, in UTF-16 units. */
type OnMatch = (caption: number, start: number, end: number) => void;

/** The time limit of a regular expression, and again for every million characters. Most take a tenth of it. */
const BASE_MS = 1_000;

/**
 * Compiles patterns.
 *
 * @throws ValidationError for anything that is neither a phrase nor a regular expression, and for an empty list
 */
export function compilePatterns(pattern: Pattern | readonly Pattern[]): CompiledPattern[] {
  const patterns: readonly Pattern[] = Array.isArray(pattern) ? pattern : [pattern as Pattern];
  if (patterns.length === 0) throw invalid("patterns", pattern, 'Give a phrase, for example "climate change".');
  const compiled = patterns.map(compilePattern);
  const repeated = compiled.find(({ name }, at) => compiled.findIndex((other) => other.name === name) < at);
  if (repeated !== undefined) throw invalid("patterns", repeated.name, "Give every pattern once.");
  return compiled;
}

function compilePattern(pattern: Pattern): CompiledPattern {
  if (typeof pattern === "string") {
    const phrase = new Phrase(pattern);
    return {
      name: pattern,
      find: ({ spoken }, onMatch) =>
        spoken.forEach((text, at) => {
          if (text !== null) phrase.find(text, (start, end) => onMatch(at, start, end));
        }),
    };
  }
  if (!types.isRegExp(pattern)) {
    throw invalid("pattern", pattern, 'Give a phrase, for example "climate change", or a regular expression.');
  }
  const expression = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
  return {
    name: String(pattern),
    find(captions, onMatch) {
      const limit = BASE_MS * (1 + captions.length / 1e6);
      if (boundedRun(limit, () => findAll(expression, captions.texts, onMatch))) return;
      const hint = "Avoid repetitions within repetitions, such as (a+)+.";
      throw faulty("pattern", `${quoted(String(pattern))} backtracks too long`, hint);
    },
  };
}

function findAll(expression: RegExp, texts: readonly (string | null)[], onMatch: OnMatch): void {
  texts.forEach((text, at) => {
    if (text === null) return;
    expression.lastIndex = 0;
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      if (match[0] === "") expression.lastIndex++;
      else onMatch(at, match.index, match.index + match[0].length);
    }
  });
}

const script = new Script("run()");
let context: (Context & { run?: () => void }) | undefined;

/**
 * Runs a function with a time limit. Only `node:vm` can stop a regular expression that backtracks forever.
 *
 * @returns whether it ended in time
 */
function boundedRun(milliseconds: number, run: () => void): boolean {
  context ??= createContext({});
  const before = context.run;
  context.run = run;
  try {
    script.runInContext(context, { timeout: Math.ceil(milliseconds) });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    context.run = before;
  }
}

/** A word of a phrase. */
interface PhraseWord {
  /** Without apostrophes and thousands separators; letters with periods (`h.r`) without the periods. */
  readonly key: string;
  /** It ends with `*`. */
  readonly isPrefix: boolean;
  /** Its letters may be written with periods and spaces: `H. R.`, `H.R.`, `HR`. */
  readonly isLetters: boolean;
}

const MAX_PHRASE = 500;
const IGNORED = /'|,(?=[0-9]{3}(?![0-9]))/g;
/** Words with periods between their letters. */
const LETTERS = /^[^0-9][^0-9.]*\.[^0-9]+$/;
const SINGLE_LETTER = /^\p{L}$/u;
/** A word may be broken at the end of a line. */
const LINE_BREAK = /^-\r?\n$/;
const HAS_MARKS = /&|-\r?\n/;

/**
 * A phrase to find in a `spokenText`, word by word as `tokens` splits both. Ignores capitals, accents, apostrophes, hyphens, line breaks
 * and thousands separators. Words match as a whole (`climate` is not in `climate's`, `1` is not in `2.1`) and within one clause; `*`
 * stands for the rest of a word. Takes time proportional to the text.
 *
 * @example
 * new Phrase("H.R. 5376").find("h. r. 5,376", (start, end) => console.log(start, end)); // 0 11
 */
export class Phrase {
  readonly #expression: RegExp;
  /** Matches every text with the phrase, and some others, so that most captions need not be split into words. */
  readonly #mayContain: RegExp;

  /** @throws ValidationError for a phrase without words, or longer than 500 characters */
  constructor(phrase: string) {
    if (phrase.length > MAX_PHRASE) throw invalid("pattern", phrase, `Give at most ${MAX_PHRASE} characters.`);
    // An ampersand is the word "and".
    const words = phraseWords(spokenText(visibleText(phrase)).replaceAll("&", " and "));
    if (words.length === 0) {
      throw invalid("pattern", phrase, 'Give a phrase with words, for example "climate change".');
    }
    this.#expression = expressionOf(words);
    this.#mayContain = longestWordExpression(words);
  }

  /** Calls back with the start and end of every match, in order. Matches do not overlap. */
  find(spoken: string, onMatch: (start: number, end: number) => void): void {
    if (!this.#mayContain.test(spoken)) return;
    const { line, words } = lineOf(spoken);
    let at = 0;
    for (const { 0: match, index } of line.matchAll(this.#expression)) {
      while ((words[at] as WordOffsets).inLine < index) at++;
      const { start } = words[at] as WordOffsets;
      while (at + 1 < words.length && (words[at + 1] as WordOffsets).inLine < index + match.length) at++;
      onMatch(start, (words[at] as WordOffsets).end);
    }
  }
}

/** The offset of a word in a line, and its start and end in the text. */
interface WordOffsets {
  readonly inLine: number;
  readonly start: number;
  readonly end: number;
}

/** The normalized words of a text, with a mark before each: `|` after a clause, `-` for a broken word, `&` for an ampersand, or a blank. */
function lineOf(spoken: string): { readonly line: string; readonly words: readonly WordOffsets[] } {
  const words: WordOffsets[] = [];
  const hasMarks = HAS_MARKS.test(spoken);
  let [line, mark, end] = ["", "|", 0];
  for (const word of spokenTokens(spoken)) {
    if (word === BREAK) mark = "|";
    else {
      const start = spoken.indexOf(word, end);
      const gap = hasMarks && mark !== "|" ? spoken.slice(end, start) : "";
      line += LINE_BREAK.test(gap) ? "-" : gap.includes("&") ? "&" : mark;
      end = start + word.length;
      words.push({ inLine: line.length, start, end });
      line += keyOf(word);
      mark = " ";
    }
  }
  return { line, words };
}

/** A regular expression for a phrase in a line. */
function expressionOf(phrase: readonly PhraseWord[]): RegExp {
  const parts = phrase.map(({ key, isPrefix, isLetters }, nth) => {
    const letters = [...key].map(escapePeriod).join(isLetters ? "\\.?[-& ]?" : "-?");
    const word = isPrefix ? `${letters}[^-&| ]*` : letters;
    const isInner = nth > 0 && nth < phrase.length - 1;
    if (isInner && key === "and") return `(?:[-& ]${word}|(?=&))`;
    return nth > 0 ? `[-& ]${word}` : word;
  });
  return new RegExp(`(?<=[-&| ])${parts.join("")}(?![^-&| ])`, "gu");
}

function escapePeriod(letter: string): string {
  return letter.replace(".", "\\.");
}

/** Finds the longest word of a phrase, also within other words. Excludes letters and "and", which have several spellings. */
function longestWordExpression(phrase: readonly PhraseWord[]): RegExp {
  const keys = phrase.map(({ key, isLetters }) => (isLetters || key === "and" ? "" : key));
  const longest = keys.reduce((a, b) => (b.length > a.length ? b : a));
  return new RegExp([...longest].map(escapePeriod).join("(?:[',]|-\\r?\\n)?"), "u");
}

function phraseWords(spoken: string): PhraseWord[] {
  const phrase: PhraseWord[] = [];
  for (const { start, end } of lineOf(spoken).words) {
    const word = spoken.slice(start, end);
    const isLetters = LETTERS.test(word) || (spoken[end] === "." && SINGLE_LETTER.test(word));
    const key = isLetters ? keyOf(word).replaceAll(".", "") : keyOf(word);
    const last = phrase.at(-1);
    // "H. R." is "H.R.".
    const before = isLetters && last?.isLetters === true && !last.isPrefix ? phrase.pop() : undefined;
    phrase.push({ key: (before?.key ?? "") + key, isPrefix: spoken[end] === "*", isLetters });
  }
  return phrase;
}

function keyOf(word: string): string {
  return word.replace(IGNORED, "");
}
