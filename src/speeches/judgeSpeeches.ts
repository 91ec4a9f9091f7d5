import type { Row } from "../service/operations/rows.js";
import type { Captions } from "./captions.js";
import { type Conflict, type JudgedBill, judge, type MatchedBy } from "./judge/judge.js";
import { withKnownKind } from "./knownKind.js";
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
