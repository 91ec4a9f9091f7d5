import { congressOn } from "../../util/congress.js";
import { after, before, between, type CaptionLine, onLine, type Span, wordsIn } from "./captionLine.js";
import { type MentionIndex, type NumberMention, SPOKEN, spokenNumber } from "./numberMentions.js";
import { distinctiveWords, type TitlePattern } from "./titlePattern.js";

/** Why a title in a text may not be that of the bill. */
type TitleFlaw = "longer title" | "phrase across a full stop" | "another year" | "unclear beginning";

/** Whether the words before a title begin a longer one. The first expression that matches decides; undefined: they do not. */
const BEGINNINGS: ReadonlyArray<readonly [RegExp, TitleFlaw | undefined]> = [
  // "the Repeal Inflation Reduction Act …"
  [onLine("_the_{verbs}_$"), "longer title"],
  // A clause; "called"; praise and blame ("the bipartisan …"); an owner ("my colleague's").
  [onLine("[,.]$|_(?:#|{leadIns}|{adjectives}|{people})_$"), undefined],
  // "the clean air and …", but not "the Road Act and …"
  [
    onLine(
      String.raw`_(?:the|a|called)(?:~(?!(?:the|a|called)_|\p{Nd})@){1,5}(?<!_(?:acts?|bills?|law|resolution))_{joiners}_$`,
    ),
    "longer title",
  ],
  [onLine("_{joiners}_$"), "unclear beginning"],
  // "Senator Smith's"
  [onLine("_{personTitles}_(?:@_)?[^-·,. ]*s_$"), undefined],
  // More likely an adjective than the beginning of a longer title: "our splendid …".
  [onLine("_{owners}_@_$"), "unclear beginning"],
];
const STOP_INSIDE = /\.|,act$/;
/** "… Act Reauthorization Act" */
const EXTENSION = onLine("~(?:amendments&|{extensions}(?:~(?!{leadIns})@){0,5}~act&)", "y");

export function titleFlaws(
  caption: CaptionLine,
  { first, last }: Span,
  pattern: TitlePattern,
  congress: number | null,
): TitleFlaw[] {
  const { line, starts, ends } = caption;
  const isExtended = pattern.words.at(-1) === "act" && after(caption, last, EXTENSION) !== null;
  const flaws = [
    // "When you speak of equality, act on it."
    !pattern.hasStop && STOP_INSIDE.test(line.slice(starts[first], ends[last])) && "phrase across a full stop",
    isExtended ? "longer title" : beginningFlaw(before(caption, first)),
    !isYearPossible(yearAfter(caption, last)?.year, pattern.year, congress) && "another year",
  ] as const;
  return flaws.filter((flaw) => flaw !== undefined && flaw !== false);
}

function beginningFlaw(lead: string): TitleFlaw | undefined {
  for (const [expression, flaw] of BEGINNINGS) if (expression.test(lead)) return flaw;
  return "longer title";
}

const YEAR = onLine(`%of%(?:(?<digits>#)|(?<said>${SPOKEN}))`, "y");

/** The year after a title or number, and the index of its last word. */
export function yearAfter(
  caption: CaptionLine,
  last: number,
): { readonly year: number; readonly last: number } | undefined {
  const match = after(caption, last, YEAR);
  if (match === null) return undefined;
  const { digits, said = "" } = match.groups as Partial<Record<string, string>>;
  const number = digits ?? spokenNumber(said).number;
  return /^(?:1[789]|20)\d\d$/.test(number)
    ? { year: Number(number), last: last + wordsIn(match[0]).length }
    : undefined;
}

/** Whether a year after a title or number fits: that of the title, or one of the Congress. */
export function isYearPossible(
  year: number | undefined,
  ofTitle: number | undefined,
  congress: number | null,
): boolean {
  if (year === undefined || year === ofTitle) return true;
  return ofTitle === undefined && (congress === null || congressOn(`${year}-12-31`) === congress);
}

const MAX_LINKS = 6;
/** Words that join a number to its title: "H.R. 5376, also known as the …". */
const LINK = "(?:{links}|{adjectives}|{people})";
const LINKED = onLine(`^(?:%(?!and_)${LINK}){0,${MAX_LINKS}}%$`);
const ACT_BEFORE = onLine("_act%$");

/** The numbers that belong to a title, with only linking words between them: "H.R. 7, also known as the Water Act". */
export function boundNumbers(caption: CaptionLine, title: Span, mentions: MentionIndex): NumberMention[] {
  const end = yearAfter(caption, title.last)?.last ?? title.last;
  const bound: NumberMention[] = [];
  for (let distance = 1; distance <= MAX_LINKS + 1; distance++) {
    const next = mentions.startingAt.get(end + distance);
    if (next !== undefined && LINKED.test(between(caption, end, next.first))) bound.push(next);
    const last = mentions.endingAt.get(title.first - distance);
    // "the Road Act, S. 5, the Water Act": the number belongs to the title before it.
    if (last === undefined || ACT_BEFORE.test(before(caption, last.first))) continue;
    if (LINKED.test(between(caption, last.last, title.first))) bound.push(last);
  }
  return bound;
}

const LINKS_AFTER = onLine(`(?:%${LINK}){0,${MAX_LINKS}}`, "y");
const TITLE_AFTER = onLine(String.raw`%(?!(?:act|bill)&|\p{Nd})@(?:~(?!\p{Nd})@){0,11}?~(?:act|bill)&`, "y");
const TITLE_BEFORE = onLine("(?<=_)(?:@(?:~(?!the_)@){0,11}~)?act%$");

/** Whether the title of another bill is beside a number: "S. 5376, the … Act" or "the … Act, S. 5376". */
export function hasAnotherTitle(caption: CaptionLine, { first, last }: Span, titles: readonly TitlePattern[]): boolean {
  const [links = ""] = after(caption, last, LINKS_AFTER) ?? [];
  const end = last + wordsIn(links).length;
  const isApart = end > last || between(caption, last, last + 1) === ",";
  const beside = (isApart ? after(caption, end, TITLE_AFTER) : null) ?? TITLE_BEFORE.exec(before(caption, first, 14));
  if (beside === null) return false;
  // With half of our title's words, or no others, it is our title with an error or in a shorter form.
  const besideWords = distinctiveWords({ words: [...new Set(wordsIn(beside[0]))] });
  return !titles.some((title) => {
    const titleWords = distinctiveWords(title);
    const shared = titleWords.filter((word) => besideWords.includes(word)).length;
    return shared >= Math.min(titleWords.length / 2, besideWords.length);
  });
}
