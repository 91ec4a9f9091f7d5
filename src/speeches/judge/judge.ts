import type { BillKind } from "./billKinds.js";
import type { Span, Word } from "./captionLine.js";
import type { NumberMention, SpeechText } from "./numberMentions.js";
import { boundNumbers, hasAnotherTitle, isYearPossible, titleFlaws, yearAfter } from "./titleContext.js";
import { type TitlePattern, titleMentions } from "./titlePattern.js";
import words from "./words.json" with { type: "json" };

export interface BillCriteria {
  /** The kinds that the number may have: one if the chamber is known. */
  readonly kinds: readonly BillKind[];
  readonly number: string | undefined;
  readonly congress: number | null;
  readonly titles: readonly TitlePattern[];
  readonly shortTitles: readonly TitlePattern[];
}

/** How a text names a bill. */
export type MatchedBy = "title" | "number" | "both" | "short title";

/** Why a text may not be about the bill despite a match. */
type Conflict = keyof typeof WEIGHTS;

export interface Judgement {
  /** Null if the text does not name the bill; "query" for rows of a query of the caller. */
  readonly matchedBy: MatchedBy | "query" | null;
  /** The words that name it, as they are in the text. */
  readonly matchText: string | null;
  /** The words around them. */
  readonly snippet: string | null;
  /** From 0 to 1; null if nothing could be compared. */
  readonly confidence: number | null;
  readonly conflicts: ReadonlyArray<Conflict | "no text">;
}

/** A conflict multiplies the confidence. */
const WEIGHTS = {
  "longer title": 0.2, // "America's Water Infrastructure Act"
  "phrase across a full stop": 0.2, // "for the people. Act now"
  "unclear beginning": 0.75, // "our splendid Water Act"
  "another year": 0.2, // "the Water Act of 1996"
  "another bill's number": 0.2, // "S. 12, the Water Act" for H.R. 7
  "another Congress": 0.15, // "H.R. 7 of the last Congress"
  "another title": 0.2, // "S. 7, the Road Act" while the chamber is unknown
  "chamber unknown": 0.5, // "H.R. 7" for a bill with the number "7"
  "U.S. 1": 0.05,
  amount: 0.1, // "S 1 million"
  "state bill": 0.1, // "Texas Senate Bill 8"
  "page of the Record": 0.05, // "page S 360"
  "no prefix": 0.65, // "when we passed fifty-three seventy-six"
  "not in the text": 0,
};
/** A match with less confidence does not count if there is another one. */
const MIN_EVIDENCE = 0.3;
/** Words between a title and a number that are one match. */
const MAX_GAP = 8;
/** Characters on each side of a match in a snippet. */
const CONTEXT = 80;
const LONE_SURROGATE = /\p{Cs}/gu;

interface Evidence extends Span {
  readonly by: Exclude<MatchedBy, "both">;
  readonly confidence: number;
  readonly conflicts: readonly Conflict[];
}

/**
 * Judges whether a text is about a bill. Uses nothing but the text.
 *
 * @example
 * judge(readText("H.R. 5376, THE INFLATION REDUCTION ACT"), bill);
 * //=> { matchedBy: "both", matchText: "H.R. 5376, THE INFLATION REDUCTION ACT", confidence: 1, conflicts: [], … }
 */
export function judge(caption: SpeechText, bill: BillCriteria): Judgement {
  const { mentions } = caption;
  const titleMatch = (by: "title" | "short title", patterns: readonly TitlePattern[]) =>
    strongest(patterns.flatMap((pattern) => titleEvidence(caption, pattern, by, bill)));
  const number = strongest(
    mentions.flatMap((one) => (isNumberOf(one, bill) ? [numberEvidence(caption, one, bill)] : [])),
  );
  const title = titleMatch("title", bill.titles) ?? titleMatch("short title", bill.shortTitles);
  const parts = [title, number].filter((part) => part !== undefined);
  const strongParts = parts.filter(({ confidence }) => confidence >= MIN_EVIDENCE);
  const matches = strongParts.length > 0 ? strongParts : parts.filter((part) => part === strongest(parts));
  if (matches.length > 0) return combine(caption, matches);
  const isOther = bill.kinds.length > 0 && mentions.some((mention) => mention.number === bill.number);
  const conflicts: Conflict[] = [isOther ? "another bill's number" : "not in the text"];
  return { matchedBy: null, matchText: null, snippet: null, confidence: 0, conflicts };
}

export function isNumberOf({ kinds, number }: NumberMention, bill: BillCriteria): boolean {
  return number === bill.number && kinds.some((kind) => bill.kinds.includes(kind));
}

function numberEvidence(text: SpeechText, mention: NumberMention, bill: BillCriteria): Evidence {
  const { flaw, kinds, last } = mention;
  const isChamberKnown = bill.kinds.length === 1;
  const isUnsure = bill.titles.length > 0 && (!isChamberKnown || flaw !== undefined);
  return evidence("number", mention, kinds.length > 1 ? 0.85 : 0.95, [
    flaw,
    isOfAnotherCongress(text, mention, bill) && "another Congress",
    !isYearPossible(yearAfter(text, last)?.year, undefined, bill.congress) && "another year",
    !isChamberKnown && "chamber unknown",
    isUnsure && hasAnotherTitle(text, mention, bill.titles) && "another title",
  ]);
}

function titleEvidence(
  caption: SpeechText,
  pattern: TitlePattern,
  by: "title" | "short title",
  bill: BillCriteria,
): Evidence[] {
  // "Clean Water" is a subject, "Clean Water Act" a title.
  const isTitle = pattern.words.length > 2 || pattern.words.at(-1) === "act";
  const certainty = by === "short title" ? 0.75 : isTitle ? 0.95 : 0.8;
  return titleMentions(caption, pattern).map((mention) => {
    const bound = bill.number === undefined ? [] : boundNumbers(caption, mention, caption);
    const place = { first: mention.first, last: yearAfter(caption, mention.last)?.last ?? mention.last };
    return evidence(by, place, certainty, [
      ...titleFlaws(caption, mention, pattern, bill.congress),
      isOfAnotherCongress(caption, mention, bill) && "another Congress",
      bound.length > 0 && !bound.some((number) => isNumberOf(number, bill)) && "another bill's number",
    ]);
  });
}

function evidence(
  by: Evidence["by"],
  { first, last }: Span,
  certainty: number,
  conditions: ReadonlyArray<Conflict | false | undefined>,
): Evidence {
  const conflicts = conditions.filter((conflict) => conflict !== false && conflict !== undefined);
  const confidence = conflicts.reduce((product, conflict) => product * WEIGHTS[conflict], certainty);
  return { by, first, last, confidence, conflicts };
}

function strongest(all: readonly Evidence[]): Evidence | undefined {
  return all.reduce<Evidence | undefined>(
    (top, one) => (top && top.confidence >= one.confidence ? top : one),
    undefined,
  );
}

/** A title and a number confirm each other. The match has both if they are near each other, otherwise the first one. */
function combine({ words, text }: SpeechText, matches: readonly Evidence[]): Judgement {
  const confidence = 1 - matches.reduce((doubt, part) => doubt * (1 - part.confidence), 1);
  const [one, other] = [...matches].sort((a, b) => a.first - b.first) as [Evidence, Evidence | undefined];
  const last = other !== undefined && other.first - one.last <= MAX_GAP ? Math.max(one.last, other.last) : one.last;
  const [start, end] = [(words[one.first] as Word).start, (words[last] as Word).end];
  const [from, to] = [Math.max(0, start - CONTEXT), Math.min(text.length, end + CONTEXT)];
  const inner = text.slice(from, to).replace(/\s+/g, " ").replace(LONE_SURROGATE, "").trim();
  return {
    matchedBy: matches.length > 1 ? "both" : (matches[0] as Evidence).by,
    matchText: text.slice(start, end).replace(/\s+/g, " "),
    snippet: `${from > 0 ? "…" : ""}${inner}${to < text.length ? "…" : ""}`,
    confidence: Math.round(confidence * 100) / 100,
    conflicts: [...new Set(matches.flatMap(({ conflicts }) => conflicts))],
  };
}

const EARLIER = new Set(words.earlier.split(" "));
const MAX_DISTANCE = 9;

/** Whether a text names another Congress beside a bill, in the same sentence: "H.R. 1 of the 116th Congress". */
function isOfAnotherCongress(
  { words, startingAt, endingAt }: SpeechText,
  { first, last }: Span,
  { congress }: BillCriteria,
): boolean {
  if (congress === null) return false;
  for (let at = last + 1; at <= last + MAX_DISTANCE && words[at]?.gap !== "stop" && !startingAt.has(at); at++) {
    const number = words[at]?.text === "congress" ? congressAt(words, at) : undefined;
    if (number !== undefined) return number !== congress;
  }
  for (let at = first - 1; at >= first - MAX_DISTANCE && words[at + 1]?.gap !== "stop" && !endingAt.has(at); at--) {
    const number = words[at]?.text === "congress" ? congressAt(words, at) : undefined;
    if (number !== undefined) return number !== congress;
  }
  return false;
}

/** The number of a Congress that ends at the word "Congress", 0 for "the last Congress"; undefined for none and for "this Congress". */
function congressAt(words: readonly Word[], at: number): number | undefined {
  const [before, digits] = [words[at - 1], words[at - 2]];
  if (before === undefined) return undefined;
  if (EARLIER.has(before.text)) return 0;
  if (before.isNumber) return Number(before.text);
  return /^(?:st|nd|rd|th)$/.test(before.text) && digits?.isNumber ? Number(digits.text) : undefined;
}
