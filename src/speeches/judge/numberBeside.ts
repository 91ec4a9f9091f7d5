import type { Word } from "../../util/captionText.js";
import type { MentionIndex, NumberMention } from "./numberMentions.js";
import { isBreak, setOf } from "./numberWords.js";
import { ADJECTIVES, PEOPLE, yearAfter } from "./titleContext.js";
import { type TitleMention, type TitlePattern, tellingWords } from "./titlePattern.js";
import words from "./words.json" with { type: "json" };

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
