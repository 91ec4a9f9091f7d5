import type { CaptionText, Word } from "../../util/captionText.js";
import type { BillKind } from "./billKinds.js";
import { boundNumbers, hasAnotherTitle } from "./numberBeside.js";
import { MentionIndex, type NumberFlaw, type NumberMention, numberMentions } from "./numberMentions.js";
import { isYearPossible, type TitleFlaw, titleFlaws, yearAfter } from "./titleContext.js";
import { type TitleMention, type TitlePattern, titleMentions } from "./titlePattern.js";

/** What a text is compared with. */
export interface JudgedBill {
  /** The kinds that the number may have: one if the chamber is known. */
  readonly kinds: readonly BillKind[];
  readonly number: string | undefined;
  readonly congress: number | null;
  readonly titles: readonly TitlePattern[];
  readonly shortTitles: readonly TitlePattern[];
  readonly acronyms: readonly TitlePattern[];
  /** Numbers with an unknown prefix, compared as they are: "P.L. 117-169". */
  readonly literals: readonly TitlePattern[];
}

/** What of a bill a text names. */
export type MatchedBy = "title" | "number" | "both" | "short title" | "acronym";

/** Why a text may not be about the bill although it looks like it. */
export type Conflict =
  | TitleFlaw
  | NumberFlaw
  | "another bill's number"
  | "another Congress"
  | "another title"
  | "chamber unknown"
  | "not in the text";

/** Whether a text is about a bill, and why. */
export interface Judgement {
  /** Null if the text does not name the bill. */
  readonly matchedBy: MatchedBy | null;
  /** The words that name it, as they are in the text. */
  readonly matchText: string | null;
  /** The words around them. */
  readonly snippet: string | null;
  /** From 0 to 1; see the README of this folder. */
  readonly confidence: number;
  readonly conflicts: readonly Conflict[];
}

/** The confidence of a match without any conflict. */
const CERTAINTY = {
  title: 0.95,
  generalTitle: 0.8,
  number: 0.95,
  sharedPrefix: 0.85,
  shortTitle: 0.75,
  acronym: 0.3,
  confirmedAcronym: 0.7,
};
/** A conflict multiplies the confidence. */
const WEIGHTS: Readonly<Record<Conflict, number>> = {
  "longer title": 0.2,
  "phrase across a full stop": 0.2,
  "unclear beginning": 0.75,
  "another year": 0.2,
  "another bill's number": 0.2,
  "another Congress": 0.15,
  "another title": 0.2,
  "chamber unknown": 0.5,
  "U.S. 1": 0.05,
  amount: 0.1,
  "state bill": 0.1,
  "page of the Record": 0.05,
  "no prefix": 0.65,
  "not in the text": 0,
};
/** Characters on each side of a match in a snippet. */
const CONTEXT = 80;
const LONE_SURROGATE = /\p{Cs}/gu;

/** A place in a text that may name the bill. */
interface Evidence {
  readonly by: Exclude<MatchedBy, "both">;
  readonly first: number;
  readonly last: number;
  readonly confidence: number;
  readonly conflicts: readonly Conflict[];
}

/**
 * Judges whether a text is about a bill. Uses nothing but the text.
 *
 * @example
 * judge(readCaption("H.R. 5376, THE INFLATION REDUCTION ACT"), bill);
 * //=> { matchedBy: "both", matchText: "H.R. 5376, THE INFLATION REDUCTION ACT", confidence: 1, conflicts: [], … }
 */
export function judge(caption: CaptionText, bill: JudgedBill): Judgement {
  const mentions = new MentionIndex(numberMentions(caption));
  const numbers = mentions.all
    .filter((mention) => isNumberOf(mention, bill))
    .map((mention) => numberEvidence(caption, mention, mentions, bill));
  for (const literal of bill.literals) {
    for (const place of titleMentions(caption, literal)) {
      numbers.push({ by: "number", ...place, confidence: CERTAINTY.number, conflicts: [] });
    }
  }
  const titles = bill.titles.flatMap((pattern) => evidenceOfTitle(caption, pattern, "title", mentions, bill));
  const short = bill.shortTitles.flatMap((pattern) => evidenceOfTitle(caption, pattern, "short title", mentions, bill));
  const acronyms = bill.acronyms.flatMap((pattern) => evidenceOfTitle(caption, pattern, "acronym", mentions, bill));
  const number = best(numbers);
  const named = best(titles) ?? best(short) ?? best(acronyms);
  if (number === undefined && named === undefined) return noMatch(mentions.all, bill);
  return combined(caption, named, number);
}

/** Whether a number in a text may be that of a bill. */
export function isNumberOf({ kinds, number }: NumberMention, bill: JudgedBill): boolean {
  return number === bill.number && kinds.some((kind) => bill.kinds.includes(kind));
}

function numberEvidence(
  { words }: CaptionText,
  mention: NumberMention,
  mentions: MentionIndex,
  bill: JudgedBill,
): Evidence {
  const { first, last, flaw, kinds } = mention;
  const conflicts: Conflict[] = flaw === undefined ? [] : [flaw];
  if (isOfAnotherCongress(words, mention, mentions, bill)) conflicts.push("another Congress");
  if (!isYearPossible(yearAfter(words, last)?.year, undefined, bill.congress)) conflicts.push("another year");
  const isUnsure = bill.kinds.length > 1 || flaw !== undefined;
  if (bill.kinds.length > 1) conflicts.push("chamber unknown");
  if (isUnsure && bill.titles.length > 0 && hasAnotherTitle(words, mention, bill.titles))
    conflicts.push("another title");
  const certainty = kinds.length > 1 ? CERTAINTY.sharedPrefix : CERTAINTY.number;
  return { by: "number", first, last, confidence: weighted(certainty, conflicts), conflicts };
}

function evidenceOfTitle(
  caption: CaptionText,
  pattern: TitlePattern,
  by: "title" | "short title" | "acronym",
  mentions: MentionIndex,
  bill: JudgedBill,
): Evidence[] {
  const { words } = caption;
  return titleMentions(caption, pattern).map((mention) => {
    const conflicts: Conflict[] = titleFlaws(words, mention, pattern, bill.congress);
    if (isOfAnotherCongress(words, mention, mentions, bill)) conflicts.push("another Congress");
    const bound = boundNumbers(words, mention, mentions);
    if (bill.number !== undefined && bound.length > 0 && !bound.some((number) => isNumberOf(number, bill))) {
      conflicts.push("another bill's number");
    }
    const last = yearAfter(words, mention.last)?.last ?? mention.last;
    return {
      by,
      first: mention.first,
      last,
      confidence: weighted(certaintyOf(by, pattern, caption, mention, bill), conflicts),
      conflicts,
    };
  });
}

function certaintyOf(
  by: Evidence["by"],
  { words: title }: TitlePattern,
  { words }: CaptionText,
  { last }: TitleMention,
  bill: JudgedBill,
): number {
  if (by === "short title") return CERTAINTY.shortTitle;
  if (by === "acronym") {
    const isConfirmed = words[last + 1]?.text === "act" || hasWordsOf(words, bill.titles);
    return isConfirmed ? CERTAINTY.confirmedAcronym : CERTAINTY.acronym;
  }
  // "Clean Water" is a subject, "Clean Water Act" a title.
  return title.length > 2 || title.at(-1) === "act" ? CERTAINTY.title : CERTAINTY.generalTitle;
}

/** Whether a text has two words of a title, which an acronym may stand for. */
function hasWordsOf(words: readonly Word[], titles: readonly TitlePattern[]): boolean {
  const inText = new Set(words.map(({ text }) => text));
  return titles.some((title) => title.words.filter((word) => word.length > 3 && inText.has(word)).length >= 2);
}

function weighted(certainty: number, conflicts: readonly Conflict[]): number {
  return conflicts.reduce((product, conflict) => product * WEIGHTS[conflict], certainty);
}

function best(evidence: readonly Evidence[]): Evidence | undefined {
  return evidence.reduce<Evidence | undefined>(
    (top, one) => (top && top.confidence >= one.confidence ? top : one),
    undefined,
  );
}

/** A title and a number confirm each other. */
function combined(caption: CaptionText, named: Evidence | undefined, number: Evidence | undefined): Judgement {
  const parts = [named, number].filter((part) => part !== undefined);
  const sure = parts.filter(({ confidence }) => confidence >= 0.3);
  const used = sure.length > 0 ? sure : [best(parts) as Evidence];
  const confidence = 1 - used.reduce((doubt, part) => doubt * (1 - part.confidence), 1);
  const { first, last } = spanOf(used);
  const { words, text } = caption;
  const [start, end] = [(words[first] as Word).start, (words[last] as Word).end];
  return {
    matchedBy: used.length > 1 ? "both" : (used[0] as Evidence).by,
    matchText: text.slice(start, end).replace(/\s+/g, " "),
    snippet: snippetOf(text, start, end),
    confidence: Math.round(confidence * 100) / 100,
    conflicts: [...new Set(used.flatMap(({ conflicts }) => conflicts))],
  };
}

/** Both matches if they are near each other, otherwise the first one. */
function spanOf(used: readonly Evidence[]): { first: number; last: number } {
  const [one, other] = [...used].sort((a, b) => a.first - b.first) as [Evidence, Evidence | undefined];
  const isNear = other !== undefined && other.first - one.last <= 8;
  return { first: one.first, last: isNear ? Math.max(one.last, other.last) : one.last };
}

function snippetOf(text: string, start: number, end: number): string {
  const [from, to] = [Math.max(0, start - CONTEXT), Math.min(text.length, end + CONTEXT)];
  const inner = text.slice(from, to).replace(/\s+/g, " ").replace(LONE_SURROGATE, "").trim();
  return `${from > 0 ? "…" : ""}${inner}${to < text.length ? "…" : ""}`;
}

function noMatch(mentions: readonly NumberMention[], { number, kinds }: JudgedBill): Judgement {
  const hasOther = mentions.some((mention) => mention.number === number && kinds.length > 0);
  const conflicts: Conflict[] = [hasOther ? "another bill's number" : "not in the text"];
  return { matchedBy: null, matchText: null, snippet: null, confidence: 0, conflicts };
}

function isOfAnotherCongress(
  words: readonly Word[],
  place: TitleMention,
  mentions: MentionIndex,
  { congress }: JudgedBill,
): boolean {
  const near = congressNear(words, place, mentions);
  return near !== undefined && congress !== null && near !== congress;
}

const ORDINALS: ReadonlyMap<string, number> = new Map(
  "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    .split(" ")
    .map((word, number) => [word, number]),
);
const EARLIER = new Set(["last", "previous", "prior", "preceding", "earlier", "past"]);
const MAX_DISTANCE = 9;

/**
 * The Congress that a text names beside a bill, in the same sentence: "H.R. 1 of the 116th Congress".
 *
 * @returns its number, "earlier" for "the last Congress", or undefined for none and for "this Congress"
 */
function congressNear(
  words: readonly Word[],
  { first, last }: TitleMention,
  mentions: MentionIndex,
): number | "earlier" | undefined {
  for (let at = last + 1; at < words.length && at - last <= MAX_DISTANCE; at++) {
    if (words[at]?.gap === "stop" || mentions.startingAt(at) !== undefined) break;
    const congress = congressAt(words, at);
    if (congress !== undefined) return congress;
  }
  for (let at = first - 1; at >= 0 && first - at <= MAX_DISTANCE; at--) {
    if (words[at + 1]?.gap === "stop" || mentions.endingAt(at) !== undefined) break;
    const congress = congressAt(words, at);
    if (congress !== undefined) return congress;
  }
  return undefined;
}

function congressAt(words: readonly Word[], at: number): number | "earlier" | undefined {
  if (words[at]?.text !== "congress" || at === 0) return undefined;
  const before = words[at - 1] as Word;
  if (EARLIER.has(before.text)) return "earlier";
  if (before.isNumber) return Number(before.text);
  const digits = words[at - 2];
  if (/^(?:st|nd|rd|th)$/.test(before.text) && digits?.isNumber) return Number(digits.text);
  const ordinal = ORDINALS.get(before.text);
  if (ordinal === undefined) return undefined;
  const isHundreds = words.slice(Math.max(0, at - 3), at - 1).some(({ text }) => text === "hundred");
  return isHundreds ? 100 + ordinal : ordinal;
}
