import { ABBREVIATIONS } from "../../util/abbreviations.js";
import { isAscii } from "./captions.js";

/** The token for the end of a sentence, clause or turn. Neither phrases nor n-grams cross it. */
export const BREAK = "";

/** Ends of a sentence, clause or turn, as a character class. A hyphen is none, a dash is one. */
const BREAKERS = String.raw`.,:;!?()\[\]"“”–—>|`;

/**
 * The words of ASCII text by the rules of Unicode (UAX #29): letters and digits, joined by an apostrophe or period between
 * letters (`don't`, `u.s`) and by a comma, semicolon, period or apostrophe between digits (`3,000`). `Intl.Segmenter` finds the
 * same words, but takes 25 times as long.
 */
const WORD = "[a-z0-9]+(?:(?:(?<=[a-z])['.](?=[a-z])|(?<=[0-9])[',.;](?=[0-9]))[a-z0-9]+)*";
const WORD_OR_BREAK = new RegExp(`${WORD}|[${BREAKERS}]+|--+`, "g");

/** Versions of Unicode differ on colons and underscores within words; here they always separate words. */
const PIECES = /[^ \t\n\r\f\v:_]+|:/g;
/** UTF-16 units that the segmenter gets at a time. */
const MAX_PART = 512;
const BREAKS = new RegExp(`[${BREAKERS}]|--`);

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of a {@link spokenText}, as `Intl.Segmenter` finds them, with {@link BREAK} wherever a sentence, clause or turn
 * ends. Takes time proportional to the length.
 *
 * @example
 * spokenTokens("mr. smith won't yield. >> thank you"); //=> ["mr", "smith", "won't", "yield", "", "thank", "you"]
 */
export function spokenTokens(spoken: string): string[] {
  const tokens = isAscii(spoken) ? asciiTokens(spoken) : mixedTokens(spoken);
  // Overwritten in place: this is the inner loop of all counts.
  let count = 0;
  for (const token of tokens) {
    const last = tokens[count - 1];
    if (isWord(token)) tokens[count++] = token;
    else if (count > 0 && last !== BREAK && !(token === "." && isAbbreviated(last as string))) tokens[count++] = BREAK;
  }
  tokens.length = count > 0 && tokens[count - 1] === BREAK ? count - 1 : count;
  return tokens;
}

function isAbbreviated(word: string): boolean {
  const last = word.slice(word.lastIndexOf(".") + 1);
  return last.length === 1 || ABBREVIATIONS.has(last);
}

function asciiTokens(text: string): string[] {
  return text.match(WORD_OR_BREAK) ?? [];
}

/** The tokens of any text. No word contains white space, so only the pieces with other characters need the segmenter. */
function mixedTokens(text: string): string[] {
  const tokens: string[] = [];
  for (const [piece] of text.matchAll(PIECES)) {
    if (isAscii(piece)) for (const token of asciiTokens(piece)) tokens.push(token);
    else for (const part of partsOf(piece)) addSegments(part, tokens);
  }
  return tokens;
}

function addSegments(text: string, tokens: string[]): void {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) tokens.push(segment);
    else if (BREAKS.test(segment)) tokens.push(segment === "." ? "." : ",");
  }
}

/** Splits pieces that are longer than any word, because the segmenter takes quadratic time. */
function partsOf(piece: string): string[] {
  if (piece.length <= MAX_PART) return [piece];
  const parts: string[] = [];
  for (let from = 0; from < piece.length; ) {
    // Not within a surrogate pair.
    const end = from + MAX_PART - ((piece.codePointAt(from + MAX_PART - 1) ?? 0) > 0xffff ? 1 : 0);
    parts.push(piece.slice(from, end));
    from = end;
  }
  return parts;
}

/** Punctuation is ASCII here. */
function isWord(token: string): boolean {
  const first = token.charCodeAt(0);
  return (first >= 97 && first <= 122) || (first >= 48 && first <= 57) || first > 127;
}

/*!
 * The words are the list `eng` of stopword 3.1.5. The MIT License (MIT). Copyright (c) 2015 - 2022 Fergus McDowall
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
 * "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
 * distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
 * the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
 * MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
 * ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
 * THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
const WORDS = `
about after all also am an and another any are as at be because been before being between both but by came can come
could did do each for from get got has had he have her here him himself his how if in into is it like make many me might
more most much must my never now of on only or other our out over said same should since some still such take than that
the their them then there these they this those through to too under up very was way we well were what where which while
who with would you your a i`;

/**
 * Returns the hundred most frequent English words, which say nothing about a subject: the list of the package `stopword` (MIT).
 *
 * @example
 * await terms(frame, { stopwords: [...stopwords(), "senator", "yield"] });
 */
export function stopwords(): string[] {
  return WORDS.trim().split(/\s+/);
}
