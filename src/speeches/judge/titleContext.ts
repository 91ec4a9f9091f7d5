import type { Word } from "../../util/captionText.js";
import { isBreak, readSpokenNumber } from "./numberWords.js";
import type { TitleMention, TitlePattern } from "./titlePattern.js";

const set = (text: string) => new Set(text.split(" "));

/** Verbs after which a title begins. After "the", they begin a longer one: "the Repeal Inflation Reduction Act …". */
const VERBS = set("pass support oppose sponsor cosponsor introduce enact sign repeal implement");
/** Words after which a title begins. */
const LEAD_INS = set(
  "the this that these those our my his her their its your a an called titled entitled known named as is was be being been it s " +
    "h r hr bill act resolution legislation measure proposal law amendment number no so misnamed dubbed deemed termed " +
    "pass passed passing support supporting oppose opposing sponsor sponsored cosponsor introduce introduced introducing enact enacted sign signed " +
    "repeal implement vote on about by with under from within through into over behind against regarding concerning via per like than when while if because but or not",
);
/** Praise, blame and parties: "the bipartisan Inflation Reduction Act". */
export const ADJECTIVES: ReadonlySet<string> = set(
  "bipartisan partisan historic landmark new old own entire whole original proposed important critical vital terrible recent recently current latest same good bad " +
    "misnamed misguided reckless disastrous flawed harmful dangerous unnecessary radical extreme wonderful excellent sensible modest ambitious tremendous " +
    "republican republicans democratic democrat democrats biden bidens trump trumps obama obamas bushs clintons house houses senate senates president presidents " +
    "congressional massive sweeping transformative monumental commonsense bicameral revised amended underlying actual very so called",
);
/** Words after which an unknown word is rather an adjective than the beginning of a longer title. */
const OWNERS = set("this that these those our my his her their your");
/** Whose bill it is: "my colleague's". */
export const PEOPLE: ReadonlySet<string> = set(
  "colleagues gentlemans gentlewomans gentleladys friends senators chairmans chairwomans chairs leaders presidents administrations committees speakers members ladys",
);
/** Before a name: "Senator Smith's". */
const PERSON_TITLES = set(
  "senator sen representative rep congressman congresswoman president chairman chairwoman chair leader speaker mr mrs ms dr governor secretary colleague friend",
);
/** Titles are joined by these words, too. */
const JOINERS = set("and of for to in");
/** After a title they make it a longer one, up to the next "act". */
const EXTENSIONS = set(
  "reauthorization amendment amendments improvement improvements modernization extension reform enhancement expansion implementation clarification correction " +
    "corrections technical restoration repeal",
);
const MAX_CONTEXT = 6;

/** Why a title in a text may not be that of the bill. */
export type TitleFlaw = "longer title" | "phrase across a full stop" | "another year" | "unclear beginning";

/** What is wrong with a title at its place in a text. */
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
  const first = 1789 + 2 * (congress - 1);
  return said >= first && said <= first + 1;
}
