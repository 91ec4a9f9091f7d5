import type { Word } from "../../util/captionText.js";
import { congressOn } from "../../util/congress.js";
import { isBreak, type MentionIndex, type NumberMention, readSpokenNumber, setOf } from "./numberMentions.js";
import { type TitleMention, type TitlePattern, tellingWords } from "./titlePattern.js";
import words from "./words.json" with { type: "json" };

/** Verbs after which a title begins. After "the", they begin a longer one: "the Repeal Inflation Reduction Act …". */
const VERBS = setOf(words.verbs);
const LEAD_INS = setOf(words.leadIns);
/** Praise, blame and parties: "the bipartisan Inflation Reduction Act". */
const ADJECTIVES = setOf(words.adjectives);
/** After these, an unknown word is more likely an adjective than the beginning of a longer title. */
const OWNERS = setOf(words.owners);
/** Owners of a bill: "my colleague's". */
const PEOPLE = setOf(words.people);
/** Before a name: "Senator Smith's". */
const PERSON_TITLES = setOf(words.personTitles);
/** Titles are joined by these words, too. */
const JOINERS = setOf(words.joiners);
/** After a title they extend it, up to the next "act". */
const EXTENSIONS = setOf(words.extensions);
const MAX_CONTEXT = 6;

/** Why a title in a text may not be that of the bill. */
export type TitleFlaw = "longer title" | "phrase across a full stop" | "another year" | "unclear beginning";

export function titleFlaws(
  words: readonly Word[],
  mention: TitleMention,
  pattern: TitlePattern,
  congress: number | null,
): TitleFlaw[] {
  const flaws: TitleFlaw[] = [];
  if (!pattern.hasStop && hasStopInside(words, mention)) flaws.push("phrase across a full stop");
  const beginning = beginningOf(words, mention.first);
  if (beginning === "inside" || isExtended(words, mention.last, pattern)) flaws.push("longer title");
  else if (beginning === "unclear") flaws.push("unclear beginning");
  if (!isYearPossible(yearAfter(words, mention.last)?.year, pattern.year, congress)) flaws.push("another year");
  return flaws;
}

function hasStopInside(words: readonly Word[], { first, last }: TitleMention): boolean {
  for (let at = first + 1; at <= last; at++) if (words[at]?.gap === "stop") return true;
  // "When you speak of equality, act on it."
  return words[last]?.text === "act" && words[last]?.gap === "pause";
}

/** Whether a title begins at a word, or a longer one has begun before it. */
function beginningOf(words: readonly Word[], first: number): "here" | "inside" | "unclear" {
  const before = words[first - 1];
  if (before !== undefined && VERBS.has(before.text) && words[first - 2]?.text === "the") return "inside";
  if (before === undefined || isBreak(words[first]) || before.isNumber || LEAD_INS.has(before.text)) return "here";
  if (ADJECTIVES.has(before.text) || PEOPLE.has(before.text)) return "here";
  if (JOINERS.has(before.text)) return isWithinTitle(words, first - 1) ? "inside" : "unclear";
  const isName = [2, 3].some((distance) => PERSON_TITLES.has(words[first - distance]?.text ?? ""));
  if (isName && before.text.endsWith("s")) return "here";
  return OWNERS.has(words[first - 2]?.text ?? "") ? "unclear" : "inside";
}

/** Whether words of a title stand before a joining word: "the clean air and …", but not "the Road Act and …". */
function isWithinTitle(words: readonly Word[], joiner: number): boolean {
  const nearest = words[joiner - 1];
  if (nearest === undefined || /^(?:act|acts|bill|bills|law|resolution)$/.test(nearest.text)) return false;
  for (let at = joiner - 1; at >= 0 && joiner - at <= MAX_CONTEXT; at--) {
    const word = words[at] as Word;
    if (word.text === "the" || word.text === "a" || word.text === "called") return at < joiner - 1;
    if (isBreak(word) || word.isNumber) return false;
  }
  return false;
}

/** Whether a title goes on behind its end: "… Act Reauthorization Act". */
function isExtended(words: readonly Word[], last: number, { words: title }: TitlePattern): boolean {
  if (title.at(-1) !== "act") return false;
  const next = words[last + 1];
  if (next === undefined || isBreak(next) || !EXTENSIONS.has(next.text)) return false;
  if (next.text === "amendments") return true;
  for (let at = last + 2; at <= last + 1 + MAX_CONTEXT; at++) {
    const word = words[at];
    if (word === undefined || isBreak(word)) return false;
    if (word.text === "act") return true;
    if (LEAD_INS.has(word.text)) return false;
  }
  return false;
}

/** The year behind a title, and the position of its last word. */
export function yearAfter(words: readonly Word[], last: number): { year: number; last: number } | undefined {
  const [of, year] = [words[last + 1], words[last + 2]];
  if (of?.text !== "of" || year === undefined || of.gap === "stop" || year.gap === "stop") return undefined;
  const spoken = year.isNumber ? { number: year.text, end: last + 3 } : readSpokenNumber(words, last + 2);
  return spoken !== undefined && /^(?:1[789]|20)\d\d$/.test(spoken.number)
    ? { year: Number(spoken.number), last: spoken.end - 1 }
    : undefined;
}

/** Whether a year behind a title or number suits it: that of the title, or one of the Congress. */
export function isYearPossible(
  said: number | undefined,
  ofTitle: number | undefined,
  congress: number | null,
): boolean {
  if (said === undefined || said === ofTitle) return true;
  if (ofTitle !== undefined) return false;
  if (congress === null) return true;
  return congressOn(`${said}-12-31`) === congress;
}

/** Words that join a number to its title: "H.R. 5376, also known as the …". */
const LINKS = setOf(words.links);
const MAX_LINKS = 6;

/** The numbers that belong to a title: nothing but linking words stands between them ("H.R. 7, also known as the Water Act"). */
export function boundNumbers(words: readonly Word[], title: TitleMention, mentions: MentionIndex): NumberMention[] {
  const end = yearAfter(words, title.last)?.last ?? title.last;
  const bound: NumberMention[] = [];
  for (let distance = 1; distance <= MAX_LINKS + 1; distance++) {
    const after = mentions.startingAt.get(end + distance);
    if (after !== undefined && isLinked(words, end, after.first)) bound.push(after);
    const before = mentions.endingAt.get(title.first - distance);
    if (before === undefined || !isLinked(words, before.last, title.first)) continue;
    // "the Road Act, S. 5, the Water Act": the number belongs to the title before it.
    const belongsBefore = words[before.first - 1]?.text === "act" && words[before.first]?.gap !== "stop";
    if (!belongsBefore) bound.push(before);
  }
  return bound;
}

function isLinked(words: readonly Word[], before: number, after: number): boolean {
  if (after - before > MAX_LINKS + 1) return false;
  for (let at = before + 1; at <= after; at++) {
    const { text, gap } = words[at] as Word;
    if (gap === "stop" || text === "and") return false;
    if (at < after && !isLink(words[at])) return false;
  }
  return true;
}

const MAX_TITLE_WORDS = 12;

/** Whether the title of another bill stands beside a number: "S. 5376, the … Act" or "the … Act, S. 5376". */
export function hasAnotherTitle(
  words: readonly Word[],
  { first, last }: NumberMention,
  titles: readonly TitlePattern[],
): boolean {
  const beside = titleAfter(words, last) ?? titleBefore(words, first);
  if (beside === undefined) return false;
  // With half of its words, or no others, it is our title with an error or in a shorter form. Many titles share "and" and "Act".
  const said = tellingWords({ words: beside });
  return !titles.some((title) => {
    const telling = tellingWords(title);
    return telling.filter((word) => said.includes(word)).length >= Math.min(telling.length / 2, said.length);
  });
}

function titleAfter(words: readonly Word[], last: number): readonly string[] | undefined {
  let start = last + 1;
  while (start - last <= MAX_LINKS && words[start]?.gap !== "stop" && isLink(words[start])) start++;
  if (start === last + 1 && words[start]?.gap !== "pause") return undefined;
  for (let end = start; end < words.length && end - start <= MAX_TITLE_WORDS; end++) {
    const { text, gap, isNumber } = words[end] as Word;
    if ((end > start && isBreak(words[end])) || gap === "stop" || isNumber) return undefined;
    if (text === "act" || text === "bill") return end > start ? wordsBetween(words, start, end) : undefined;
  }
  return undefined;
}

function titleBefore(words: readonly Word[], first: number): readonly string[] | undefined {
  const end = first - 1;
  if (words[end]?.text !== "act" || words[first]?.gap === "stop") return undefined;
  let start = end;
  while (start > 0 && end - start < MAX_TITLE_WORDS && !isBreak(words[start]) && words[start]?.text !== "the") {
    start--;
  }
  return wordsBetween(words, start, end);
}

function wordsBetween(words: readonly Word[], start: number, end: number): readonly string[] {
  return [...new Set(words.slice(start, end + 1).map(({ text }) => text))];
}

function isLink(word: Word | undefined): boolean {
  return word !== undefined && (LINKS.has(word.text) || ADJECTIVES.has(word.text) || PEOPLE.has(word.text));
}
