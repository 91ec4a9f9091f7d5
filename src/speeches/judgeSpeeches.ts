import type { Row } from "../service/operations/rows.js";
import { type CaptionText, readCaption } from "../util/captionText.js";
import type { BillKind } from "./judge/billKinds.js";
import { type Conflict, type JudgedBill, judge, kindEvidence, type MatchedBy } from "./judge/judge.js";
import type { MergedSpeeches, Speech } from "./mergeSpeeches.js";
import type { SpeechesPlan } from "./planSpeeches.js";
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

/** The kinds that a bill may still have, after what was found about its number. */
export function possibleKinds(
  { speeches }: MergedSpeeches,
  bill: JudgedBill | undefined,
  captions: Captions,
): readonly BillKind[] {
  return bill === undefined ? [] : withKnownKind(bill, speeches, captions).kinds;
}

/** Decides of which kind a number is from the texts that give it beside the title of the bill, or of another one. */
function withKnownKind(bill: JudgedBill, speeches: readonly Speech[], captions: Captions): JudgedBill {
  if (bill.kinds.length < 2) return bill;
  const own = new Set<BillKind>();
  const others = new Set<BillKind>();
  for (const { row } of speeches) {
    const caption = captions.of(row);
    if (caption === undefined) continue;
    const evidence = kindEvidence(caption, bill);
    for (const kind of evidence.own) own.add(kind);
    for (const kind of evidence.others) others.add(kind);
  }
  const remaining = own.size > 0 ? [...own] : bill.kinds.filter((kind) => !others.has(kind));
  return remaining.length > 0 ? { ...bill, kinds: remaining } : bill;
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
