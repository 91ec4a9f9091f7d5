import { type CaptionText, readCaption, type Span, type Word } from "./captionLine.js";

/** A title, prepared for comparison with texts. */
export interface TitlePattern {
  /** The title without article, year and closing formula. */
  readonly title: string;
  /** Its letters. A blank stands where a letter may have been lost; other titles have none. */
  readonly letters: string;
  readonly words: readonly string[];
  readonly year: number | undefined;
  /** The title has punctuation that would otherwise end a sentence. */
  readonly hasStop: boolean;
}

const YEAR = /(?:,? of|,) (\d{4})\.?$/i;
const ACT = /\bact(?:(?:,? of|,) \d{4})?$/i;
const CLOSING = /,? and for other purposes\.?$/i;
const ARTICLE = /^(?:the|an?) /i;
/** Letters that are missing from the titles of some Congresses. */
const LOST_LETTERS = "vxyz";

/**
 * The titles by which a bill is known: one, or two if it says "or the … Act".
 *
 * @example
 * titlePatterns("Water Act of 2021 or the WAVE Act of 2021").map(({ title, year }) => [title, year]);
 * //=> [["Water Act", 2021], ["WAVE Act", 2021]]
 */
export function titlePatterns(title: string, isDamaged = false): TitlePattern[] {
  const alternatives = isDamaged ? [] : title.replace(/\s+/g, " ").split(/,? or the /i);
  const parts = alternatives.every((part) => ACT.test(part)) && alternatives.length > 0 ? alternatives : [title];
  return parts.map((part) => titlePattern(part, isDamaged)).filter(({ letters }) => letters !== "");
}

function titlePattern(title: string, isDamaged: boolean): TitlePattern {
  const trimmed = title.trim().replace(CLOSING, "");
  const year = YEAR.exec(trimmed)?.[1];
  const core = trimmed.replace(YEAR, "").replace(ARTICLE, "").trim();
  const { words, letters } = readCaption(core);
  return {
    title: core,
    letters: isDamaged ? damagedLetters(core) : letters,
    words: words.map(({ text }) => text),
    year: year === undefined ? undefined : Number(year),
    hasStop: words.some(({ gap }, at) => at > 0 && gap === "stop"),
  };
}

/** The letters of a title with every blank, because each may be a lost letter, and one at the end. */
function damagedLetters(title: string): string {
  const { words } = readCaption(title);
  const blanks = ({ start }: Word, at: number) => title.slice(words[at - 1]?.end ?? start, start).replace(/[^ ]/g, "");
  return `${words.map((word, at) => blanks(word, at) + word.text).join("")} `;
}

/**
 * Finds a title in a text, ignoring capitals, punctuation, hyphens and line breaks.
 *
 * @example
 * titleMentions(readCaption("THE BUILD-BACK-\nBETTER ACT"), titlePatterns("Build Back Better Act")[0]);
 * //=> [{ first: 1, last: 4 }]
 */
export function titleMentions({ letters, wordAt, words, text }: CaptionText, pattern: TitlePattern): Span[] {
  const { letters: title } = pattern;
  const isDamaged = title.includes(" ");
  if (!isDamaged && !letters.includes(title)) return [];
  const wordsUpTo = (end: number) => (end === letters.length ? words.length : wordAt.get(end));
  // "the act's": the apostrophe is not part of the word.
  const possessive = (end: number) => {
    const next = letters.charAt(end) === "s" ? wordsUpTo(end + 1) : undefined;
    const { start, end: stop } = words[(next ?? 0) - 1] ?? { start: 0, end: 0 };
    return /['’]/.test(text.slice(start, stop)) ? next : undefined;
  };
  const matches: Span[] = [];
  for (const [at, first] of wordAt) {
    if (!isDamaged && !letters.startsWith(title, at)) continue;
    const ends = isDamaged ? damagedEnds(letters, at, title) : [at + title.length];
    const next = ends.map((end) => wordsUpTo(end) ?? possessive(end)).find((word) => word !== undefined);
    if (next !== undefined) matches.push({ first, last: next - 1 });
  }
  return matches;
}

/** The possible ends of a title with lost letters that begins at an offset. Each blank stands for a lost letter or nothing. */
function damagedEnds(letters: string, start: number, title: string): readonly number[] {
  let ends: readonly number[] = [start];
  for (const character of title) {
    const next = new Set<number>();
    for (const at of ends) {
      const letter = letters.charAt(at);
      if (character === " ") {
        next.add(at);
        if (letter !== "" && LOST_LETTERS.includes(letter)) next.add(at + 1);
      } else if (letter === character) next.add(at + 1);
    }
    if (next.size === 0) return [];
    ends = [...next];
  }
  return ends;
}

/**
 * The words of a title without "of", "and", "Act"; all of them if it has no others.
 *
 * @example
 * distinctiveWords(titlePatterns("Drug Pricing and Accountability Act")[0]); //=> ["drug", "pricing", "accountability"]
 */
export function distinctiveWords({ words }: Pick<TitlePattern, "words">): readonly string[] {
  const distinctive = words.filter((word) => !SMALL_WORDS.has(word) && word !== "act" && word !== "bill");
  return distinctive.length > 0 ? distinctive : words;
}

/** Words that people say instead of "Act". */
const SHORT_ENDINGS = ["bill", "package", "law", "legislation"];
/** Words that any title may have. */
const SMALL_WORDS = new Set("a an and the of for to in on by or with from at".split(" "));

/**
 * What people say instead of a title of two or more words and "Act".
 *
 * @example
 * shortTitlesOf(titlePatterns("Inflation Reduction Act")[0]).map(({ title }) => title);
 * //=> ["Inflation Reduction bill", "Inflation Reduction package", …]
 */
export function shortTitlesOf({ title, words }: TitlePattern): TitlePattern[] {
  if (words.at(-1) !== "act" || words.length < 3) return [];
  const stem = title.replace(/ act$/i, "");
  return SHORT_ENDINGS.map((ending) => titlePattern(`${stem} ${ending}`, false));
}
