import { invalid } from "../../errors/validators.js";
import { readCaption } from "../../util/captionText.js";
import { BREAKERS, isAbbreviated } from "../captions/tokens.js";

/** Between the letters of a word: an apostrophe, an accent of its own, or a hyphen at the end of a line. */
const BETWEEN_LETTERS = String.raw`(?:['\u0300-\u036f]|-\r?\n)?`;
/** Between the digits of a number. */
const BETWEEN_DIGITS = ",?";
/** Between words: white space, hyphens and the like, but no end of a clause, sentence or turn. */
const GAP = String.raw`(?:[^\p{L}\p{N}${BREAKERS}-]|-(?!-))`;
const GAP_WITH_PERIOD = String.raw`(?:[^\p{L}\p{N}${BREAKERS}-]|-(?!-)|\.)`;
/** The longest gap, in characters. */
const MAX_GAP = 12;
const REST_OF_WORD = String.raw`[\p{L}\p{M}\p{N}']{0,40}`;

const MAX_PHRASE = 500;

/**
 * The regular expression that finds a phrase in a `spokenText`. Capitals, accents, apostrophes, hyphens and line breaks do not
 * count, and numbers match with and without separators. It matches whole words (`climate` is not in `climate's`) of one clause;
 * `*` stands for the rest of a word. It backtracks over a bounded number of characters only.
 *
 * @throws ValidationError for a phrase without words, or longer than 500 characters
 * @example
 * phrasePattern("H.R. 5376").test("h. r. 5,376"); //=> true
 */
export function phrasePattern(phrase: string): RegExp {
  if (phrase.length > MAX_PHRASE) throw invalid("pattern", phrase, `Give at most ${MAX_PHRASE} characters.`);
  const { words, text } = readCaption(phrase);
  if (words.length === 0) throw invalid("pattern", phrase, 'Give a phrase with words, for example "climate change".');
  let source = "";
  words.forEach(({ text: word, isNumber, end }, at) => {
    if (at > 0) source += gapAfter(words[at - 1]?.text as string, word);
    source += word === "and" ? "(?:and|&)" : [...word].join(isNumber ? BETWEEN_DIGITS : BETWEEN_LETTERS);
    if (text[end] === "*") source += REST_OF_WORD;
  });
  return new RegExp(String.raw`(?<![\p{L}\p{N}]'?)${source}(?!'?[\p{L}\p{N}])`, "gu");
}

/** Single letters may be written together: "HR" for "H.R.". */
function gapAfter(word: string, next: string): string {
  if (!isAbbreviated(word)) return `${GAP}{1,${MAX_GAP}}`;
  const least = word.length === 1 && next.length === 1 ? 0 : 1;
  return `${GAP_WITH_PERIOD}{${least},${MAX_GAP}}`;
}
