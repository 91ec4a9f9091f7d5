import type { Row } from "../service/operations/rows.js";
import { type CaptionText, readCaption, type Word } from "../util/captionText.js";
import type { BillKind } from "./judge/billKinds.js";
import { type Conflict, isNumberOf, type JudgedBill, judge, type MatchedBy } from "./judge/judge.js";
import { boundNumbers, hasAnotherTitle } from "./judge/numberBeside.js";
import { MentionIndex, type NumberMention, numberMentions } from "./judge/numberMentions.js";
import { titleFlaws } from "./judge/titleContext.js";
import { type TitlePattern, tellingWords, titleMentions } from "./judge/titlePattern.js";
import type { SpeechesPlan } from "./planSpeeches.js";
import type { MergedSpeeches, Speech } from "./runSearches.js";
import { speakerKey } from "./speakers.js";

/** Why a speech counts as one on the bill, or does not. */
export interface SpeechJudgement {
  readonly matchedBy: MatchedBy | "continuation" | "query" | null;
  readonly matchText: string | null;
  readonly snippet: string | null;
  /** Null if nothing could be compared. */
  readonly confidence: number | null;
  readonly conflicts: readonly string[];
}

/** A speech with the judgement of its text. */
export interface JudgedSpeech extends Speech {
  readonly judgement: SpeechJudgement;
}

/** The speeches on a bill that count, and those that do not. */
export interface JudgedSpeeches {
  readonly kept: readonly JudgedSpeech[];
  readonly rejected: readonly JudgedSpeech[];
}

const NOTHING = { matchText: null, snippet: null, confidence: null };
/** A query of the caller found it: the caller knows why. */
const GIVEN: SpeechJudgement = { ...NOTHING, matchedBy: "query", conflicts: [] };
const NO_TEXT: SpeechJudgement = { ...NOTHING, matchedBy: null, conflicts: ["no text"] };

/** Judges the speeches that the searches for one bill found, each by its own text. */
export function judgeSpeeches(
  { speeches }: MergedSpeeches,
  bill: JudgedBill | undefined,
  captions: Captions,
  { minConfidence, continuation }: Pick<SpeechesPlan, "minConfidence" | "continuation">,
): JudgedSpeeches {
  const resolved = bill && withKnownKind(bill, speeches, captions);
  const judged = speeches.map((speech): JudgedSpeech => {
    const caption = captions.of(speech.row);
    if (resolved === undefined) return { ...speech, judgement: GIVEN };
    const judgement = caption === undefined ? NO_TEXT : judge(caption, resolved);
    return { ...speech, judgement: speech.isGiven && (judgement.confidence ?? 1) < minConfidence ? GIVEN : judgement };
  });
  const all = continuation ? withContinuations(judged, minConfidence) : judged;
  const isKept = ({ judgement: { confidence, matchedBy } }: JudgedSpeech) =>
    confidence === null || confidence >= minConfidence || matchedBy === "continuation";
  return { kept: all.filter(isKept), rejected: all.filter((speech) => !isKept(speech)) };
}

/** Passages of one speech are at most about this far apart, in milliseconds. */
const MAX_PAUSE = 120_000;
const SURE = 0.8;
const CONTINUATION = 0.4;
/** A text with another conflict is about something else. */
const HARMLESS = new Set<string>(["not in the text", "chamber unknown", "unclear beginning"] satisfies Conflict[]);

/** Marks the passages that follow or precede a sure one by the same speaker in the same program. */
function withContinuations(judged: readonly JudgedSpeech[], minConfidence: number): JudgedSpeech[] {
  const sureTimes = new Set<string>();
  for (const speech of judged) {
    if ((speech.judgement.confidence ?? 0) < SURE) continue;
    for (const key of turnKeys(speech.row)) sureTimes.add(key);
  }
  return judged.map((speech) => {
    const { judgement, row } = speech;
    const isOpen = (judgement.confidence ?? 1) < minConfidence && judgement.conflicts.every((one) => HARMLESS.has(one));
    const isNear = turnKeys(row).some((key) => sureTimes.has(key));
    if (!isOpen || !isNear) return speech;
    return { ...speech, judgement: { ...judgement, matchedBy: "continuation", confidence: CONTINUATION } };
  });
}

/** Program, speaker and time of a row. Rows that are near each other share a key. */
function turnKeys(row: Row): string[] {
  const time = typeof row.begintime === "string" ? Date.parse(row.begintime) : Number.NaN;
  const slot = Math.floor(time / MAX_PAUSE);
  return [slot, slot + 1].map((at) =>
    JSON.stringify([String(row.programid ?? row.programPublicId), speakerKey(row), at]),
  );
}

/** Reads each text once, however many bills it is compared with. */
export class Captions {
  readonly #known = new Map<string, CaptionText>();

  /** Undefined for a row without text. */
  of({ text }: Row): CaptionText | undefined {
    if (typeof text !== "string" || text.trim() === "") return undefined;
    const caption = this.#known.get(text) ?? readCaption(text);
    this.#known.set(text, caption);
    return caption;
  }
}

/**
 * Decides from the texts of which kind the number of a bill is, if it was given without a prefix. The strongest evidence that
 * there is decides:
 *
 * 1. the kinds that texts give right beside the title of the bill;
 * 2. all kinds but those that texts give beside another title;
 * 3. of these, the only one that is named in a program that names the title, or in a text with one of its words.
 *
 * @returns the bill with fewer kinds, or as it was if no text decides
 */
function withKnownKind(bill: JudgedBill, speeches: readonly Speech[], captions: Captions): JudgedBill {
  if (bill.kinds.length < 2) return bill;
  const evidence = speeches.flatMap(({ row }): Array<KindEvidence & { program: unknown }> => {
    const caption = captions.of(row);
    return caption === undefined ? [] : [{ ...kindEvidence(caption, bill), program: programOf(row) }];
  });
  const own = new Set(evidence.flatMap((one) => one.own));
  if (own.size > 0) return { ...bill, kinds: [...own] };
  const others = new Set(evidence.flatMap((one) => one.others));
  const remaining = bill.kinds.filter((kind) => !others.has(kind));
  const programs = new Set(evidence.filter(({ hasTitle }) => hasTitle).map(({ program }) => program));
  programs.delete(undefined);
  const near = new Set(
    evidence.filter(({ program, hasTitleWord }) => hasTitleWord || programs.has(program)).flatMap(({ alone }) => alone),
  );
  const isDecided = near.size === 1 && remaining.some((kind) => near.has(kind));
  const kinds = isDecided ? [...near] : remaining;
  return kinds.length > 0 ? { ...bill, kinds } : bill;
}

/** The kinds that a bill may still have, after what was found about its number. */
export function possibleKinds(
  bill: JudgedBill | undefined,
  speeches: readonly Speech[],
  captions: Captions,
): readonly BillKind[] {
  return bill === undefined ? [] : withKnownKind(bill, speeches, captions).kinds;
}

function programOf({ programid, programPublicId }: Row): unknown {
  return programid ?? programPublicId ?? undefined;
}

/** What a text says about the kind of a bill whose number is given without a prefix. */
export interface KindEvidence {
  /** Kinds of its number right beside its title. */
  readonly own: readonly BillKind[];
  /** Kinds of its number beside another title. */
  readonly others: readonly BillKind[];
  /** Kinds of its number beside no title. */
  readonly alone: readonly BillKind[];
  /** The text has its title. */
  readonly hasTitle: boolean;
  /** The text has a word that tells its title from others. */
  readonly hasTitleWord: boolean;
}

/**
 * Collects what a text says about the kind of a bill.
 *
 * @example
 * kindEvidence(readCaption("S. 7, THE WATER ACT, AND H.R. 7"), { kinds: ["hr", "s"], number: "7", … });
 * //=> { own: ["s"], others: [], alone: ["hr"], hasTitle: true, hasTitleWord: true }
 */
function kindEvidence(caption: CaptionText, bill: JudgedBill): KindEvidence {
  const { words } = caption;
  const mentions = numberMentions(caption).filter((mention) => isNumberOf(mention, bill) && mention.flaw === undefined);
  const titles = bill.titles.flatMap((pattern) =>
    titleMentions(caption, pattern).filter((one) => titleFlaws(words, one, pattern, bill.congress).length === 0),
  );
  const index = new MentionIndex(mentions);
  const own = new Set(titles.flatMap((title) => boundNumbers(words, title, index)));
  const rest = mentions.filter((mention) => !own.has(mention));
  const others = new Set(rest.filter((mention) => hasAnotherTitle(words, mention, bill.titles)));
  const alone = rest.filter((mention) => !others.has(mention));
  return {
    own: kindsOf(own),
    others: kindsOf(others),
    alone: kindsOf(alone),
    hasTitle: titles.length > 0,
    hasTitleWord: hasWordOf(words, bill.titles),
  };
}

/** Short words are in any text. */
const MIN_LETTERS = 4;

function hasWordOf(words: readonly Word[], titles: readonly TitlePattern[]): boolean {
  const telling = new Set(titles.flatMap(tellingWords).filter((word) => word.length >= MIN_LETTERS));
  return words.some(({ text }) => telling.has(text));
}

function kindsOf(mentions: Iterable<NumberMention>): BillKind[] {
  return [...mentions].flatMap(({ kinds }) => (kinds.length === 1 ? kinds : []));
}
